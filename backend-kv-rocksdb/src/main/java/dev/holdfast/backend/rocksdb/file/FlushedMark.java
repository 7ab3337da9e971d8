package dev.holdfast.backend.rocksdb.file;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A small file beside the database that records the position up to which the database is durable,
 * and the journal it belongs to. The journal drops records based on it.
 *
 * <p>Used by the one thread that opens the database, then by the one that flushes; any thread may
 * read the position.
 */
public final class FlushedMark {

  /** What the file contained when the database was opened. */
  public enum State {
    /** The file is missing, or none is kept. */
    ABSENT,
    /** A position only: in that version, views let the journal drop records after the position. */
    OLD_FORMAT,
    /** A position, and the journal's id. */
    CURRENT,
    /** An operator gave up the data of the database. */
    GIVEN_UP
  }

  /** What an operator writes into the file. */
  public static final String GIVE_UP = "give up";

  private static final int OLD_LENGTH_BYTES = Long.BYTES + Integer.BYTES;
  private static final int LENGTH_BYTES = Long.BYTES + OLD_LENGTH_BYTES;

  private final Disk disk = new FileDisk();
  private final @Nullable Path file;
  private State state;
  private long journalId;
  private volatile long position;

  /**
   * Reads the file of a database.
   *
   * @param file null to keep none
   * @throws DataDirectoryException if it is damaged or cannot be read
   */
  public FlushedMark(@Nullable Path file) {
    this.file = file == null ? null : file.toAbsolutePath();
    this.state = State.ABSENT;
    if (this.file != null && disk.exists(this.file)) {
      read(this.file);
    }
  }

  /** {@return the position up to which the database was durable; 0 if unknown} */
  public long position() {
    return position;
  }

  public State state() {
    return state;
  }

  /** {@return the id of the journal; only for a mark in the current format} */
  public long journalId() {
    return journalId;
  }

  /** {@return the file; null if none is kept} */
  public @Nullable Path file() {
    return file;
  }

  /**
   * Records that the database is durable up to a position. A new file replaces the old one, so that
   * after a power cut one of the two exists, and a failed sync is not trusted later.
   *
   * @param flushedPosition the position
   * @param flushedJournalId the id of the journal
   * @throws IOException if the mark cannot be made durable; then the journal must not rely on it
   */
  public void raiseTo(long flushedPosition, long flushedJournalId) throws IOException {
    Path target = file;
    if (target == null || (flushedPosition <= position && state == State.CURRENT)) {
      return;
    }
    disk.replace(target, encode(flushedPosition, flushedJournalId));
    journalId = flushedJournalId;
    state = State.CURRENT;
    position = flushedPosition;
  }

  /** {@return the content of the file} */
  public static byte[] encode(long flushedPosition, long flushedJournalId) {
    byte[] bytes = new byte[LENGTH_BYTES];
    ByteBuffer.wrap(bytes).putLong(flushedPosition).putLong(flushedJournalId);
    ByteBuffer.wrap(bytes)
        .putInt(LENGTH_BYTES - Integer.BYTES, sum(bytes, LENGTH_BYTES - Integer.BYTES));
    return bytes;
  }

  private void read(Path file) {
    byte[] bytes = new byte[LENGTH_BYTES + 1];
    int count;
    try (DiskFile opened = disk.open(file, Mode.READ)) {
      count = opened.read(bytes, 0, bytes.length, 0);
    } catch (IOException e) {
      throw new DataDirectoryException(file, "The file cannot be read", e);
    }
    ByteBuffer found = ByteBuffer.wrap(bytes);
    if (new String(bytes, 0, count, StandardCharsets.ISO_8859_1).strip().equals(GIVE_UP)) {
      state = State.GIVEN_UP;
    } else if (count == LENGTH_BYTES && hasSum(bytes, count)) {
      state = State.CURRENT;
      position = found.getLong();
      journalId = found.getLong();
    } else if (count == OLD_LENGTH_BYTES && hasSum(bytes, count)) {
      state = State.OLD_FORMAT;
      position = found.getLong();
    } else {
      throw new DataDirectoryException(
          file,
          "The file is damaged; it says up to where the RocksDB database was durable. Restore it"
              + " from a copy, or remove it: the database is then compared with the journal alone",
          null);
    }
  }

  /** {@return whether the last four bytes are the checksum of the bytes before} */
  private static boolean hasSum(byte[] bytes, int length) {
    int at = length - Integer.BYTES;
    return ByteBuffer.wrap(bytes).getInt(at) == sum(bytes, at);
  }

  private static int sum(byte[] bytes, int length) {
    CRC32C sum = new CRC32C();
    sum.update(bytes, 0, length);
    return (int) sum.getValue();
  }
}
