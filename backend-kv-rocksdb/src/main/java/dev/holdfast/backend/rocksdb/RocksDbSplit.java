package dev.holdfast.backend.rocksdb;

import dev.holdfast.backend.rocksdb.batch.Batch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Divides the database of a data directory that no runtime has open into databases of some of its
 * objects, beside journals with their records at other positions. Changes nothing of it. Confined
 * to one thread.
 */
public final class RocksDbSplit implements AutoCloseable {

  private final DatabaseDivision database;

  private RocksDbSplit(DatabaseDivision database) {
    this.database = database;
  }

  /**
   * Opens the database.
   *
   * @param directory the directory {@code rocksdb/}
   * @param logs a directory for what RocksDB logs
   * @return the database; null if nothing was written to it
   * @throws IOException if it cannot be read
   * @throws dev.holdfast.errors.DataDirectoryException if RocksDB's library is missing
   */
  public static @Nullable RocksDbSplit open(Path directory, Path logs) throws IOException {
    if (!Files.exists(directory.resolve("CURRENT"))) {
      return null;
    }
    return new RocksDbSplit(DatabaseDivision.open(directory, logs));
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
   * Where a part of the objects goes.
   *
   * @param directory the new directory {@code rocksdb/}
   * @param mark the file beside it
   * @param journalId the id of the journal beside it
   * @param positions gives the position in that journal of the last record there that is at a
   *     position or before it
   */
  public record Target(Path directory, Path mark, long journalId, LongUnaryOperator positions) {}

  /**
   * Writes a database of the objects whose ids are in a range.
   *
   * @param target where it goes
   * @param firstId the bytes with which the range begins
   * @param endId the bytes before which it ends
   * @return the number of objects that have anything
   * @throws IOException if a database cannot be read or written
   */
  public long write(Target target, byte[] firstId, byte[] endId) throws IOException {
    return database.write(target, firstId, endId);
  }

  @Override
  public void close() {
    database.close();
  }
}
