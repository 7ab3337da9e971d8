package dev.holdfast.verify;

import dev.holdfast.archive.RestoreProgress;
import dev.holdfast.backend.rocksdb.RocksDbLibrary;
import dev.holdfast.backend.rocksdb.RocksDbSplit;
import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.catalog.CatalogSplit;
import dev.holdfast.backend.sqlite.catalog.CatalogSurvey;
import dev.holdfast.backend.sqlite.file.CatalogState;
import dev.holdfast.backend.sqlite.file.Mark;
import dev.holdfast.backend.sqlite.file.Marks;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backup.BackupDirectory;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.DirectoryReadLock;
import dev.holdfast.journal.NodeDirectory;
import dev.holdfast.journal.check.JournalCheck;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.pitr.PurgedObjects;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.verify.split.RecordShards;
import dev.holdfast.verify.split.SplitJournal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Divides the data directory of a single machine, or a backup of one, into directories of shards.
 * Each is what the directory would be after a crash if it had only the objects of the shard: their
 * files as they are, their part of the catalog, and all of their records. Only positions differ,
 * see {@code docs/adr/0082-a-directory-is-divided-by-its-records.md}. Changes nothing of the
 * directory. Confined to one thread.
 */
public final class ShardSplit implements AutoCloseable {

  private static final String SQLITE = "sqlite";
  private static final String CATALOG = "catalog.sqlite";
  private static final String ROCKSDB = "rocksdb";
  private static final String FLUSHED = "rocksdb.flushed";

  private final Disk disk;
  private final Path data;
  private final DirectoryReadLock lock;
  private final BackupDirectory.Reading backup;
  private final RecoveryLog records;
  private final long lastPosition;
  private final long begunMillis;
  private final boolean isWhole;
  private final long journalBytes;
  private final long fileBytes;

  /**
   * What a directory has.
   *
   * @param lastPosition the position of the last record of its journal; 0 if there is none
   * @param journalBytes the size of the journal
   * @param fileBytes the size of the files of the objects
   * @param isWhole whether the journal has all records that there ever were
   */
  public record Contents(long lastPosition, long journalBytes, long fileBytes, boolean isWhole) {}

  private ShardSplit(Disk disk, Path data, DirectoryReadLock lock, BackupDirectory.Reading backup)
      throws IOException {
    this.disk = disk;
    this.data = data;
    this.lock = lock;
    this.backup = backup;
    JournalCheck.Result journal = JournalCheck.requireSound(disk, data);
    this.records = journal.records();
    this.lastPosition = journal.lastPosition();
    this.begunMillis = journal.begunMillis();
    this.journalBytes = journal.readBytes();
    this.fileBytes =
        FileTree.bytesBelow(disk, data.resolve(SQLITE))
            + FileTree.bytesBelow(disk, data.resolve(ROCKSDB));
    PurgedObjects purged = PurgedObjects.in(records);
    WholeJournal.requirePurgesDone(data, purged);
    boolean isComplete = requireKnownRecords() && records.oldestPosition() == 1;
    if (WholeJournal.usesRocksDb(data, records)) {
      RocksDbLibrary.require(data.resolve(ROCKSDB));
    }
    if (fileBytes > 0) {
      WholeJournal.requireFiles(disk, data, records, lastPosition);
    }
    this.isWhole = isComplete && WholeJournal.lacking(disk, data, records, purged).isEmpty();
  }

  /** {@return whether no record was purged} */
  private boolean requireKnownRecords() {
    boolean[] isErased = {false};
    records.forEachFrom(
        0,
        record -> {
          try {
            SplitJournal.requireKnown(record);
          } catch (IllegalArgumentException e) {
            throw new DataDirectoryException(
                data, "The directory cannot be divided: " + e.getMessage(), e);
          }
          isErased[0] |= record.viewId() == RecordKind.VOID_VIEW;
        });
    return !isErased[0];
  }

