package dev.holdfast.verify;

import dev.holdfast.archive.RestoreProgress;
import dev.holdfast.backend.rocksdb.RocksDbSplit;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.catalog.CatalogSplit;
import dev.holdfast.backend.sqlite.catalog.CatalogSurvey;
import dev.holdfast.backend.sqlite.file.CatalogState;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.check.JournalCheck;
import dev.holdfast.journal.file.JournalBounds;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.verify.split.MergedRecords;
import dev.holdfast.verify.split.SplitJournal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * Divides the data directory of a single machine, or a backup of one, or the restored shards of a
 * cluster, into directories of shards. Each is what one directory would be after a crash if it had
 * only the objects of the shard: their files as they are, their part of the catalog, and all of
 * their records. Only positions differ, see {@code docs/records/smaller-decisions.md, 82}. Changes
 * nothing of the sources. Confined to one thread.
 */
public final class ShardSplit implements AutoCloseable {

  static final String CATALOG = "catalog.sqlite";
  static final String SQLITE = "sqlite";
  static final String ROCKSDB = "rocksdb";

  private static final String FLUSHED = "rocksdb.flushed";

  /** How far clocks of machines may differ. */
  private static final long CLOCK_MILLIS_MAX = 300_000;

  private final Disk disk;
  private final List<SplitSource> sources;
  private final boolean isWhole;
  private final long lastPosition;
  private final long journalBytes;
  private final long fileBytes;

  /**
   * What is divided.
   *
   * @param lastPosition the position of the last record of its journal; of all journals together,
   *     how many there may be
   * @param journalBytes the size of the journals
   * @param fileBytes the size of the files of the objects
   * @param isWhole whether the journals have all records that there ever were
   */
  public record Contents(long lastPosition, long journalBytes, long fileBytes, boolean isWhole) {}

  private ShardSplit(Disk disk, List<SplitSource> sources) {
    this.disk = disk;
    this.sources = sources;
    this.isWhole = sources.stream().allMatch(SplitSource::isWhole);
    this.lastPosition = sources.stream().mapToLong(SplitSource::lastPosition).sum();
    this.journalBytes = sources.stream().mapToLong(SplitSource::journalBytes).sum();
    this.fileBytes = sources.stream().mapToLong(SplitSource::fileBytes).sum();
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
    return new ShardSplit(disk, List.of(SplitSource.ofMachine(disk, data)));
  }

  /**
   * Opens and checks the shards of a cluster, all of their journals and of their files.
   *
   * @param disk where they are
   * @param shards the directories of all shards, in their order, which nobody else uses
   * @return the shards
   * @throws DataDirectoryException if one is damaged, cannot be read, has objects of another shard,
   *     has a purge that is not done, has a storage of somebody else, or is one of several and gave
   *     up data in RocksDB
   */
  public static ShardSplit ofShards(Disk disk, List<Path> shards) {
    List<SplitSource> sources = new ArrayList<>();
    ShardMap map = new ShardMap(shards.size());
    for (Path each : shards) {
      sources.add(SplitSource.ofShard(disk, each, new SplitSource.Owned(sources.size(), map)));
    }
    return new ShardSplit(disk, List.copyOf(sources));
  }

