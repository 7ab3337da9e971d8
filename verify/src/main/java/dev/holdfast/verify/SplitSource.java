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
  private final boolean hasCatalog;
  private long lastMillis;

  /**
   * The objects of a shard.
   *
   * @param shard the number of the shard, from 0
   * @param map divides all objects among the shards
   */
  record Owned(int shard, ShardMap map) {

    /** Requires that an object, which was found in a file or below a directory, is of the shard. */
    void require(Path file, ObjectKey key) {
      if (map.shardOf(key.id()) != shard) {
        throw new DataDirectoryException(
            file,
            "The directory cannot be divided: "
                + key
                + " is of another shard than "
                + shard
                + "; nothing was changed",
            null);
      }
    }

    boolean isAlone() {
      return map.shardCount() == 1;
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
    Marks marks = new Marks(SqliteBackend.VIEW_ID);
    boolean isComplete = visitRecords(consumers, marks) && records.oldestPosition() == 1;
    this.hasCatalog = CatalogSurvey.find(disk, catalog(), marks) == CatalogSurvey.Found.CATALOG;
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
  private boolean visitRecords(MovedConsumers.Places consumers, Marks marks) {
    boolean[] isErased = {false};
    RecoveryLog records = journal.records();
    records.forEachFrom(
        0,
        record -> {
          try {
            SplitJournal.requireKnown(record, owned.isAlone());
            if (isConsumer(record)) {
              consumers.add(record.payload());
            } else if (!record.key().equals(VoidRecord.NO_OBJECT)) {
              owned.require(data, record.key());
            } else if (record.position() >= records.firstPosition() && isMark(record)) {
              marks.visit(record);
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

  private static boolean isMark(JournalRecord record) {
    return record.viewId() == SqliteBackend.VIEW_ID
        && record.kind() == RecordKind.CHECKPOINT
        && Mark.isMark(record);
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
      SplitSource opened =
          new SplitSource(disk, data, lock, backup, journal, new Owned(0, new ShardMap(1)));
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

  /**
   * {@return since when it has all that was written} As an open journal says it: a segment that was
   * begun in the future does not count, unless all were.
   */
  long begunMillis(long nowMillis) {
    List<Long> begun = journal.begunMillis();
    long first = begun.isEmpty() ? 0 : begun.getFirst();
    return begun.stream().filter(each -> each <= nowMillis).findFirst().orElse(first);
  }

  /** {@return the time of its last record} */
  long lastMillis() {
    return lastMillis;
  }

  /** {@return the directory} */
  Path data() {
    return data;
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
              owned.require(file, key);
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

  /**
   * Requires what records say that the journal may have dropped: its files have the objects of its
   * shard alone, each with its namespace, and one of several shards gave nothing up.
   */
  void requireOwn(Path scratch) throws IOException, SqliteException {
    forEachFile((_, _) -> true);
    if (hasCatalog) {
      try (CatalogSurvey catalog = openCatalog(scratch)) {
        catalog.objects().forEach(key -> owned.require(catalog(), key));
        catalog.savedObjects().forEach(key -> owned.require(catalog(), key));
      }
    }
    if (hasDatabase()) {
      Path directory = data.resolve(ShardSplit.ROCKSDB);
      try (RocksDbSplit pairs = openPairs(scratch)) {
        pairs.forEachObject(key -> owned.require(directory, key));
        if (pairs.isGivenUp() && !owned.isAlone()) {
          throw new DataDirectoryException(
              directory,
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

  /** {@return whether something was written to the catalog} */
  boolean hasCatalog() {
    return hasCatalog;
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