  /**
   * Opens and checks a directory, all of its journal and of its files.
   *
   * @param disk where it is
   * @param data the directory, absolute
   * @return the directory, which no runtime opens until this is closed
   * @throws dev.holdfast.DirectoryInUseException if a runtime has it open
   * @throws DataDirectoryException if it is not the directory of a single machine, is damaged,
   *     cannot be read, has a purge that is not done, or has a storage of somebody else
   */
  public static ShardSplit open(Disk disk, Path data) {
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
      ShardSplit opened = new ShardSplit(disk, data, lock, backup);
      isOpened = true;
      return opened;
    } catch (IOException | IllegalArgumentException e) {
      throw new DataDirectoryException(data, "The directory cannot be read", e);
    } finally {
      if (!isOpened) {
        if (backup != null) {
          backup.close();
        }
        lock.close();
      }
    }
  }

  /** {@return what the directory has} */
  public Contents contents() {
    return new Contents(lastPosition, journalBytes, fileBytes, isWhole);
  }

  /**
   * Writes the directories of the shards. They are durable when the caller has synced them.
   *
   * @param shards the directory of each shard; missing
   * @param work an empty directory for what is needed meanwhile
   * @param random random numbers
   * @param progress hears of bytes and positions
   * @return how many records each shard has, without what was added to bind its files
   * @throws IOException if a file cannot be read or written
   * @throws dev.holdfast.DirectoryInUseException if a runtime has opened a backup meanwhile
   */
  public List<Long> write(
      List<Path> shards, Path work, LongSupplier random, RestoreProgress progress)
      throws IOException {
    long before = isWhole ? 0 : 1;
    List<Long> counts = new ArrayList<>();
    try (RecordShards places =
            new RecordShards(
                disk, work.resolve("records"), shards.size(), records.oldestPosition(), before);
        SplitJournal journals =
            new SplitJournal(
                disk,
                shards,
                places,
                before + 1,
                new SplitJournal.Source(begunMillis, records.firstPosition()),
                random)) {
      writeRecords(journals, progress);
      for (int shard = 0; shard < shards.size(); shard++) {
        counts.add(journals.records(shard));
      }
      journals.addConsumers();
      writeCatalogs(shards, journals, work);
      journals.finish();
      long objects = copyFiles(shards, progress);
      writePairs(shards, journals, work, objects, progress);
      lock.requireUnopened();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } catch (SqliteException e) {
      throw new IOException("The catalog cannot be divided: " + e.getMessage(), e);
    }
    return counts;
  }

  private void writeRecords(SplitJournal journals, RestoreProgress progress) {
    records.forEachFrom(
        0,
        record -> {
          try {
            journals.add(record);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          if (record.position() % 1024 == 0) {
            double done = record.position() - records.oldestPosition();
            double all = Math.max(1, lastPosition - records.oldestPosition());
            progress.restored(0, (long) (journalBytes * done / all), bytesMax(), record.position());
          }
        });
  }

  private long bytesMax() {
    return journalBytes + fileBytes;
  }

  private void writeCatalogs(List<Path> shards, SplitJournal journals, Path work)
      throws IOException, SqliteException {
    Path file = data.resolve(SQLITE).resolve(CATALOG);
    Marks marks = new Marks(SqliteBackend.VIEW_ID);
    records.forEach(
        (view, kind) -> view == SqliteBackend.VIEW_ID && kind == RecordKind.CHECKPOINT,
        record -> {
          if (Mark.isMark(record)) {
            marks.visit(record);
          }
        });
    if (CatalogSurvey.find(disk, file, marks) != CatalogSurvey.Found.CATALOG) {
      return; // nothing was written to it: all is in the journal
    }
    ShardMap map = new ShardMap(shards.size());
    try (CatalogSurvey catalog = CatalogSurvey.open(disk, file, work)) {
      for (int shard = 0; shard < shards.size(); shard++) {
        Path directory = shards.get(shard).resolve(SQLITE);
        disk.ensureDirectory(directory);
        CatalogState state =
            CatalogSplit.write(
                catalog,
                disk,
                directory.resolve(CATALOG),
                map.firstIds(shard),
                map.firstIds(shard + 1),
                journals.placesOf(shard));
        journals.addCatalog(shard, state);
      }
    }
  }

  private long copyFiles(List<Path> shards, RestoreProgress progress) throws IOException {
    ShardMap map = new ShardMap(shards.size());
    List<ObjectFiles> targets =
        shards.stream().map(each -> new ObjectFiles(disk, each.resolve(SQLITE))).toList();
    long[] done = {0, journalBytes};
    new ObjectFiles(disk, data.resolve(SQLITE))
        .forEach(
            (key, file) -> {
              int shard = map.shardOf(key.id());
              Path target = targets.get(shard).database(key);
              Path directory = Objects.requireNonNull(target.getParent());
              if (!disk.exists(directory)) {
                disk.ensureDirectory(shards.get(shard).resolve(SQLITE));
                disk.createDirectories(Objects.requireNonNull(directory.getParent()));
                disk.createDirectories(directory);
              }
              FileTree.copyFile(disk, file, target);
              done[0]++;
              done[1] += FileTree.sizeOf(disk, target);
              progress.restored(done[0], done[1], bytesMax(), lastPosition);
              return true;
            });
    return done[0];
  }

  private void writePairs(
      List<Path> shards, SplitJournal journals, Path work, long objects, RestoreProgress progress)
      throws IOException {
    if (!disk.exists(data.resolve(ROCKSDB))) {
      return;
    }
    Path logs = work.resolve("logs");
    disk.createDirectories(logs);
    ShardMap map = new ShardMap(shards.size());
    long found = objects;
    try (RocksDbSplit database = RocksDbSplit.open(data.resolve(ROCKSDB), logs)) {
      for (int shard = 0; shard < shards.size(); shard++) {
        Path directory = shards.get(shard).resolve(ROCKSDB);
        disk.ensureDirectory(directory); // it says that the journal has such records
        if (database != null) {
          found +=
              database.write(
                  new RocksDbSplit.Target(
                      directory,
                      shards.get(shard).resolve(FLUSHED),
                      journals.journalId(shard),
                      journals.placesOf(shard)),
                  map.firstIds(shard),
                  map.firstIds(shard + 1));
          progress.restored(found, bytesMax(), bytesMax(), lastPosition);
        }
      }
    }
  }

  @Override
  public void close() {
    try {
      backup.close();
    } finally {
      lock.close();
    }
  }
}
