package dev.holdfast.backend.rocksdb;

import dev.holdfast.backend.rocksdb.file.NativeLibrary;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecoveryLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.LongUnaryOperator;

/**
 * Takes all pairs out of a database whose journal is damaged, as batches for another journal: the
 * state of the database, and the batches after it up to the damage. Changes nothing.
 */
public final class RocksDbSalvage {

  private RocksDbSalvage() {}

  /**
   * What to read.
   *
   * @param directory the directory {@code rocksdb/}; may be missing
   * @param records all records that can be read, with gaps
   * @param gapAfter returns the first position above its argument that cannot be read; the largest
   *     long if there is none
   */
  public record Source(Path directory, RecoveryLog records, LongUnaryOperator gapAfter) {}

  /** Receives the batches, in the order in which they are to be appended. */
  @FunctionalInterface
  public interface Appender {

    /**
     * Appends a record of kind <em>batch</em>.
     *
     * @param viewId the view of the record
     * @param key the object
     * @param payload the batch
     */
    void append(int viewId, ObjectKey key, ByteBuffer payload);
  }

  /**
   * The result.
   *
   * @param objects how many objects were taken
   * @param position the position of the last batch that the objects have
   * @param lacking objects with batches after the damage that cannot be applied, and how many
   */
  public record Result(long objects, long position, Map<ObjectKey, Integer> lacking) {}

  /**
   * Takes the pairs.
   *
   * @param source what to read
   * @param scratch an empty directory; deleted by its owner
   * @param appender receives the batches
   * @return what was taken
   * @throws IOException if the database cannot be read; what the appender got is not all
   */
  public static Result run(Source source, Path scratch, Appender appender) throws IOException {
    Files.createDirectories(scratch);
    boolean hasDatabase = Files.exists(source.directory().resolve("CURRENT"));
    NativeLibrary.load(source.directory());
    return new PairsSalvage(source, scratch, appender).run(hasDatabase);
  }
}
