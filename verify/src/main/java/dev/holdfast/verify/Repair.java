package dev.holdfast.verify;

import dev.holdfast.HoldfastException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archiver.ArchivedJournal;
import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.backup.BackupDirectory;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.DirectoryLock;
import dev.holdfast.journal.DirectoryReadLock;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.NodeDirectory;
import dev.holdfast.journal.StagedDirectory;
import dev.holdfast.journal.check.JournalCheck;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.spi.disk.ScratchDirectory;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.spi.verify.FindingKind;
import dev.holdfast.spi.verify.Severity;
import dev.holdfast.verify.sqlite.SqliteCheck;
import dev.holdfast.verify.sqlite.SqliteRepair;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Does what a check proposes: with a damaged tail, a damaged mark or index, a lost catalog, files
 * of objects that the journal can rebuild, and a RocksDB database that it can rebuild. An archive
 * of the directory has what the journal has not. If the journal has lost records that objects need,
 * and no archive has them, the objects are salvaged, see {@link Salvage}. What cannot be repaired
 * stays as it is, and the report says so.
 *
 * <p>Used by one thread.
 */
public final class Repair {

  private static final Set<FindingKind> CATALOG =
      EnumSet.of(
          FindingKind.CATALOG_MISSING, FindingKind.CATALOG_DAMAGED, FindingKind.CATALOG_DIFFERS);

  private static final Set<FindingKind> ROCKSDB =
      EnumSet.of(
          FindingKind.ROCKSDB_DAMAGED,
          FindingKind.ROCKSDB_OLDER,
          FindingKind.ROCKSDB_CATALOG_DIFFERS,
          FindingKind.ROCKSDB_DIFFERS);

  /** Of a process, and not of the data. */
  private static final Path LOCK = Path.of("LOCK");

  private final Path data;
  private final ScratchDirectory scratch;
  private final Disk disk;
  private final List<String> steps = new ArrayList<>();
  private final List<String> losses = new ArrayList<>();
  private final @Nullable ArchiveStore archive;
  private int scratchCount;

  private Repair(Disk disk, Path data, ScratchDirectory scratch, @Nullable ArchiveStore archive) {
    this.disk = disk;
    this.data = data;
    this.scratch = scratch;
    this.archive = archive;
  }

  /**
   * Repairs a copy. Changes no byte and no time of the directory. Blocks; not for virtual threads.
   *
   * @param damaged the data directory
   * @param target where the copy is made; missing or empty
   * @param scratch an existing directory, below which copies are made and deleted
   * @return what was done, and what is left
   * @throws dev.holdfast.DirectoryInUseException if a runtime has the directory open
   * @throws DataDirectoryException if there is no such directory, the target is not empty or not
   *     apart from it, or the copy cannot be made
   * @throws IOException if a file cannot be read or written
   */
  public static RepairReport into(Path damaged, Path target, Path scratch) throws IOException {
    return into(damaged, target, scratch, null);
  }

  /**
   * Repairs a copy, with files from an archive of the directory for objects that the journal alone
   * cannot rebuild. Changes no byte and no time of the directory. Blocks; not for virtual threads.
   *
   * @param damaged the data directory
   * @param target where the copy is made; missing or empty
   * @param scratch an existing directory, below which copies are made and deleted: it needs room
   *     for the whole data directory
   * @param archive the archive, not closed; null for none
   * @return what was done, and what is left
   * @throws dev.holdfast.DirectoryInUseException if a runtime has the directory open
   * @throws DataDirectoryException if there is no such directory, the target is not empty, or the
   *     copy cannot be made
   * @throws IOException if a file cannot be read or written
   */
  public static RepairReport into(
      Path damaged, Path target, Path scratch, @Nullable ArchiveStore archive) throws IOException {
    return into(new FileDisk(), damaged, target, scratch, archive);
  }

