package dev.holdfast.backend.rocksdb;

import dev.holdfast.DataDirectoryException;
import dev.holdfast.spi.JournalRecord;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.RocksDBException;

/**
 * Recovery: gives the database, in order, the batches that it lacks.
 *
 * <p>Owned by the thread that recovers.
 */
final class Redo {

  /** Redone together: one native call. */
  private static final long GROUP_BYTES = 1 << 20;

  private final Database database;
  private final Applier applier;
  private final long afterPosition;
  private final List<SealedBatch> batches = new ArrayList<>();
  private long bytes;

  /**
   * Creates a recovery.
   *
   * @param afterPosition up to which position the database has every batch
   */
  Redo(Database database, Applier applier, long afterPosition) {
    this.afterPosition = afterPosition;
    this.database = database;
    this.applier = applier;
  }

  void visit(JournalRecord record) {
    if (record.viewId() != RocksDbBackend.VIEW_ID
        || !record.kind().isBatch()
        || record.position() <= afterPosition) {
      return;
    }
    Batch batch = decode(record);
    if (batch.form() == Batch.Form.UNDO_PART) {
      return;
    }
    SealedBatch redone =
        new SealedBatch(
            record.position(),
            record.key(),
            database.prefixOf(record.key()),
            batch.form() == Batch.Form.CLEAR,
            batch.changes(),
            batch.catalog());
    batches.add(redone);
    bytes += redone.bytes();
    if (bytes >= GROUP_BYTES) {
      write();
    }
  }

  private Batch decode(JournalRecord record) {
    try {
      return Batch.decode(record.payload());
    } catch (IllegalArgumentException e) {
      throw new DataDirectoryException(
          database.directory(),
          "The journal record at position "
              + record.position()
              + " of "
              + record.key()
              + " is no RocksDB batch that this version can read: "
              + e.getMessage()
              + ". Open the directory with the version that wrote it",
          e);
    }
  }

  /** Writes what has gathered. */
  void write() {
    if (batches.isEmpty()) {
      return;
    }
    try {
      applier.redo(new SealedBatches.Durable(List.copyOf(batches), batches.getLast().position()));
    } catch (RocksDBException e) {
      throw new DataDirectoryException(
          database.directory(),
          "The RocksDB database cannot be brought up to date (" + e.getMessage() + ")",
          e);
    }
    batches.clear();
    bytes = 0;
  }
}
