package dev.holdfast.verify.sqlite;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.catalog.CatalogSurvey;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Copies the files of all objects out of a directory whose journal is damaged: each as far as its
 * file and the batches before the damage lead. Confined to one thread.
 */
final class ObjectSalvage {

  private final Disk disk;
  private final int viewId;
  private final ObjectFiles files;
  private final ObjectFiles target;
  private final RecoveryLog log;
  private final LongUnaryOperator gapAfter;
  private final Path scratch;
  private final JournalFacts facts;
  private final Replay replay;
  private final Map<ObjectKey, Long> bases = new HashMap<>();
  private final Map<ObjectKey, Outcome> outcomes = new LinkedHashMap<>();

  /**
   * What became of an object.
   *
   * @param isKept whether it has a file in the target
   * @param position the position up to which the file has all batches; the largest long if it has
   *     all
   * @param lacking how many later batches are in the journal and cannot be applied
   */
  public record Outcome(boolean isKept, long position, int lacking) {}

  /**
   * Creates a salvage.
   *
   * @param source the directory, and all records that can be read, with gaps
   * @param gapAfter returns the first position above its argument that cannot be read; the largest
   *     long if there is none
   * @param target the directory {@code sqlite/} of the result
   * @param scratch an empty directory
   */
  public ObjectSalvage(
      DirectoryCheck.Source source, LongUnaryOperator gapAfter, Path target, Path scratch) {
    this.disk = source.disk();
    this.viewId = source.viewId();
    this.files = new ObjectFiles(disk, source.directory());
    this.target = new ObjectFiles(disk, target);
    this.log = source.log();
    this.gapAfter = gapAfter;
    this.scratch = scratch;
    this.facts = new JournalFacts(viewId, log);
    this.replay = new Replay(this.target, viewId, log);
  }

  /**
   * Runs the salvage.
   *
   * @return what became of each object
   * @throws IOException if a file cannot be copied
   */
  public Map<ObjectKey, Outcome> run() throws IOException {
    disk.createDirectories(scratch);
    facts.read(log, (_, _) -> {});
    Set<ObjectKey> keys = new HashSet<>(facts.keys());
    files.forEach(
        (key, file) -> {
          keys.add(key);
          return true;
        });
    Map<ObjectKey, SavedState> catalogued = catalogued(keys);
    for (ObjectKey key : keys) {
      bases.put(key, base(key, catalogued.get(key)));
      copy(key);
    }
    Map<ObjectKey, Integer> lacking = new HashMap<>();
    log.forEachFrom(
        0,
        (view, kind) -> view == viewId && kind.isBatch(),
        record -> {
          long base = bases.getOrDefault(record.key(), 0L);
          if (record.position() > base && record.position() < gapAfter.applyAsLong(base)) {
            redo(record);
          } else if (record.position() > base) {
            lacking.merge(record.key(), 1, Integer::sum);
          }
        });
    replay.end();
    for (ObjectKey key : keys) {
      outcomes.put(key, outcome(key, lacking.getOrDefault(key, 0)));
    }
    return outcomes;
  }

  private void redo(JournalRecord record) {
    try {
      replay.redo(record, null);
    } catch (IllegalArgumentException e) {
      bases.put(record.key(), record.position()); // nothing after it can be applied
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Map<ObjectKey, SavedState> catalogued(Set<ObjectKey> keys) throws IOException {
    Map<ObjectKey, SavedState> states = new HashMap<>();
    Path file = files.root().resolve("catalog.sqlite");
    if (!Files.exists(file)) {
      return states;
    }
    try (CatalogSurvey catalog = CatalogSurvey.open(disk, file, scratch)) {
      for (ObjectKey key : keys) {
        SavedState state = catalog.savedState(key);
        if (state != null) {
          states.put(key, state);
        }
      }
    } catch (SqliteException e) {
      System.getLogger("dev.holdfast")
          .log(Level.DEBUG, () -> "Not all saved states in " + file + " could be read", e);
    }
    return states;
  }

  /** {@return the position up to which the file has all batches} */
  private long base(ObjectKey key, @Nullable SavedState catalogued) throws IOException {
    SavedState journalled = facts.newestState(key);
    long known = 0;
    for (SavedState state : new @Nullable SavedState[] {catalogued, journalled}) {
      if (state != null) {
        known = Math.max(known, state.position());
        if (files.isSaved(files.database(key), state)) {
          return state.position();
        }
      }
    }
    return known;
  }

  private void copy(ObjectKey key) throws IOException {
    Path file = files.database(key);
    if (Files.isRegularFile(file)) {
      Path copy = target.database(key);
      disk.createDirectories(copy.resolveSibling(".").normalize());
      Files.copy(file, copy);
    }
  }

  private Outcome outcome(ObjectKey key, int lacking) throws IOException {
    Path file = target.database(key);
    long base = bases.getOrDefault(key, 0L);
    long gap = gapAfter.applyAsLong(base);
    long position = gap == Long.MAX_VALUE ? gap : Math.max(base, gap - 1);
    if (!Files.exists(file)) {
      return new Outcome(false, 0, lacking);
    }
    try {
      if (ObjectContent.read(file).inconsistencies().isEmpty()) {
        return new Outcome(true, position, lacking);
      }
    } catch (SqliteException e) {
      System.getLogger("dev.holdfast")
          .log(Level.DEBUG, () -> "The salvaged " + file + " cannot be read", e);
    }
    disk.delete(file);
    return new Outcome(false, 0, lacking);
  }
}
