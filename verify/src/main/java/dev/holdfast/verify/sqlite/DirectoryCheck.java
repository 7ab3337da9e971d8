package dev.holdfast.verify.sqlite;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.catalog.CatalogSurvey;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.PageSize;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.filter.Headers;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.spi.verify.FindingKind;
import dev.holdfast.spi.verify.Severity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks the directory {@code sqlite/}: each object as recovery would leave it, and the catalog.
 * Files that recovery would change are copied into a scratch directory and brought up to date
 * there. Confined to one thread.
 */
final class DirectoryCheck {

  private static final String RESTORE =
      "Run ./holdfast repair with --from and an archive of the directory, or restore the object"
          + " from a backup. Without an archive, repair leaves it as it is: it stays refused.";

  private final Disk disk;
  private final ObjectFiles files;
  private final RecoveryLog log;
  private final boolean isWhole;
  private final Path scratch;
  private final boolean isDeep;
  private final Consumer<Finding> findings;

  private final JournalFacts facts;
  private final ScratchReplay images;
  private final Map<ObjectKey, ObjectFileCheck.Damage> damaged = new TreeMap<>(ORDER);
  private @Nullable CatalogSurvey catalog;
  private BiConsumer<ObjectKey, Path> rebuilt = (_, _) -> {};
  private BiConsumer<ObjectKey, SavedState> lost = (_, _) -> {};
  private long objects;
  private long readBytes;

  private final Map<ObjectKey, Long> lastBatches = new HashMap<>();

  private static final Comparator<ObjectKey> ORDER =
      Comparator.comparing(ObjectKey::namespace).thenComparing(key -> key.id().toString());

  /**
   * What to check.
   *
   * @param disk where it is
   * @param viewId the view of this backend
   * @param directory the directory {@code sqlite/}
   * @param log the records of the journal
   * @param isWhole whether the log has every record that recovery needs
   */
  public record Source(Disk disk, int viewId, Path directory, RecoveryLog log, boolean isWhole) {}

  /**
   * Creates a check.
   *
   * @param source what to check
   * @param scratch an empty directory
   * @param isDeep whether files are compared with a replay of the journal, page by page
   * @param findings receives what is wrong
   */
  public DirectoryCheck(Source source, Path scratch, boolean isDeep, Consumer<Finding> findings) {
    this.disk = source.disk();
    this.files = new ObjectFiles(disk, source.directory());
    this.log = source.log();
    this.isWhole = source.isWhole();
    this.scratch = scratch;
    this.isDeep = isDeep;
    this.findings = findings;
    this.facts = new JournalFacts(source.viewId(), log);
    this.images = new ScratchReplay(source, scratch, facts);
  }

  /** Sets what receives each damaged object, with a whole file that the journal made. */
  public void onRebuilt(BiConsumer<ObjectKey, Path> receiver) {
    rebuilt = receiver;
  }

  /** Sets what receives each damaged object that the journal cannot make whole, as it was saved. */
  public void onLost(BiConsumer<ObjectKey, SavedState> receiver) {
    lost = receiver;
  }

  /** {@return how many objects were checked} */
  public long objects() {
    return objects;
  }

  /** {@return for each object that was saved, the last batch in its file} */
  public Map<ObjectKey, Long> lastBatches() {
    return lastBatches;
  }

  /** {@return how many bytes of files were read} */
  public long readBytes() {
    return readBytes;
  }

