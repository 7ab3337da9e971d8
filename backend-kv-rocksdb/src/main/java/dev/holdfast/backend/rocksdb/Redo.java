package dev.holdfast.backend.rocksdb;

import dev.holdfast.backend.rocksdb.batch.Batch;
import dev.holdfast.backend.rocksdb.batch.SealedBatch;
import dev.holdfast.backend.rocksdb.batch.SealedBatches;
import dev.holdfast.backend.rocksdb.database.Database;
import dev.holdfast.backend.rocksdb.file.RocksDbBounds;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.verify.ObjectChains;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.RocksDBException;

/**
 * Recovery: writes to the database, in order, the batches that it lacks.
 *
 * <p>Owned by the thread that recovers.
 */
final class Redo {

  private final Database database;
  private final Receiver receiver;
  private final RecoveryLog log;
  private final long afterPosition;
  private final List<SealedBatch> batches = new ArrayList<>();
  private ObjectChains chains = new ObjectChains(this::lastBatch);
  private long bytes;

  /** Writes what is redone. */
  interface Receiver {

    /** Writes batches. */
    void redo(SealedBatches.Durable group) throws RocksDBException;

    /** Writes a part of a batch; the database does not have the batch yet. */
    void redoPart(SealedBatch part) throws RocksDBException;

    /** Records that a record was redone that is not a batch. */
    void redone(long position);
  }

  /**
   * Creates a recovery.
   *
   * @param log has the parts of batches
   * @param afterPosition the position up to which the database has every batch
   */
  Redo(Database database, Receiver receiver, RecoveryLog log, long afterPosition) {
    this.log = log;
    this.afterPosition = afterPosition;
    this.database = database;
    this.receiver = receiver;
  }

  void visit(JournalRecord record) {
    if (record.position() > afterPosition && record.isErased()) {
      throw new DataDirectoryException(
          database.directory(),
          "The RocksDB database has changes up to journal position "
              + afterPosition
              + ", and a later record of the journal, at position "
              + record.position()
              + ", was erased by the purge of a history. Restore the whole data directory from one"
              + " copy",
          null);
    }
    if (record.position() > afterPosition && RocksDbBackend.isGivenUpBy(record)) {
      write();
      database.beginAt(record.position());
      receiver.redone(record.position());
      chains = new ObjectChains(this::lastBatch);
    }
    if (record.viewId() != RocksDbBackend.VIEW_ID
        || !record.kind().isBatch()
        || record.position() <= afterPosition) {
      return;
    }
    chains.visit(record);
    Batch batch = decode(record);
    if (batch.form() == Batch.Form.IN_PARTS) {
      redoParts(record, batch.firstPart());
    }
    SealedBatch redone =
        new SealedBatch(
            record.position(),
            record.key(),
            database.prefixOf(record.key()),
            batch.form() == Batch.Form.CLEAR,
            batch.changes(),
            batch.catalog(),
            batch.firstPart());
    batches.add(redone);
    bytes += redone.bytes();
    if (bytes >= RocksDbBounds.REDO_GROUP_BYTES) {
      write();
    }
  }

  private Long lastBatch(ObjectKey key) {
    try {
      return database.lastBatchOf(database.prefixOf(key));
    } catch (RocksDBException e) {
      throw new DataDirectoryException(
          database.directory(), "The RocksDB database cannot be read: " + e.getMessage(), e);
    }
  }

  /** Redoes the parts of a batch, which may not fit into memory. */
  private void redoParts(JournalRecord last, long firstPart) {
    if (firstPart < log.oldestPosition()) {
      throw new DataDirectoryException(
          database.directory(),
          "The RocksDB database lacks the batch at journal position "
              + last.position()
              + " of "
              + last.key()
              + ", whose parts begin at "
              + firstPart
              + ", and the journal keeps records from "
              + log.oldestPosition()
              + " on only. Restore the whole data directory from one copy",
          null);
    }
    write(); // what was sealed before
    ObjectChains.Parts parts = new ObjectChains.Parts(last);
    log.forEachFrom(
        firstPart,
        (viewId, kind) -> viewId == RocksDbBackend.VIEW_ID && kind == RecordKind.UNDO_PART,
        record -> {
          if (record.position() < last.position() && record.key().equals(last.key())) {
            parts.visit(record);
            redoPart(record, firstPart);
          }
        });
    parts.end();
  }

  private void redoPart(JournalRecord record, long firstPart) {
    Batch part = decode(record);
    if (part.form() == Batch.Form.PART) {
      try {
        receiver.redoPart(
            new SealedBatch(
                record.position(),
                record.key(),
                database.prefixOf(record.key()),
                /* clears= */ false,
                part.changes(),
                /* catalog= */ null,
                firstPart));
      } catch (RocksDBException e) {
        throw notWritable(e);
      }
    }
  }

  private DataDirectoryException notWritable(RocksDBException e) {
    return new DataDirectoryException(
        database.directory(),
        "The RocksDB database cannot be brought up to date (" + e.getMessage() + ")",
        e);
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
              + " is not a RocksDB batch that this version can read: "
              + e.getMessage()
              + ". Open the directory with the version that wrote it",
          e);
    }
  }

  /** Writes the collected batches. */
  void write() {
    if (batches.isEmpty()) {
      return;
    }
    try {
      receiver.redo(new SealedBatches.Durable(List.copyOf(batches), batches.getLast().position()));
    } catch (RocksDBException e) {
      throw notWritable(e);
    }
    batches.clear();
    bytes = 0;
  }
}
