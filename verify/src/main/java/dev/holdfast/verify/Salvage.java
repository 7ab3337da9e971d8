package dev.holdfast.verify;

import dev.holdfast.backend.rocksdb.RocksDbSalvage;
import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.DirectoryLock;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.check.JournalCheck;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.verify.sqlite.SqliteCheck;
import dev.holdfast.verify.sqlite.SqliteRepair;
import dev.holdfast.verify.sqlite.SqliteSalvage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Makes a new data directory of one whose journal has lost records that objects need: the files of
 * the objects, each with the batches before the damage, the pairs of RocksDB likewise, the names,
 * and a new journal. Objects are therefore not of one moment, and there is no history. Changes
 * nothing in the damaged directory.
 */
final class Salvage {

  private final Path damaged;
  private final JournalCheck.Result journal;
  private final Path scratch;
  private final Disk disk;

  Salvage(Disk disk, Path damaged, JournalCheck.Result journal, Path scratch) {
    this.disk = disk;
    this.damaged = damaged;
    this.journal = journal;
    this.scratch = scratch;
  }

  /** The last batch of each object in the new journal. */
  private final Map<ObjectKey, Long> lastBatches = new HashMap<>();

  /**
   * @param steps receives what was done
   * @param losses receives what is lost
   */
  void into(Path target, List<String> steps, List<String> losses) throws IOException {
    disk.createDirectories(scratch);
    try (DirectoryLock lock = DirectoryLock.acquire(target, disk)) {
      SqliteCheck.Source source =
          new SqliteCheck.Source(
              disk, damaged.resolve(Verification.SQLITE), journal.records(), /* isWhole= */ false);
      Map<ObjectKey, String> names = SqliteRepair.names(source, scratch.resolve("names"));
      Map<ObjectKey, SqliteSalvage.Outcome> outcomes =
          SqliteSalvage.run(
              source,
              this::gapAfter,
              target.resolve(Verification.SQLITE),
              scratch.resolve(Verification.SQLITE));
      FileTree.force(disk, target.resolve(Verification.SQLITE));
      steps.add("Copied the files of " + kept(outcomes) + " objects in SQLite.");
      try (SystemTimeSource time = new SystemTimeSource();
          FileJournal fresh = FileJournal.open(lock, time, JournalOptions.DEFAULT.withDisk(disk))) {
        names.forEach(
            (key, name) -> {
              SqliteSalvage.Outcome outcome = outcomes.get(key);
              if (outcome != null && outcome.isKept()) {
                append(fresh, SqliteBackend.VIEW_ID, key, SqliteRepair.naming(name));
              }
            });
        reportRanges(losses);
        report(outcomes, names, losses);
        salvagePairs(fresh, target, steps, losses);
        fresh.awaitDurable(fresh.lastPosition());
      }
    }
    losses.add(
        "The history of all objects: the new directory has a new journal, and earlier bookmarks are"
            + " not valid in it.");
  }

  private void append(FileJournal fresh, int viewId, ObjectKey key, ByteBuffer payload) {
    ChainLink link = ChainLink.after(lastBatches.getOrDefault(key, Journal.START));
    lastBatches.put(key, fresh.append(RecordKind.BATCH, viewId, key, link, payload));
  }

  private long gapAfter(long position) {
    long first = Long.MAX_VALUE;
    for (JournalCheck.Range range : journal.lost()) {
      if (range.end() > position + 1) {
        first = Math.min(first, Math.max(range.first(), position + 1));
      }
    }
    return first;
  }

  private static long kept(Map<ObjectKey, SqliteSalvage.Outcome> outcomes) {
    return outcomes.values().stream().filter(SqliteSalvage.Outcome::isKept).count();
  }

  private void reportRanges(List<String> losses) {
    for (JournalCheck.Range range : journal.lost()) {
      losses.add(
          "Journal positions "
              + range.first()
              + (range.end() == Long.MAX_VALUE ? " and all later ones" : " to " + (range.end() - 1))
              + " cannot be read. It is not known which objects they changed; objects below may"
              + " lack changes of these positions, all others have theirs in their files.");
    }
  }

  private static void report(
      Map<ObjectKey, SqliteSalvage.Outcome> outcomes,
      Map<ObjectKey, String> names,
      List<String> losses) {
    Map<String, String> sorted = new TreeMap<>();
    outcomes.forEach(
        (key, outcome) -> {
          if (!outcome.isKept()) {
            sorted.put(
                text(key, names),
                "is lost: its file is missing or damaged, and the journal cannot make it whole.");
          } else if (outcome.lacking() > 0) {
            sorted.put(
                text(key, names),
                "has all changes up to position "
                    + outcome.position()
                    + " and lacks "
                    + outcome.lacking()
                    + " later batches, which need records that cannot be read.");
          } else if (outcome.position() < Long.MAX_VALUE) {
            sorted.put(
                text(key, names),
                "has all changes up to position "
                    + outcome.position()
                    + "; it may lack later ones.");
          }
        });
    sorted.forEach((object, what) -> losses.add(object + " " + what));
  }

  private static String text(ObjectKey key, Map<ObjectKey, String> names) {
    String name = names.get(key);
    return "[" + key.namespace() + "/" + key.id() + "]" + (name == null ? "" : " \"" + name + "\"");
  }

  private void salvagePairs(FileJournal fresh, Path target, List<String> steps, List<String> losses)
      throws IOException {
    Path database = damaged.resolve(Verification.ROCKSDB);
    if (!Files.exists(database)) {
      return;
    }
    // Empty: the opening builds the database from the new journal.
    disk.createDirectories(target.resolve(Verification.ROCKSDB));
    try {
      RocksDbSalvage.Result result =
          RocksDbSalvage.run(
              new RocksDbSalvage.Source(database, journal.records(), this::gapAfter),
              scratch.resolve(Verification.ROCKSDB),
              (viewId, key, payload) -> append(fresh, viewId, key, payload));
      steps.add("Took the pairs of " + result.objects() + " objects out of RocksDB.");
      if (result.position() < Long.MAX_VALUE - 1) {
        losses.add(
            "All objects in RocksDB have their changes up to position "
                + result.position()
                + "; they may lack later ones.");
      }
      result
          .lacking()
          .forEach(
              (key, count) ->
                  losses.add(
                      text(key, Map.of())
                          + " in RocksDB lacks "
                          + count
                          + " later batches, which need records that cannot be read."));
    } catch (IOException | DataDirectoryException e) {
      losses.add("Pairs of objects in RocksDB: " + e.getMessage() + ".");
    }
  }
}
