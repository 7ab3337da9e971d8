package dev.holdfast.backend.rocksdb;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.verify.Finding;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Checks the RocksDB database of a data directory that no runtime has open. Changes nothing. {@code
 * docs/formats/rocksdb-batch.md} states what is checked.
 */
public final class RocksDbCheck {

  private RocksDbCheck() {}

  /**
   * What to check.
   *
   * @param directory the directory {@code rocksdb/}; may be missing
   * @param flushedMark the mark beside it; may be missing
   * @param records the records of the journal
   * @param lastPosition the position of the last record
   * @param isWhole whether the records are all that recovery needs
   */
  public record Source(
      Path directory, Path flushedMark, RecoveryLog records, long lastPosition, boolean isWhole) {}

  /**
   * How much was checked.
   *
   * @param objects how many objects
   * @param readBytes how many bytes of tables
   * @param lastBatches for each object, the last batch that the database has
   */
  public record Result(long objects, long readBytes, Map<ObjectKey, Long> lastBatches) {}

  /**
   * Checks the database.
   *
   * @param source what to check
   * @param scratch an empty directory for copies; deleted by its owner
   * @param isDeep whether the journal is replayed and compared with the database, key by key
   * @param findings receives what is wrong
   * @return how much was checked
   * @throws IOException if a directory cannot be read or the scratch directory not be written
   * @throws DataDirectoryException if RocksDB's library is missing
   */
  public static Result run(Source source, Path scratch, boolean isDeep, Consumer<Finding> findings)
      throws IOException {
    DatabaseCheck check = new DatabaseCheck(source, scratch, isDeep, findings);
    new FileDisk().createDirectories(scratch);
    check.run();
    return new Result(check.objects(), check.readBytes(), check.lastBatches());
  }
}
