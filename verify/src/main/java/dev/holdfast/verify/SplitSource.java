package dev.holdfast.verify;

import dev.holdfast.backend.rocksdb.RocksDbLibrary;
import dev.holdfast.backend.rocksdb.RocksDbSplit;
import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.catalog.CatalogSurvey;
import dev.holdfast.backend.sqlite.file.Mark;
import dev.holdfast.backend.sqlite.file.Marks;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backup.BackupDirectory;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.DirectoryReadLock;
import dev.holdfast.journal.NodeDirectory;
import dev.holdfast.journal.check.JournalCheck;
import dev.holdfast.journal.check.RecordCursor;
import dev.holdfast.journal.file.VoidRecord;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.journal.shard.StoppedReplica;
import dev.holdfast.pitr.PurgedObjects;
import dev.holdfast.runtime.MovedConsumers;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.verify.split.SplitJournal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A directory that is divided, checked: of a single machine, or a restored shard. Confined to one
 * thread.
 */
final class SplitSource implements AutoCloseable {

  private final Disk disk;
  private final Path data;
  private final @Nullable DirectoryReadLock lock;
  private final BackupDirectory.@Nullable Reading backup;
  private final JournalCheck.Result journal;
  private final Owned owned;
  private final long fileBytes;
  private final boolean isWhole;
  private final SplitJournal.Source read;
  private long lastMillis;

  /**
   * The objects of a shard.
   *
   * @param shard the number of the shard, from 0
   * @param shards how many there are
   */
  record Owned(int shard, int shards) {

    /** Requires that an object is of the shard. */
    void require(ObjectKey key) {
      if (new ShardMap(shards).shardOf(key.id()) != shard) {
        throw new IllegalArgumentException(key + " is of another shard than " + shard);
      }
    }
  }

  private SplitSource(
      Disk disk,
      Path data,
      @Nullable DirectoryReadLock lock,
      BackupDirectory.@Nullable Reading backup,
      JournalCheck.Result journal,
      Owned owned)
      throws IOException {
    this.disk = disk;
    this.data = data;
    this.lock = lock;
    this.backup = backup;
    this.journal = journal;
    this.owned = owned;
    this.fileBytes =
        FileTree.bytesBelow(disk, data.resolve(ShardSplit.SQLITE))
            + FileTree.bytesBelow(disk, data.resolve(ShardSplit.ROCKSDB));
    RecoveryLog records = journal.records();
    PurgedObjects purged = PurgedObjects.in(records);
    WholeJournal.requirePurgesDone(
        data,
        purged,
        lock == null
            ? "Restore the cluster with the same number of shards, and open it until that is done;"
                + " what it archives then can be restored with another number"
            : WholeJournal.OPEN_ONCE);
    MovedConsumers.Places consumers = new MovedConsumers.Places(records.oldestPosition());
    boolean isComplete = visitRecords(consumers) && records.oldestPosition() == 1;
    if (WholeJournal.usesRocksDb(data, records)) {
      RocksDbLibrary.require(data.resolve(ShardSplit.ROCKSDB));
    }
    if (fileBytes > 0) {
      WholeJournal.requireFiles(disk, data, records, journal.lastPosition());
    }
    this.isWhole = isComplete && WholeJournal.lacking(disk, data, records, purged).isEmpty();
    this.read =
        new SplitJournal.Source(records.oldestPosition(), records.firstPosition(), consumers);
  }

  /** {@return whether no record was purged} */
  private boolean visitRecords(MovedConsumers.Places consumers) {
    boolean[] isErased = {false};
    journal
        .records()
        .forEachFrom(
            0,
            record -> {
              try {
                SplitJournal.requireKnown(record, owned.shards() == 1);
                if (!record.key().equals(VoidRecord.NO_OBJECT)) {
                  owned.require(record.key());
                }
                if (isConsumer(record)) {
                  consumers.add(record.payload());
                }
              } catch (IllegalArgumentException e) {
                throw new DataDirectoryException(
                    data, "The directory cannot be divided: " + e.getMessage(), e);
              }
              isErased[0] |= record.isErased();
              if (record.wallMillis() > 0) { // else only one node had it
                lastMillis = record.wallMillis();
              }
            });
    return !isErased[0];
  }

  private static boolean isConsumer(JournalRecord record) {
    return record.viewId() == Journal.EVENTS_VIEW_ID && record.key().equals(VoidRecord.NO_OBJECT);
  }

  /** {@return the directory of a single machine, see {@link ShardSplit#open}} */
  static SplitSource ofMachine(Disk disk, Path data) {
    NodeDirectory.refuseToRestore(disk, data);
    if (!disk.exists(data.resolve("journal"))) {
      throw new DataDirectoryException(
          data, "The directory has no journal; name a data directory or a backup", null);
    }
    DirectoryReadLock lock = DirectoryReadLock.acquire(data);
    BackupDirectory.@Nullable Reading backup = null;
    boolean isOpened = false;
    try {
      backup = new BackupDirectory(disk, data).read();
      JournalCheck.Result journal = JournalCheck.requireSound(disk, data);
      SplitSource opened = new SplitSource(disk, data, lock, backup, journal, new Owned(0, 1));
      isOpened = true;
      return opened;
    } catch (IOException | IllegalArgumentException e) {
      throw unreadable(data, e);
    } finally {
      if (!isOpened) {
        if (backup != null) {
          backup.close();
        }
        lock.close();
      }
    }
  }

