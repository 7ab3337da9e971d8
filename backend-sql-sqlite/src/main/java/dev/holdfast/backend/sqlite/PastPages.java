package dev.holdfast.backend.sqlite;

import dev.holdfast.backend.sqlite.BatchWriter.Image;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.CatalogChange;
import dev.holdfast.spi.CatalogUndo;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The pages of a database as they were at an earlier moment, where they differ from those in its
 * file: later batches are undone one by one, newest first. Holds each page that any of them has
 * touched. The file is only read, and must hold all batches. Owned by one thread.
 */
final class PastPages implements AutoCloseable {

  /** Where the first page says how many pages are free; see SQLite's file format. */
  private static final int FREE_PAGES_OFFSET = 36;

  /** The schema, and a root page for each hidden table and its index; with room for new ones. */
  private static final int PAGES_OF_ERASED_MAX = 32;

  private final Path path;
  private final RandomAccessFile file;
  private final int pageBytes;
  private final int pagesNow;
  private final Map<Integer, byte[]> pages = new TreeMap<>();
  private final CatalogUndo catalog = new CatalogUndo();
  private int pageCount;

  /**
   * Begins with the present.
   *
   * @param path the database file
   * @param pageBytes size of its pages
   * @param pagesNow how many it has; 0 if it was never written
   */
  PastPages(Path path, int pageBytes, int pagesNow) throws IOException {
    this.path = path;
    this.file = new RandomAccessFile(path.toFile(), "r");
    this.pageBytes = pageBytes;
    this.pagesNow = pagesNow;
    this.pageCount = pagesNow;
  }

  /**
   * Goes back behind a batch.
   *
   * @throws IllegalArgumentException if the batch is malformed, or was not made of this state
   */
  void undo(JournalRecord record) {
    BatchReader batch = new BatchReader(record.payload());
    // A batch without pages counts the one page that a file has which was never written.
    boolean fits = batch.pagesAfter() == pageCount || (pageCount == 0 && batch.pagesAfter() == 1);
    if (batch.pageBytes() != pageBytes || !fits) {
      throw new IllegalArgumentException(
          "it leaves "
              + batch.pagesAfter()
              + " pages of "
              + batch.pageBytes()
              + " bytes, but there are "
              + pageCount
              + " of "
              + pageBytes);
    }
    while (batch.next()) {
      if (batch.hasUndo()) {
        batch.undo(page(batch.page(), batch.undoIsWhole()));
      }
    }
    pageCount = batch.pagesBefore();
    catalog.undo(batch.catalogChange());
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
   * as {@link DatabaseEraser} gives the others back.
   */
  boolean mayBeErased() {
    if (pageCount <= 1) {
      return true;
    }
    int free = ByteBuffer.wrap(page(1, false)).getInt(FREE_PAGES_OFFSET);
    return pageCount - free <= PAGES_OF_ERASED_MAX;
  }

  private byte[] page(int number, boolean isRewritten) {
    byte[] held = pages.get(number);
    if (held == null) {
      held = new byte[pageBytes];
      if (!isRewritten) {
        read(number, held);
      }
      pages.put(number, held);
    }
    return held;
  }

  private void read(int number, byte[] target) {
    try {
      file.seek((number - 1L) * pageBytes);
      int total = 0;
      while (total < pageBytes) {
        int count = file.read(target, total, pageBytes - total);
        if (count < 0) {
          Arrays.fill(target, total, pageBytes, (byte) 0);
          return;
        }
        total += count;
      }
    } catch (IOException e) {
      throw new UnreadableException(path, e);
    }
  }

  /**
   * {@return a batch that makes the present into the past, with its own undo}
   *
   * @param change {@link #catalogChange}
   */
  ByteBuffer toBatch(CatalogChange change) {
    if (pageCount == 0) {
      // Never written: as good as empty, and a batch leaves at least one page.
      pageCount = 1;
      pages.put(1, Arrays.copyOf(ObjectFiles.emptyDatabase(), pageBytes));
    }
    BatchWriter writer = new BatchWriter();
    writer.begin(pageBytes, pagesNow, pageCount);
    writer.catalogChange(change.encode());
    byte[] before = new byte[pageBytes];
    for (Map.Entry<Integer, byte[]> page : pages.entrySet()) {
      int number = page.getKey();
      if (number > pageCount) {
        break;
      }
      if (number > pagesNow) {
        writer.added(number, new Image(page.getValue(), 0));
        continue;
      }
      read(number, before);
      if (!Arrays.equals(before, page.getValue())) {
        writer.firstChanged(number, new Image(before, 0), new Image(page.getValue(), 0));
      }
    }
    for (int number = pageCount + 1; number <= pagesNow; number++) {
      read(number, before);
      writer.cutOff(number, new Image(before, 0));
    }
    return writer.finish();
  }

  /** Writes the whole past to a file of its own. */
  void writeTo(Path target) throws IOException {
    try (RandomAccessFile copy = new RandomAccessFile(target.toFile(), "rw")) {
      if (pageCount == 0) {
        copy.write(ObjectFiles.emptyDatabase());
        return;
      }
      byte[] present = new byte[pageBytes];
      for (int number = 1; number <= pageCount; number++) {
        byte[] page = pages.get(number);
        if (page == null) {
          read(number, present);
        }
        copy.write(page == null ? present : page, 0, pageBytes);
      }
    }
  }

  List<AlarmRecord> alarms(List<AlarmRecord> present) {
    return catalog.alarmsThen(present);
  }

  /** Takes all pages of another file as the past. */
  void become(Path other) throws IOException {
    try (RandomAccessFile source = new RandomAccessFile(other.toFile(), "r")) {
      pageCount = Math.toIntExact(source.length() / pageBytes);
      for (int number = 1; number <= pageCount; number++) {
        byte[] page = new byte[pageBytes];
        source.readFully(page);
        pages.put(number, page);
      }
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  /** The database file cannot be read; carries the reason through a visitor. */
  static final class UnreadableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnreadableException(Path path, IOException cause) {
      super(path + ": " + cause.getMessage(), cause);
    }
  }
}