  /**
   * Runs the check.
   *
   * @throws IOException if a directory cannot be read or the scratch directory not be written
   */
  public void run() throws IOException {
    disk.createDirectories(scratch);
    facts.read(log, this::reportMalformed);
    Set<ObjectKey> onDisk = new HashSet<>();
    files.forEach(
        (key, _) -> {
          onDisk.add(key);
          return true;
        });
    CatalogAcceptance acceptance =
        new CatalogAcceptance(disk, catalogFile(), facts.marks(), scratch, findings);
    try {
      catalog = acceptance.open(!onDisk.isEmpty());
      readBytes += acceptance.readBytes();
      if (isWhole) { // with gaps, the images of objects that wrote since would mean nothing
        images.recover(catalog);
      }
      if (isDeep) {
        replay(facts.keys());
      }
      Set<ObjectKey> all = new HashSet<>(onDisk);
      all.addAll(facts.keys());
      CatalogSurvey opened = catalog;
      if (opened != null) {
        all.addAll(opened.savedObjects());
        all.addAll(opened.objects());
      }
      List<ObjectKey> sorted = new ArrayList<>(all);
      sorted.sort(ORDER);
      for (ObjectKey key : sorted) {
        check(key);
        SavedState state = stateOf(key);
        if (state != null) {
          lastBatches.put(key, state.position());
        }
      }
      reportDamaged();
    } catch (SqliteException e) {
      acceptance.report(
          FindingKind.CATALOG_DAMAGED, "The catalog cannot be read: " + e.getMessage() + ".");
    } finally {
      if (catalog != null) {
        catalog.close();
      }
    }
  }

  private void reportMalformed(JournalRecord record, String why) {
    findings.accept(
        new Finding(
            Severity.ERROR,
            FindingKind.PAYLOAD_MALFORMED,
            files.root(),
            0,
            record.key(),
            "The record at journal position "
                + record.position()
                + " is whole, but is "
                + why
                + ".",
            "The change of this record.",
            "A newer version may have written the record: verify with that version."));
  }

  private Path catalogFile() {
    return files.root().resolve("catalog.sqlite");
  }

  /** Replays the batches of some objects from the oldest record on, over nothing. */
  private void replay(Set<ObjectKey> keys) throws IOException, SqliteException {
    Map<ObjectKey, SavedState> states = new HashMap<>();
    for (ObjectKey key : keys) {
      SavedState state = stateOf(key);
      if (state != null) {
        states.put(key, state);
      }
    }
    images.replay(keys, states);
  }

  private @Nullable SavedState stateOf(ObjectKey key) throws SqliteException {
    CatalogSurvey opened = catalog;
    return opened == null ? facts.lastState(key) : opened.savedState(key);
  }

  // ---- One object --------------------------------------------------------------------------

  private void check(ObjectKey key) throws SqliteException {
    boolean isUnsaved = facts.isUnsaved(key);
    if (isUnsaved && !isWhole) {
      return;
    }
    objects++;
    Path file = files.database(key);
    ObjectFileCheck pages = new ObjectFileCheck(files, catalog);
    try {
      Replay.Image image = images.recovered(key);
      SavedState state = stateOf(key);
      Path target = null;
      if (image != null) {
        pages.checkRecovered(key, image, state);
        target = image.file();
      } else if (state != null) {
        pages.checkSaved(key, file, state);
        target = file;
      } else if (Files.exists(file) && Files.size(file) > PageSize.DEFAULT_BYTES) {
        checkUnknown(key, file);
        target = file;
      }
      if (target != null) {
        readBytes += Files.size(target);
        checkContent(key, target);
        Replay.Image journalled = isDeep ? images.replayed(key) : null;
        if (journalled != null) {
          pages.checkReplayed(journalled, target);
        }
      } else {
        requireAbsent(key, file);
      }
    } catch (ObjectFileCheck.Refused e) {
      damaged.putIfAbsent(key, e.damage);
    } catch (IOException e) {
      damaged.putIfAbsent(
          key,
          new ObjectFileCheck.Damage(
              FindingKind.OBJECT_DAMAGED, 0, "The file cannot be read: " + e.getMessage() + "."));
    }
  }