  /**
   * Repairs a copy, as {@link #into(Path, Path, Path, ArchiveStore)}.
   *
   * @param disk has all files; recovery uses the one of the machine
   */
  static RepairReport into(
      Disk disk, Path damaged, Path target, Path scratch, @Nullable ArchiveStore archive)
      throws IOException {
    NodeDirectory.refuseToRepair(disk, damaged);
    try (ScratchDirectory copies = ScratchDirectory.in(scratch, Verification.SCRATCH)) {
      Repair made =
          StagedDirectory.make(
              target,
              ".unfinished",
              disk,
              damaged,
              (_, copy) -> {
                Repair repair = new Repair(disk, copy, copies, archive);
                try {
                  repair.copy(damaged);
                  repair.run();
                  FileTree.force(disk, copy); // recovery makes durable only what it needs
                } catch (IOException e) {
                  throw new UncheckedIOException(e); // it may be about the damaged directory
                }
                return repair;
              });
      return made.report(target);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Makes the copy that is repaired. */
  private void copy(Path damaged) throws IOException {
    try (DirectoryReadLock _ = DirectoryReadLock.acquire(damaged);
        BackupDirectory.Reading _ = new BackupDirectory(disk, damaged).read()) {
      JournalCheck.Result journal = JournalCheck.run(disk, damaged, _ -> {});
      ArchiveStore from = archive;
      boolean isCopied = from != null && refill(damaged, journal, from);
      if (!isCopied && journal.isWhole()) {
        copyFiles(damaged);
      } else if (!isCopied) {
        new Salvage(disk, damaged, journal, scratch.path().resolve("salvage"))
            .into(data, steps, losses);
      }
    }
  }

  private void copyFiles(Path damaged) throws IOException {
    FileTree.copy(disk, damaged, data, file -> !file.equals(LOCK));
  }

  /**
   * Repairs a directory itself. There is no way back: repair a copy if there is room for one.
   * Blocks; not for virtual threads.
   *
   * @param damaged the data directory
   * @param scratch an existing directory, below which copies are made and deleted
   * @return what was done, and what is left
   * @throws dev.holdfast.DirectoryInUseException if a runtime has the directory open
   * @throws DataDirectoryException if there is no such directory
   * @throws IOException if a file cannot be read or written
   */
  public static RepairReport inPlace(Path damaged, Path scratch) throws IOException {
    return inPlace(damaged, scratch, null);
  }

  /**
   * Repairs a directory itself, with files from an archive of it. There is no way back: repair a
   * copy if there is room for one. Blocks; not for virtual threads.
   *
   * @param damaged the data directory
   * @param scratch an existing directory, below which copies are made and deleted: it needs room
   *     for the whole data directory
   * @param archive the archive, not closed; null for none
   * @return what was done, and what is left
   * @throws dev.holdfast.DirectoryInUseException if a runtime has the directory open
   * @throws DataDirectoryException if there is no such directory
   * @throws IOException if a file cannot be read or written
   */
  public static RepairReport inPlace(Path damaged, Path scratch, @Nullable ArchiveStore archive)
      throws IOException {
    return inPlace(new FileDisk(), damaged, scratch, archive);
  }

  /**
   * Repairs a directory itself, as {@link #inPlace(Path, Path, ArchiveStore)}.
   *
   * @param disk has all files; recovery uses the one of the machine
   */
  static RepairReport inPlace(Disk disk, Path damaged, Path scratch, @Nullable ArchiveStore archive)
      throws IOException {
    if (!Files.isDirectory(damaged)) {
      throw new DataDirectoryException(damaged, "There is no such directory", null);
    }
    NodeDirectory.refuseToRepair(disk, damaged);
    new BackupDirectory(disk, damaged).completeOrRefuse();
    try (ScratchDirectory copies = ScratchDirectory.in(scratch, Verification.SCRATCH)) {
      Repair repair = new Repair(disk, damaged, copies, archive);
      repair.run();
      return repair.report(damaged);
    }
  }

  private void run() throws IOException {
    try (DirectoryLock lock = DirectoryLock.acquire(data, disk)) {
      repair(lock);
    }
    open();
  }

  private RepairReport report(Path directory) throws IOException {
    VerifyReport after = Verification.run(directory, scratch.path(), /* isDeep= */ false);
    return new RepairReport(directory, steps, losses, after.findings());
  }

  /** Repairs the directory as far as that loses nothing. */
  private void repair(DirectoryLock lock) throws IOException {
    steps.addAll(JournalCheck.repair(disk, lock));
    List<Finding> findings = Verification.unlocked(data, next(), /* isDeep= */ false).findings();
    JournalCheck.Result journal = JournalCheck.run(disk, data, _ -> {});
    if (!journal.isWhole()) {
      losses.add(
          "The journal has lost records that objects need. This is repaired in a copy only: what"
              + " can be salvaged gets a new journal. Name the copy with --to.");
      return;
    }
    if (has(findings, FindingKind.TAIL_TORN)) {
      steps.add("The torn tail of the journal is cut by the opening.");
    }
    SqliteCheck.Source sqlite =
        new SqliteCheck.Source(
            disk, data.resolve(Verification.SQLITE), journal.records(), journal.isWhole());
    repairFiles(sqlite);
    repairRocksDb(findings, journal);
    if (findings.stream().anyMatch(each -> CATALOG.contains(each.kind()))) {
      repairCatalog(lock, sqlite);
    }
  }

  /** {@return whether the copy was made, with the records of an archive} */
  private boolean refill(Path damaged, JournalCheck.Result journal, ArchiveStore from)
      throws IOException {
    JournalRefill refill = JournalRefill.of(disk, damaged);
    if (journal.isWhole() && !refill.hasHoles()) {
      return false;
    }
    JournalRecord witness = refill.witness();
    if (witness == null) {
      losses.add(
          "No record can be read after the damage to the journal, so nothing shows up to where "
              + from
              + " may continue it. For the state at its last position run ./holdfast restore.");
      return false;
    }
    ArchivedJournal archived;
    JournalRefill.Answer answer;
    try {
      archived = ArchivedJournal.with(from, refill.journalId(), witness);
      answer = refill.plan(archived);
    } catch (ArchiveException e) {
      cannotRefill(from, String.valueOf(e.getMessage()));
      return false;
    }
    switch (answer) {
      case JournalRefill.Impossible(String why) -> {
        cannotRefill(from, why);
        return false;
      }
      case JournalRefill.Plan plan -> {
        copyFiles(damaged);
        FileTree.delete(disk, data.resolve(FileJournal.DIRECTORY_NAME));
        disk.delete(data.resolve(FileJournal.MARK_FILE_NAME));
        refill.write(plan, archived, data, JournalOptions.DEFAULT.salts());
        report(plan, from);
        return true;
      }
    }
  }

  private void cannotRefill(ArchiveStore from, String why) {
    losses.add(from + " cannot make the journal whole: " + why + ".");
  }

  private void report(JournalRefill.Plan plan, ArchiveStore from) {
    for (JournalCheck.Range each : plan.filled()) {
      steps.add(
          "Took the journal positions "
              + each.first()
              + " to "
              + (each.end() - 1)
              + " from "
              + from
              + ".");
    }
    if (plan.historyEnd() > 0) {
      losses.add(
          "History: no object can be restored to a moment before position "
              + plan.historyEnd()
              + ", which neither the journal nor "
              + from
              + " leads to.");
    }
  }

  private void repairFiles(SqliteCheck.Source sqlite) throws IOException {
    ArchiveStore from = archive;
    SqliteRepair.RepairedFiles files =
        SqliteRepair.repairFiles(
            sqlite, next(), from == null ? null : new ArchivedPast(from, next()));
    for (Path file : files.rebuilt()) {
      steps.add("Rebuilt " + data.relativize(file) + " from the journal, complete.");
    }
    files
        .taken()
        .forEach(
            (key, taken) -> {
              String object = "[" + key.namespace() + "/" + key.id() + "]";
              if (taken.whyNot() == null) {
                steps.add(
                    "Rebuilt the file of "
                        + object
                        + " from "
                        + from
                        + " as it was saved at position "
                        + taken.position()
                        + "; the journal has all later changes, so nothing is lost.");
              } else {
                losses.add(
                    object
                        + " stays refused: "
                        + from
                        + " does not lead to its file as it was saved at position "
                        + taken.position()
                        + ": "
                        + taken.whyNot()
                        + ". To go back to an earlier moment, restore the object alone: ./holdfast"
                        + " restore --namespace "
                        + key.namespace()
                        + " --object "
                        + key.id());
              }
            });
  }

  private static boolean has(List<Finding> findings, FindingKind kind) {
    return findings.stream().anyMatch(each -> each.kind() == kind);
  }

  private Path next() {
    return scratch.path().resolve("" + scratchCount++);
  }

  private void repairRocksDb(List<Finding> findings, JournalCheck.Result journal)
      throws IOException {
    Path database = data.resolve(Verification.ROCKSDB);
    Path mark = data.resolve(Verification.ROCKSDB_MARK);
    boolean isDamaged =
        findings.stream()
            .anyMatch(each -> ROCKSDB.contains(each.kind()) && each.severity() == Severity.ERROR);
    if (isDamaged && journal.records().oldestPosition() == 1) {
      FileTree.delete(disk, database);
      // Empty, and there: otherwise the opening would not know of the database, and the journal
      // would drop records that it needs.
      disk.createDirectories(database);
      disk.delete(mark);
      steps.add("Removed rocksdb: the opening builds it again from the journal.");
    } else if (isDamaged) {
      losses.add(
          "Objects in RocksDB: the journal has only the records from position "
              + journal.records().oldestPosition()
              + " on, so rocksdb stays as it is. No archive is used for it: to get these objects"
              + " back, restore the whole directory from a backup, or from an archive with"
              + " ./holdfast restore --from STORE --to DIR.");
    } else if (has(findings, FindingKind.ROCKSDB_MARK_DAMAGED)) {
      disk.delete(mark);
      steps.add(
          "Removed rocksdb.flushed: the opening compares the database with the journal alone.");
    }
  }

  /** The names go into the journal: no file of an object has them. */
  private void repairCatalog(DirectoryLock lock, SqliteCheck.Source sqlite) throws IOException {
    Map<ObjectKey, String> names = SqliteRepair.names(sqlite, next());
    int named = 0;
    try (SystemTimeSource time = new SystemTimeSource();
        FileJournal journal = FileJournal.open(lock, time, JournalOptions.DEFAULT.withDisk(disk))) {
      for (Map.Entry<ObjectKey, String> each : names.entrySet()) {
        if (SqliteRepair.hasFile(sqlite, each.getKey())) {
          journal.append(
              RecordKind.BATCH,
              SqliteBackend.VIEW_ID,
              each.getKey(),
              SqliteRepair.linkAfter(journal.history(), each.getKey()),
              SqliteRepair.naming(each.getValue()));
          named++;
        }
      }
      journal.awaitDurable(journal.lastPosition());
    }
    SqliteRepair.removeCatalog(disk, sqlite.directory()); // after the names are durable
    steps.add(
        "Removed the catalog: the opening rebuilds it from the objects. Wrote "
            + named
            + " names of objects, which the catalog or the journal had, into the journal.");
    losses.add(
        "Names of objects that neither the damaged catalog nor the journal had: such an object is"
            + " listed without its name until it writes again.");
  }

  /**
   * Opens the directory once, without a class of the application, so that the ordinary recovery
   * brings all files up to date. Without a namespace of a long window, and without the bound, the
   * journal would drop the history of all objects.
   */
  private void open() {
    NamespaceOptions keepsHistory =
        NamespaceOptions.DEFAULT.withRecoveryWindow(Duration.ofDays(36_500));
    try (ObjectRuntime _ =
        Holdfast.open(
            data,
            objects ->
                objects
                    .options(RuntimeOptions.DEFAULT.withHistoryBytesMax(Long.MAX_VALUE))
                    .namespace("holdfast-repair", Runnable.class, _ -> () -> {}, keepsHistory))) {
      steps.add("Opened and closed the directory: recovery has brought its files up to date.");
    } catch (HoldfastException e) {
      losses.add("The directory does not open: " + e.getMessage());
    }
  }
}
