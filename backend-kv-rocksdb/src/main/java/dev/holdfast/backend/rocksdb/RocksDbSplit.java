package dev.holdfast.backend.rocksdb;

import dev.holdfast.backend.rocksdb.batch.Batch;
import dev.holdfast.backend.rocksdb.database.ReadOnlyDatabase;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecoveryLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Divides the databases of data directories that no runtime has open into databases of some of
 * their objects, beside journals with their records at other positions. Changes nothing of them.
 * Confined to one thread.
 */
public final class RocksDbSplit implements AutoCloseable {

  private final ReadOnlyDatabase database;

  private RocksDbSplit(ReadOnlyDatabase database) {
    this.database = database;
  }

  /**
   * {@return whether there is a database; else nothing was written to it}
   *
   * @param directory the directory {@code rocksdb/}
   */
  public static boolean isIn(Path directory) {
    return Files.exists(directory.resolve("CURRENT"));
  }

  /**
   * Opens the database.
   *
   * @param directory the directory {@code rocksdb/}
   * @param logs a directory for what RocksDB logs
   * @return the database
   * @throws IOException if it cannot be read
   * @throws dev.holdfast.errors.DataDirectoryException if RocksDB's library is missing
   */
  public static RocksDbSplit open(Path directory, Path logs) throws IOException {
    return new RocksDbSplit(DatabaseDivision.read(directory, logs));
  }

  /**
   * Returns the payload of a batch, or of a part of one, with the position of its first part as it
   * is in another journal.
   *
   * @param payload the payload; not changed
   * @param positions gives the position in the other journal
   * @return the payload in the other journal; the same if it names no position
   * @throws IllegalArgumentException if it is not a batch of this version
   */
  public static ByteBuffer moved(ByteBuffer payload, LongUnaryOperator positions) {
    if (!Batch.isInParts(payload)) {
      return payload;
    }
    Batch batch = Batch.decode(payload);
    return new Batch(positions.applyAsLong(batch.firstPart()), batch.catalog()).encode();
  }

  /**
   * Where objects go.
   *
   * @param directory the new directory {@code rocksdb/}
   * @param mark the file beside it
   * @param journalId the id of the journal beside it
   * @param lacking what the journal has that the new database must get; null for nothing
   */
  public record Target(Path directory, Path mark, long journalId, @Nullable Lacking lacking) {}

  /**
   * Records that may not be in the databases that are divided.
   *
   * @param records the journal beside the new database
   * @param lastPosition its last record
   */
  public record Lacking(RecoveryLog records, long lastPosition) {}

  /** Opens a database when it is needed. */
  @FunctionalInterface
  public interface Source {

    /**
     * {@return the database, open until the next one is opened}
     *
     * @throws IOException if it cannot be read
     */
    RocksDbSplit open() throws IOException;
  }

  /**
   * A database that is read.
   *
   * @param source opens it
   * @param positions gives the position in the new journal of the last record there that is at a
   *     position of the journal beside this database, or before it
   */
  public record Part(Source source, LongUnaryOperator positions) {

    /** {@return where the new journal has what is here at a position} */
    long moved(long position) {
      return positions.applyAsLong(position);
    }
  }

  /**
   * Writes a database of the objects whose ids are in a range.
   *
   * @param target where it goes
   * @param parts the databases that have them; several have no object in common, and gave nothing
   *     up
   * @param firstId the bytes with which the range begins
   * @param endId the bytes before which it ends
   * @return the number of objects that have anything
   * @throws IOException if a database cannot be read or written
   */
  public static long write(Target target, List<Part> parts, byte[] firstId, byte[] endId)
      throws IOException {
    try (DatabaseDivision made = DatabaseDivision.begin(target)) {
      for (Part each : parts) {
        made.add(each, firstId, endId);
      }
      return made.end();
    }
  }

  /**
   * {@return whether earlier data of its objects was given up: it cannot be beside other databases}
   *
   * @throws IOException if it cannot be read
   */
  public boolean isGivenUp() throws IOException {
    return DatabaseDivision.isGivenUp(database);
  }

  /**
   * Passes on all objects that it has or had.
   *
   * @param visitor receives them, without names
   * @throws IOException if it cannot be read
   */
  public void forEachObject(Consumer<ObjectKey> visitor) throws IOException {
    DatabaseDivision.forEachObject(database, visitor);
  }

  /** {@return the database} */
  ReadOnlyDatabase database() {
    return database;
  }

  @Override
  public void close() {
    database.close();
  }
}
