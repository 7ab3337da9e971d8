package dev.holdfast.backend.sqlite.wal;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.PageFile;
import dev.holdfast.backend.sqlite.file.PageSize;
import dev.holdfast.backend.sqlite.file.PageSums;
import dev.holdfast.backend.sqlite.wal.BatchWriter.Image;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The pages of a small database that SQLite has in memory. A commit is what differs between two
 * images of the whole database: to take one of 8 KiB costs 2 microseconds, while the log of a file
 * takes about ten system calls for each commit, and fifty to open and close it.
 *
 * <p>The images have the format of the file, which says that the database is written with a log;
 * SQLite refuses such a database in memory. The change counter of the first page counts as in
 * SQLite with a log: it moves only if the page has another change.
 */
public final class MemoryPages implements CommitLog {

  private static final int WRITE_VERSION_OFFSET = 18;
  private static final int READ_VERSION_OFFSET = 19;
  private static final byte WITHOUT_LOG = 1;
  private static final byte WITH_LOG = 2;

  private static final int CHANGE_COUNTER_OFFSET = 24;
  private static final int CHANGE_COUNTER_BYTES = 4;

  /** The change counter for which the size is right, and the version of SQLite. */
  private static final int VALID_FOR_OFFSET = 92;

  private static final int VALID_FOR_BYTES = 8;

  private static final byte[] NOTHING = {};

  private final int pageBytes;
  private final int bytesMax;

  /** Whether the database has no file that was ever saved. */
  private boolean isNew;

  private SqliteConnection connection;
  private byte[] accepted;

  /** The image that was read last. */
  private byte[] read;

  /** How many different images were read. */
  private int readCount;

  /** Accepted pages that the file does not have. */
  private final BitSet uncopied = new BitSet();

  /** How long the file should be; 0 if there is none. */
  private long fileBytes;

  /**
   * Takes the pages of a database that was just opened.
   *
   * @param image all of them, in the format of the file
   * @param bytesMax up to which size it stays in memory
   * @param isNew whether it has no file
   * @param connection has the database
   */
  public MemoryPages(byte[] image, int bytesMax, boolean isNew, SqliteConnection connection) {
    this.pageBytes = PageSize.of(image);
    this.bytesMax = bytesMax;
    this.isNew = isNew;
    this.fileBytes = isNew ? 0 : image.length;
    this.accepted = image;
    this.read = image;
    this.connection = connection;
  }

  /**
   * Returns a database for SQLite to have in memory.
   *
   * @param image the database in the format of the file
   * @return a copy in the format of memory
   */
  public static byte[] forMemory(byte[] image) {
    byte[] copy = image.clone();
    copy[WRITE_VERSION_OFFSET] = WITHOUT_LOG;
    copy[READ_VERSION_OFFSET] = WITHOUT_LOG;
    return copy;
  }

  /** {@return the database as of the last accepted commit, in the format of the file} */
  public byte[] accepted() {
    return accepted;
  }

  /**
   * Records that another connection has the database, as it was accepted.
   *
   * @param next that connection
   */
  public void reopened(SqliteConnection next) {
    connection = next;
    read = accepted;
    readCount++;
  }

  /** {@return whether the database should be opened as a file} */
  public boolean isTooLarge() {
    return accepted.length > bytesMax;
  }

  @Override
  public boolean read(WalCommit commit) throws IOException {
    byte[] now = image();
    if (!Arrays.equals(now, read)) {
      read = now;
      readCount++;
    }
    commit.pageBytes = pageBytes;
    commit.begin(0);
    int pages = read.length / pageBytes;
    for (int page = 1; page <= pages; page++) {
      if (!isAccepted(page)) {
        commit.add(page);
      }
    }
    commit.pagesAfter = pages;
    return commit.frameCount() > 0;
  }

  @Override
  public boolean readAll(WalCommit commit) throws IOException {
    return read(commit);
  }

  @Override
  public int end(WalCommit commit) {
    return readCount;
  }