  /**
   * Requires that one of several shards does not end after the present by more than clocks may
   * differ.
   *
   * @param data its directory, or the one that it will have
   * @param lastMillis when its last record was written, milliseconds since 1970
   * @param nowMillis the time
   * @throws DataDirectoryException if it ends later
   */
  public static void requireNotAfter(Path data, long lastMillis, long nowMillis) {
    if (lastMillis - CLOCK_MILLIS_MAX > nowMillis) {
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

  /** {@return what is divided} */
  public Contents contents() {
    return new Contents(lastPosition, journalBytes, fileBytes, isWhole);
  }

  /**
   * Writes the directories of the shards. They are durable when the caller has synced them.
   *
   * @param shards the directory of each shard; missing
   * @param work an empty directory for what is needed meanwhile
   * @param nowMillis the time, milliseconds since 1970
   * @param random random numbers
   * @param progress hears of bytes and positions
   * @return how many records each shard has, without what was added to bind its files
   * @throws IOException if a file cannot be read or written
   * @throws dev.holdfast.DirectoryInUseException if a runtime has opened a backup meanwhile
   * @throws DataDirectoryException if there are several shards, and one has records of later than
   *     the time, has objects of another shard in its files, or gave up data in RocksDB
   */
  public List<Long> write(
      List<Path> shards, Path work, long nowMillis, LongSupplier random, RestoreProgress progress)
      throws IOException {
    long present = present(nowMillis);
    Path scratch = work.resolve("scratch");
    disk.createDirectories(scratch);
    List<Long> counts = new ArrayList<>();
    ShardMap map = new ShardMap(shards.size());
    List<SplitJournal.Target> targets = new ArrayList<>();
    for (Path each : shards) {
      List<Integer> its = sourcesOf(map, targets.size());
      targets.add(new SplitJournal.Target(each, begunMillis(its, present), its));
    }
    try (SplitJournal journals = begin(targets, work, scratch, random)) {
      writeRecords(journals, present, progress);
      for (int shard = 0; shard < shards.size(); shard++) {
        counts.add(journals.records(shard));
      }
      journals.addConsumers();
      writeCatalogs(shards, map, journals, scratch);
      journals.finish();
      long objects = copyFiles(shards, map, progress);
      writePairs(shards, map, journals, scratch, objects, progress);
      sources.forEach(SplitSource::requireUnopened);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } catch (SqliteException e) {
      throw new IOException("The catalog cannot be divided: " + e.getMessage(), e);
    }
    return counts;
  }

  private SplitJournal begin(
      List<SplitJournal.Target> targets, Path work, Path scratch, LongSupplier random)
      throws IOException, SqliteException {
    for (SplitSource each : sources) { // an object that two have would get the state of any
      each.requireOwn(scratch);
    }
    List<SplitJournal.Source> read = sources.stream().map(SplitSource::read).toList();
    return new SplitJournal(
        disk, read, targets, isWhole, JournalBounds.COPIED_SEGMENT_BYTES, work, random);
  }

  /** {@return the numbers of the sources that may have objects of a shard} */
  private List<Integer> sourcesOf(ShardMap map, int shard) {
    ShardMap old = new ShardMap(sources.size());
    List<Integer> found = new ArrayList<>();
    for (int source = 0; source < sources.size(); source++) {
      if (Arrays.compareUnsigned(old.firstIds(source), map.firstIds(shard + 1)) < 0
          && Arrays.compareUnsigned(map.firstIds(shard), old.firstIds(source + 1)) < 0) {
        found.add(source);
      }
    }
    return found;
  }

  /**
   * {@return since when a shard has all that was written} Nothing was before the first record of a
   * source that has it; of the others, the last one counts.
   */
  private long begunMillis(List<Integer> numbers, long present) {
    List<SplitSource> its =
        numbers.stream().map(sources::get).filter(each -> each.lastPosition() > 0).toList();
    return its.stream()
        .filter(each -> each.read().oldestPosition() > 1)
        .mapToLong(each -> each.begunMillis(present))
        .max()
        .orElseGet(() -> its.stream().mapToLong(each -> each.begunMillis(present)).min().orElse(0));
  }

  /**
   * {@return a time that no source ends after} Times after it order nothing. So it must not be too
   * early, where they order the records of several sources.
   */
  private long present(long nowMillis) {
    long present = nowMillis;
    for (SplitSource each : sources) {
      if (sources.size() > 1) {
        requireNotAfter(each.data(), each.lastMillis(), nowMillis);
      }
      present = Math.max(present, each.lastMillis());
    }
    return present;
  }

  private void writeRecords(SplitJournal journals, long nowMillis, RestoreProgress progress)
      throws IOException {
    long[] done = {0};
    try (MergedRecords records =
        new MergedRecords(sources.stream().map(SplitSource::records).toList(), nowMillis)) {
      records.forEach(
          (source, record, millis) -> {
            journals.add(source, record, millis);
            if (++done[0] % 1024 == 0) {
              double part = Math.min(1, (double) done[0] / Math.max(1, recordsMax()));
              progress.restored(0, (long) (journalBytes * part), bytesMax(), done[0]);
            }
          });
    }
  }

  private long recordsMax() {
    return sources.stream()
        .mapToLong(each -> each.lastPosition() - each.read().oldestPosition() + 1)
        .sum();
  }

  private long bytesMax() {
    return journalBytes + fileBytes;
  }

  private void writeCatalogs(List<Path> shards, ShardMap map, SplitJournal journals, Path scratch)
      throws IOException, SqliteException {
    List<Integer> known = new ArrayList<>();
    for (int source = 0; source < sources.size(); source++) {
      if (sources.get(source).hasCatalog()) { // else all is in the journal
        known.add(source);
      }
    }
    try (OpenSource<CatalogSurvey, SqliteException> catalogs =
        new OpenSource<>(
            source -> sources.get(source).openCatalog(scratch), CatalogSurvey::close)) {
      for (int shard = 0; shard < shards.size(); shard++) {
        List<CatalogSplit.Part> parts = new ArrayList<>();
        for (int source : sourcesOf(map, shard)) {
          if (known.contains(source)) {
            parts.add(
                new CatalogSplit.Part(() -> catalogs.of(source), journals.places(source, shard)));
          }
        }
        if (!parts.isEmpty()) {
          Path directory = shards.get(shard).resolve(SQLITE);
          disk.ensureDirectory(directory);
          CatalogState state =
              CatalogSplit.write(
                  parts,
                  disk,
                  directory.resolve(CATALOG),
                  map.firstIds(shard),
                  map.firstIds(shard + 1));
          journals.addCatalog(shard, state);
        }
      }
    }
  }

  private long copyFiles(List<Path> shards, ShardMap map, RestoreProgress progress)
      throws IOException {
    List<ObjectFiles> targets =
        shards.stream().map(each -> new ObjectFiles(disk, each.resolve(SQLITE))).toList();
    long[] done = {0, journalBytes};
    for (SplitSource source : sources) {
      source.forEachFile(
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
    }
    return done[0];
  }

  private void writePairs(
      List<Path> shards,
      ShardMap map,
      SplitJournal journals,
      Path scratch,
      long objects,
      RestoreProgress progress)
      throws IOException, SqliteException {
    long found = objects;
    try (OpenSource<RocksDbSplit, RuntimeException> databases =
        new OpenSource<>(source -> sources.get(source).openPairs(scratch), RocksDbSplit::close)) {
      for (int shard = 0; shard < shards.size(); shard++) {
        List<Integer> its = sourcesOf(map, shard);
        if (its.stream().noneMatch(each -> sources.get(each).hasPairs())) {
          continue;
        }
        Path data = shards.get(shard);
        disk.ensureDirectory(data.resolve(ROCKSDB)); // it says that the journal has such records
        List<RocksDbSplit.Part> parts = new ArrayList<>();
        for (int source : its) {
          if (sources.get(source).hasDatabase()) {
            parts.add(
                new RocksDbSplit.Part(() -> databases.of(source), journals.places(source, shard)));
          }
        }
        if (!parts.isEmpty() || !isWhole) { // else the opening makes it of the journal
          // What one source has in its database, another one may have in its journal only.
          boolean isComplete = its.size() == 1 && !parts.isEmpty();
          found +=
              RocksDbSplit.write(
                  new RocksDbSplit.Target(
                      data.resolve(ROCKSDB),
                      data.resolve(FLUSHED),
                      journals.journalId(shard),
                      isComplete ? null : lacking(JournalCheck.requireSound(disk, data))),
                  parts,
                  map.firstIds(shard),
                  map.firstIds(shard + 1));
          progress.restored(found, bytesMax(), bytesMax(), lastPosition);
        }
      }
    }
  }

  private static RocksDbSplit.Lacking lacking(JournalCheck.Result journal) {
    return new RocksDbSplit.Lacking(journal.records(), journal.lastPosition());
  }

  @Override
  public void close() {
    sources.forEach(SplitSource::close);
  }
}
