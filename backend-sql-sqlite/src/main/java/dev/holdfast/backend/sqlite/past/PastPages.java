package dev.holdfast.backend.sqlite.past;

import dev.holdfast.backend.sqlite.database.DatabaseEraser;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.PageFile;
import dev.holdfast.backend.sqlite.wal.BatchReader;
import dev.holdfast.backend.sqlite.wal.BatchWriter;
import dev.holdfast.backend.sqlite.wal.BatchWriter.Image;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.catalog.CatalogChange;
import dev.holdfast.spi.catalog.CatalogUndo;
import dev.holdfast.spi.disk.Disk.Mode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pages of a database as they were at an earlier moment, where they differ from those in its
 * file: later batches are undone one by one, newest first. Holds each page that any of them has
 * touched; pages that do not fit into memory are in a file. The database file is only read, and
 * must hold all batches. Confined to one thread at a time.
 */
final class PastPages implements AutoCloseable {

  /** Offset of the number of free pages in the first page; see SQLite's file format. */
  private static final int FREE_PAGES_OFFSET = 36;

  /** The schema, and a root page for each hidden table and its index, with room for new ones. */
  private static final int PAGES_OF_ERASED_MAX = 32;

  /** A larger batch is written in parts of about this size. */
  private static final int PART_BYTES = 1 << 20;

  private static final long HELD_BYTES_MAX =
      Math.min(32L << 20, Runtime.getRuntime().maxMemory() / 16);

  private final ObjectFiles files;
  private final Path path;
  private final PageFile file;
  private final int pageBytes;
  private final int pagesNow;
  private final SpilledPages pages;
  private final CatalogUndo catalog = new CatalogUndo();
  private int pageCount;

  /** Has all pages of the past, if it is not an earlier state of this database. */
  private @Nullable PageFile other;

  // For the batch that turns the present into the past.
  private final BatchWriter writer = new BatchWriter();
  private final BitSet changed = new BitSet();
  private int nextPage = 1;

  /**
   * Starts with the present.
   *
   * @param files opens the files
   * @param path the database file
   * @param pageBytes size of its pages
   * @param pagesNow how many it has; 0 if it was never written
   * @param spill the file for pages that do not fit into memory; does not exist yet
   */
  PastPages(ObjectFiles files, Path path, int pageBytes, int pagesNow, Path spill)
      throws IOException {
    this.files = files;
    this.path = path;
    this.file = files.open(path, Mode.READ, pageBytes);
    this.pageBytes = pageBytes;
    this.pagesNow = pagesNow;
    this.pageCount = pagesNow;
    this.pages = new SpilledPages(files, spill, pageBytes, HELD_BYTES_MAX);
  }

  /**
   * Undoes a batch, or a part of the batch that was undone before it. A part without its batch
   * changes nothing: it has the pages as they were when it was written.
   *
   * @throws IllegalArgumentException if the batch is malformed, or does not belong to this state
   */
  void undo(JournalRecord record) {
    BatchReader batch = new BatchReader(record.payload());
    boolean isPart = record.kind() == RecordKind.UNDO_PART;
    // A batch without pages counts the one page of a file that was never written.
    boolean fits =
        isPart || batch.pagesAfter() == pageCount || (pageCount == 0 && batch.pagesAfter() == 1);
    if (batch.pageBytes() != pageBytes || !fits) {
      throw new IllegalArgumentException(
          "it leaves "
              + batch.pagesAfter()
              + " pages of "
              + batch.pageBytes()
              + " bytes, but the object has "
              + pageCount
              + " of "
              + pageBytes);
    }
    while (batch.next()) {
      if (batch.hasUndo()) {
        batch.undo(page(batch.page(), batch.undoIsWhole()));
      }
    }
    if (!isPart) {
      pageCount = batch.pagesBefore();
      catalog.undo(batch.catalogChange());
    }
  }

  /**
   * {@return what the restore changes in the catalog}
   *
   * @param hasData whether the past has keys or tables
   * @param present the alarms now
   */
  CatalogChange catalogChange(ObjectKey key, boolean hasData, List<AlarmRecord> present) {
    return catalog.toChange(key, hasData, present);
  }

  /**
   * Whether the past may be without keys and tables: if so it has few pages besides the free ones,
   * as {@link DatabaseEraser} frees the others.
   */
  boolean mayBeErased() {
    if (pageCount <= 1) {
      return true;
    }
    int free = ByteBuffer.wrap(page(1, false)).getInt(FREE_PAGES_OFFSET);
    return pageCount - free <= PAGES_OF_ERASED_MAX;
  }

