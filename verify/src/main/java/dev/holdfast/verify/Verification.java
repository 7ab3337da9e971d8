package dev.holdfast.verify;

import dev.holdfast.backend.rocksdb.RocksDbCheck;
import dev.holdfast.backup.BackupDirectory;
import dev.holdfast.journal.DirectoryReadLock;
import dev.holdfast.journal.NodeDirectory;
import dev.holdfast.journal.check.JournalCheck;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.ScratchDirectory;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.verify.sqlite.SqliteCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Checks a data directory that no runtime has open, that of a node of a cluster, or a backup, which
 * is one: everything that the format documents promise, and each file of a backup that was never
 * opened against the manifest. Changes no byte and no time of it.
 *
 * <p>Files that recovery would change are copied into a scratch directory and brought up to date
 * there, so that a directory that was killed is checked as recovery would leave it.
 */
public final class Verification {

  /** The beginning of the name of a directory for copies. */
  static final String SCRATCH = "holdfast-verify-";

  static final String SQLITE = "sqlite";
  static final String ROCKSDB = "rocksdb";
  static final String ROCKSDB_MARK = "rocksdb.flushed";

  private Verification() {}

  /**
   * Checks a directory. Blocks; not for virtual threads.
   *
   * @param data the data directory
   * @param scratch an existing directory, for example that of temporary files, below which copies
   *     are made and deleted: of the catalog, and of files that changed since they were saved. A
   *     deep check needs about as much room there as the journal takes
   * @param isDeep whether the journal is also replayed and compared with the files, page by page
   *     and key by key
   * @return what was found
   * @throws dev.holdfast.DirectoryInUseException if a runtime has the directory open
   * @throws dev.holdfast.errors.DataDirectoryException if there is no such directory, or it has a
   *     RocksDB database and RocksDB's library is missing
   * @throws IOException if the directory cannot be read or the scratch directory not be written
   */
  public static VerifyReport run(Path data, Path scratch, boolean isDeep) throws IOException {
    try (DirectoryReadLock _ = DirectoryReadLock.acquire(data);
        BackupDirectory.Reading _ = new BackupDirectory(new FileDisk(), data).read();
        ScratchDirectory copies = ScratchDirectory.in(scratch, SCRATCH)) {
      return unlocked(data, copies.path(), isDeep);
    }
  }

  /**
   * Checks a directory whose lock the caller holds.
   *
   * @param copies a directory for copies; deleted by its owner
   */
  static VerifyReport unlocked(Path data, Path copies, boolean isDeep) throws IOException {
    Disk disk = new FileDisk();
    if (NodeDirectory.isNode(disk, data)) {
      return new NodeVerification(disk, data, copies, isDeep).run();
    }
    List<Finding> findings = new ArrayList<>();
    BackupCheck.run(disk, data, findings::add);
    JournalCheck.Result journal = JournalCheck.run(disk, data, findings::add);
    Objects objects = objects(disk, data, journal, copies, isDeep, findings::add);
    return new VerifyReport(
        findings,
        journal.records().oldestPosition(),
        journal.lastPosition(),
        objects.sqlite(),
        objects.rocksDb(),
        journal.readBytes() + objects.readBytes());
  }

  /**
   * How much was checked of the files of the objects.
   *
   * @param sqlite how many objects in SQLite
   * @param rocksDb how many objects in RocksDB
   * @param readBytes how many bytes
   */
  record Objects(long sqlite, long rocksDb, long readBytes) {}

  /** Checks the files of the objects against the records of their journal. */
  static Objects objects(
      Disk disk,
      Path data,
      JournalCheck.Result journal,
      Path copies,
      boolean isDeep,
      Consumer<Finding> findings)
      throws IOException {
    SqliteCheck.Result sqlite =
        SqliteCheck.run(
            new SqliteCheck.Source(
                disk, data.resolve(SQLITE), journal.records(), journal.isWhole()),
            copies.resolve(SQLITE),
            isDeep,
            findings);
    RocksDbCheck.Result rocksDb =
        RocksDbCheck.run(
            new RocksDbCheck.Source(
                data.resolve(ROCKSDB),
                data.resolve(ROCKSDB_MARK),
                journal.records(),
                journal.lastPosition(),
                journal.isWhole()),
            copies.resolve(ROCKSDB),
            isDeep,
            findings);
    ChainCheck chains = new ChainCheck(data, journal.records(), findings);
    chains.run();
    sqlite.lastBatches().forEach(chains(chains, journal));
    rocksDb.lastBatches().forEach(chains(chains, journal));
    return new Objects(
        sqlite.objects(), rocksDb.objects(), sqlite.readBytes() + rocksDb.readBytes());
  }

  private static BiConsumer<ObjectKey, Long> chains(
      ChainCheck chains, JournalCheck.Result journal) {
    return (key, position) -> chains.requireLast(key, position, journal.lastPosition());
  }
}