  private void checkUnknown(ObjectKey key, Path file) throws IOException {
    if (catalog == null) {
      return;
    }
    findings.accept(
        new Finding(
            Severity.ERROR,
            FindingKind.OBJECT_UNKNOWN,
            file,
            0,
            key,
            "The file has "
                + Files.size(file)
                + " bytes, and no file of this object was ever saved: it is of another object or"
                + " directory.",
            "The object is refused as long as the file is here.",
            "Find out where the file belongs, and move it away."));
  }

  private void requireAbsent(ObjectKey key, Path file) throws SqliteException {
    CatalogSurvey opened = catalog;
    if (opened != null && isWhole && opened.has(key) && !Files.exists(file)) {
      findings.accept(
          new Finding(
              Severity.ERROR,
              FindingKind.CATALOG_DIFFERS,
              file,
              0,
              key,
              "The catalog lists the object, and it has no file.",
              "The object.",
              RESTORE));
    }
  }

  private void checkContent(ObjectKey key, Path target)
      throws ObjectFileCheck.Refused, SqliteException {
    ObjectContent content;
    try {
      content = ObjectContent.read(target);
    } catch (SqliteException e) {
      throw new ObjectFileCheck.Refused(
          FindingKind.OBJECT_DAMAGED, 0, "SQLite cannot read the file: " + e.getMessage() + ".");
    }
    if (!content.inconsistencies().isEmpty()) {
      throw new ObjectFileCheck.Refused(
          FindingKind.OBJECT_DAMAGED,
          0,
          "SQLite finds the file inconsistent: "
              + String.join("; ", content.inconsistencies())
              + ".");
    }
    CatalogSurvey opened = catalog;
    if (opened == null || !isWhole) {
      return;
    }
    boolean isListed = opened.has(key);
    List<AlarmRecord> alarms = withoutHeaders(content.alarms());
    boolean isMissing = !isListed && (content.hasData() || !alarms.isEmpty());
    if (isMissing || !alarms.equals(withoutHeaders(opened.alarms(key)))) {
      findings.accept(
          new Finding(
              Severity.ERROR,
              FindingKind.CATALOG_DIFFERS,
              catalogFile(),
              0,
              key,
              isMissing
                  ? "The catalog does not list the object, and the object has data."
                  : "The catalog has other alarms of the object than the object itself.",
              isMissing
                  ? "Nothing but its place in lists of objects."
                  : "Alarms of the object may not run, or run late.",
              "Run ./holdfast repair: it rebuilds the catalog from the objects."));
    }
  }

  private static List<AlarmRecord> withoutHeaders(List<AlarmRecord> alarms) {
    return alarms.stream()
        .map(alarm -> alarm.withHeaders(Headers.NONE))
        .sorted(Comparator.comparing(AlarmRecord::name))
        .toList();
  }

  // ---- What of it can be rebuilt -----------------------------------------------------------

  private void reportDamaged() throws IOException, SqliteException {
    if (!isDeep && !damaged.isEmpty()) {
      replay(damaged.keySet());
    }
    for (ObjectKey key : damaged.keySet()) {
      Replay.Image image = images.replayed(key);
      SavedState state = stateOf(key);
      if (isWhole && state != null && (image == null || !image.isComplete())) {
        lost.accept(key, state);
      }
    }
    damaged.forEach(
        (key, damage) -> {
          Replay.Image image = images.replayed(key);
          boolean isRebuilt = false;
          if (isWhole && image != null && image.isComplete()) {
            isRebuilt = true;
            rebuilt.accept(key, image.file());
          }
          findings.accept(
              new Finding(
                  isRebuilt ? Severity.WARNING : Severity.ERROR,
                  damage.kind(),
                  files.database(key),
                  damage.offset(),
                  key,
                  damage.meaning(),
                  isRebuilt
                      ? Finding.NOTHING + " The journal has all batches of the object."
                      : "The object: the journal does not have all its batches.",
                  isRebuilt
                      ? "Nothing: the next use of the object rebuilds the file, and so does"
                          + " ./holdfast repair."
                      : RESTORE));
        });
  }
}