  private byte[] page(int number, boolean isRewritten) {
    try {
      if (pages.has(number)) {
        return pages.get(number);
      }
      byte[] page = new byte[pageBytes];
      if (!isRewritten) {
        source().read(number, page);
      }
      pages.put(number, page);
      return page;
    } catch (IOException e) {
      throw new UnreadableException(path, e);
    }
  }

  /** {@return the file with the pages that are not held} */
  private PageFile source() {
    return other != null ? other : file;
  }

  /** {@return a page of the past; valid until the next call} */
  private byte[] then(int number, byte[] scratch) throws IOException {
    if (pages.has(number)) {
      return pages.get(number);
    }
    source().read(number, scratch);
    return scratch;
  }

  // ---- The batch that makes the present into the past, with its own undo --------------------

  /**
   * Writes as many pages as one record should have. Call it until it returns false, with {@link
   * #part} after each call but the last, and {@link #last} after that.
   *
   * @return whether there are more pages
   */
  boolean writeSome() throws IOException {
    if (pageCount == 0) {
      // Never written: equivalent to empty, and a batch leaves at least one page.
      pageCount = 1;
      byte[] empty = ObjectFiles.emptyDatabase();
      System.arraycopy(empty, 0, page(1, true), 0, Math.min(empty.length, pageBytes));
    }
    writer.begin(pageBytes, pagesNow, pageCount);
    byte[] before = new byte[pageBytes];
    byte[] scratch = new byte[pageBytes];
    for (nextPage = touched(nextPage);
        nextPage <= Math.max(pageCount, pagesNow);
        nextPage = touched(nextPage + 1)) {
      if (writer.lengthBytes() >= PART_BYTES) {
        return true;
      }
      if (nextPage > pageCount) {
        file.read(nextPage, before);
        writer.cutOff(nextPage, new Image(before, 0));
        continue;
      }
      byte[] after = then(nextPage, scratch);
      if (nextPage > pagesNow) {
        writer.added(nextPage, new Image(after, 0));
        changed.set(nextPage);
        continue;
      }
      file.read(nextPage, before);
      if (!Arrays.equals(before, after)) {
        writer.firstChanged(nextPage, new Image(before, 0), new Image(after, 0));
        changed.set(nextPage);
      }
    }
    return false;
  }

  /** {@return the first page at or after a number that may differ from the present} */
  private int touched(int number) {
    if (number > pageCount || other != null) {
      return number;
    }
    int next = pages.next(number);
    return next < 0 || next > pageCount ? pageCount + 1 : next;
  }

  /** {@return the payload of a part} */
  ByteBuffer part() {
    return writer.finish();
  }

  /**
   * {@return the payload of the batch}
   *
   * @param change {@link #catalogChange}
   * @param firstPart the position of the first part; 0 if there are no parts
   */
  ByteBuffer last(CatalogChange change, long firstPart) {
    return writer.finishLast(change.encode(), firstPart);
  }

  int pageBytes() {
    return pageBytes;
  }

  int pageCount() {
    return pageCount;
  }

  /** {@return the pages that the batch writes} */
  BitSet changed() {
    return changed;
  }

  /** Writes the batch to the database file; no connection has it open. */
  void rewrite() throws IOException {
    try (PageFile target = files.openToRebuild(path, pageBytes)) {
      byte[] scratch = new byte[pageBytes];
      for (int page = changed.nextSetBit(1); page >= 0; page = changed.nextSetBit(page + 1)) {
        target.write(page, then(page, scratch));
      }
      target.resize(pageCount);
    }
  }

  /** Writes the whole past to a separate file. */
  void writeTo(Path target) throws IOException {
    try (PageFile copy = files.open(target, Mode.CREATE, pageBytes)) {
      if (pageCount == 0) {
        copy.write(1, Arrays.copyOf(ObjectFiles.emptyDatabase(), pageBytes));
        return;
      }
      byte[] scratch = new byte[pageBytes];
      for (int number = 1; number <= pageCount; number++) {
        copy.write(number, then(number, scratch));
      }
    }
  }

  List<AlarmRecord> alarms(List<AlarmRecord> present) {
    return catalog.alarmsThen(present);
  }

  /** Uses all pages of another file as the past. */
  void become(Path image) throws IOException {
    PageFile source = files.open(image, Mode.READ, pageBytes);
    other = source;
    pageCount = Math.toIntExact(source.sizeBytes() / pageBytes);
  }

  @Override
  public void close() throws IOException {
    try (file;
        pages) {
      if (other != null) {
        other.close();
      }
    }
  }

  /** The database file cannot be read; carries the cause through a visitor. */
  static final class UnreadableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnreadableException(Path path, IOException cause) {
      super(path + ": " + cause.getMessage(), cause);
    }
  }
}