  private byte[] image() throws IOException {
    byte[] now;
    try {
      now = connection.image();
    } catch (SqliteException e) {
      throw new IOException("the database in memory cannot be read: " + e.getMessage(), e);
    }
    if (now.length < pageBytes || PageSize.of(now) != pageBytes) {
      throw new IOException("the database in memory has pages of another size");
    }
    now[WRITE_VERSION_OFFSET] = WITH_LOG;
    now[READ_VERSION_OFFSET] = WITH_LOG;
    byte[] counted = Arrays.copyOf(now, VALID_FOR_OFFSET + VALID_FOR_BYTES);
    copyCounter(accepted, now);
    if (Arrays.mismatch(now, 0, pageBytes, accepted, 0, pageBytes) >= 0) {
      copyCounter(counted, now);
    }
    return now;
  }

  private static void copyCounter(byte[] from, byte[] to) {
    System.arraycopy(from, CHANGE_COUNTER_OFFSET, to, CHANGE_COUNTER_OFFSET, CHANGE_COUNTER_BYTES);
    System.arraycopy(from, VALID_FOR_OFFSET, to, VALID_FOR_OFFSET, VALID_FOR_BYTES);
  }

  private boolean isAccepted(int page) {
    int from = offset(page);
    int to = from + pageBytes;
    return to <= accepted.length && Arrays.mismatch(read, from, to, accepted, from, to) < 0;
  }

  @Override
  public void accept(WalCommit commit) {
    accepted = read;
    for (int index = 0; index < commit.frameCount(); index++) {
      uncopied.set(commit.page(index));
    }
    uncopied.clear(commit.pagesAfter + 1, Math.max(commit.pagesAfter + 1, uncopied.length()));
    needFile();
  }

  /** Records that the object must have a file, also if nothing was written to it. */
  public void needFile() {
    if (isNew) {
      isNew = false;
      uncopied.set(1, accepted.length / pageBytes + 1);
    }
  }

  @Override
  public Image after(WalCommit commit, int index, byte[] buffer) {
    return new Image(read, offset(commit.page(index)));
  }

  @Override
  public @Nullable Image before(WalCommit commit, int page, byte[] buffer) {
    return new Image(accepted, offset(page));
  }

  @Override
  public boolean hasUncopied() {
    return !uncopied.isEmpty();
  }

  @Override
  public int[] sums(int pages) {
    int[] sums = new int[2 * uncopied.cardinality()];
    int length = 0;
    for (int page = uncopied.nextSetBit(1); page > 0; page = uncopied.nextSetBit(page + 1)) {
      sums[length++] = page;
      sums[length++] = PageSums.sum(accepted, offset(page), pageBytes);
    }
    return sums;
  }

  /**
   * Writes the accepted pages that the file does not have, without a sync; all pages if the file is
   * shorter than it was left, such as one that was deleted meanwhile.
   *
   * @param files has the file
   * @param file the file; created if it does not exist
   * @throws IOException if that fails; the file may have some of the pages
   */
  public void copyInto(ObjectFiles files, Path file) throws IOException {
    if (uncopied.isEmpty()) {
      return;
    }
    try (PageFile opened = files.openToRebuild(file, pageBytes)) {
      int pages = accepted.length / pageBytes;
      long found = opened.sizeBytes();
      if (found < fileBytes) {
        uncopied.set(1, pages + 1);
      }
      for (int page = uncopied.nextSetBit(1); page > 0; ) {
        int end = uncopied.nextClearBit(page);
        opened.write(page, accepted, offset(page), (end - page) * pageBytes);
        page = uncopied.nextSetBit(end);
      }
      if (found > accepted.length) {
        opened.resize(pages);
      }
    }
    fileBytes = accepted.length;
    uncopied.clear();
  }

  /** Drops the images: a live object keeps its closed database until it needs it again. */
  @Override
  public void close() {
    accepted = NOTHING;
    read = NOTHING;
  }

  private int offset(int page) {
    return (page - 1) * pageBytes;
  }
}