  /** {@return a shard, see {@link ShardSplit#ofShards}} */
  static SplitSource ofShard(Disk disk, Path data, Owned owned) {
    StoppedReplica replica = StoppedReplica.read(disk, data);
    if (replica == null) {
      throw new DataDirectoryException(data, "The directory has no shard", null);
    }
    try {
      List<Finding> findings = new ArrayList<>();
      JournalCheck.Result journal = replica.check(findings::add);
      JournalCheck.requireSound(data, findings);
      return new SplitSource(disk, data, /* lock= */ null, /* backup= */ null, journal, owned);
    } catch (IOException | IllegalArgumentException e) {
      throw unreadable(data, e);
    }
  }

  private static DataDirectoryException unreadable(Path data, Exception e) {
    return new DataDirectoryException(data, "The directory cannot be read", e);
  }

  /** {@return its journal, as it is read} */
  SplitJournal.Source read() {
    return read;
  }

  /** {@return reads its records} */
  RecordCursor records() {
    return journal.records().cursor();
  }

  /** {@return the position of its last record; 0 if there is none} */
  long lastPosition() {
    return journal.lastPosition();
  }

  /** {@return whether its journal has all records that there ever were} */
  boolean isWhole() {
    return isWhole;
  }

  /** {@return since when its journal has all that was written; the least long for ever} */
  long begunMillis() {
    return read.oldestPosition() == 1 ? Long.MIN_VALUE : journal.begunMillis();
  }

  /** {@return when its first segment was begun} */
  long firstMillis() {
    return journal.begunMillis();
  }

  /** {@return the time of its last record} */
  long lastMillis() {
    return lastMillis;
  }

  /** Requires that it does not end after a time by more than some. */
  void requireNotAfter(long millis, long allowedMillis) {
    if (lastMillis - allowedMillis > millis) {
      throw new DataDirectoryException(
          data,
          "The last record was written at "
              + Instant.ofEpochMilli(lastMillis)
              + ", which is in the future by the clock of this machine. The records of several"
              + " shards are put together by their times. Set the clock, or wait until then, and"
              + " repeat this; nothing was changed",
          null);
    }
  }

  /** {@return the size of the journal} */
  long journalBytes() {
    return journal.readBytes();
  }

  /** {@return the size of the files of the objects} */
  long fileBytes() {
    return fileBytes;
  }

  /** Passes on the databases of objects. */
  void forEachFile(ObjectFiles.Visitor visitor) throws IOException {
    new ObjectFiles(disk, data.resolve(ShardSplit.SQLITE))
        .forEach(
            (key, file) -> {
              try {
                owned.require(key);
              } catch (IllegalArgumentException e) {
                throw new DataDirectoryException(
                    file, "The directory cannot be divided: " + e.getMessage(), e);
              }
              return visitor.visit(key, file);
            });
  }

  /** {@return whether objects may be in RocksDB} */
  boolean hasPairs() {
    return disk.exists(data.resolve(ShardSplit.ROCKSDB));
  }

  /** {@return whether something was written to RocksDB's files} */
  boolean hasDatabase() {
    return RocksDbSplit.isIn(data.resolve(ShardSplit.ROCKSDB));
  }

  /** {@return the pairs} */
  RocksDbSplit openPairs(Path logs) throws IOException {
    return RocksDbSplit.open(data.resolve(ShardSplit.ROCKSDB), logs);
  }

  /** The journal may have dropped the record that says so. */
  void requireNotGivenUp(Path logs) throws IOException {
    if (hasDatabase()) {
      try (RocksDbSplit pairs = openPairs(logs)) {
        if (pairs.isGivenUp()) {
          throw new DataDirectoryException(
              data.resolve(ShardSplit.ROCKSDB),
              "Data in RocksDB was given up, of objects of this shard alone: restore it with the"
                  + " same number of shards",
              null);
        }
      }
    }
  }

  private Path catalog() {
    return data.resolve(ShardSplit.SQLITE).resolve(ShardSplit.CATALOG);
  }

  /** {@return the catalog} */
  CatalogSurvey openCatalog(Path scratch) throws IOException, SqliteException {
    return CatalogSurvey.open(disk, catalog(), scratch);
  }

  /** {@return whether something was written to the catalog; reads the journal} */
  boolean hasCatalog() throws IOException {
    Marks marks = new Marks(SqliteBackend.VIEW_ID);
    journal
        .records()
        .forEach(
            (view, kind) -> view == SqliteBackend.VIEW_ID && kind == RecordKind.CHECKPOINT,
            record -> {
              if (Mark.isMark(record)) {
                marks.visit(record);
              }
            });
    return CatalogSurvey.find(disk, catalog(), marks) == CatalogSurvey.Found.CATALOG;
  }

  /** Requires that no runtime has opened it meanwhile. */
  void requireUnopened() {
    if (lock != null) {
      lock.requireUnopened();
    }
  }

  @Override
  public void close() {
    try {
      if (backup != null) {
        backup.close();
      }
    } finally {
      if (lock != null) {
        lock.close();
      }
    }
  }
}
