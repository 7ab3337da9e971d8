package dev.holdfast.backend.rocksdb;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.rocksdb.batch.Batch;
import dev.holdfast.backend.rocksdb.batch.ObjectPrefix;
import dev.holdfast.backend.rocksdb.database.Database;
import dev.holdfast.backend.rocksdb.database.DatabaseFiles;
import dev.holdfast.backend.rocksdb.database.ReadOnlyDatabase;
import dev.holdfast.backend.rocksdb.database.RecoveryStart;
import dev.holdfast.backend.rocksdb.file.FlushedMark;
import dev.holdfast.backend.rocksdb.file.Manifest;
import dev.holdfast.backend.rocksdb.file.NativeLibrary;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.spi.verify.FindingKind;
import dev.holdfast.spi.verify.Severity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/** The check of {@link RocksDbCheck}, with the classes of RocksDB's library. Used by one thread. */
final class DatabaseCheck {

  private static final String ONE_COPY = "Restore the whole data directory from one backup.";
  private static final String REBUILD =
      "Run ./holdfast repair: it builds the database again from the journal.";
  private static final String LOST = "Pairs of objects in RocksDB.";
  private static final int DIFFERENCES_MAX = 20;
  private static final Pattern TABLE = Pattern.compile("([0-9]+\\.sst)");
  private static final Pattern OFFSET = Pattern.compile("offset ([0-9]{1,18})");

  private final RocksDbCheck.Source source;
  private final Path scratch;
  private final boolean isDeep;
  private final Consumer<Finding> findings;
  private long objects;
  private long readBytes;
  private final Map<ObjectKey, Long> lastBatches = new HashMap<>();

  DatabaseCheck(
      RocksDbCheck.Source source, Path scratch, boolean isDeep, Consumer<Finding> findings) {
    this.source = source;
    this.scratch = scratch;
    this.isDeep = isDeep;
    this.findings = findings;
  }

  /** {@return how many objects were checked} */
  long objects() {
    return objects;
  }

  /** {@return for each object, the last batch that the database has} */
  Map<ObjectKey, Long> lastBatches() {
    return lastBatches;
  }

  /** {@return how many bytes of tables were read} */
  long readBytes() {
    return readBytes;
  }

  /** Runs the check. */
  void run() throws IOException {
    boolean wasUsed = checkPayloads();
    FlushedMark mark = readMark();
    boolean hasDatabase = Files.exists(source.directory().resolve("CURRENT"));
    if (!hasDatabase) {
      checkWithout(mark, wasUsed);
      return;
    }
    NativeLibrary.load(source.directory());
    try (ReadOnlyDatabase database = open()) {
      if (database != null) {
        check(database, mark);
      }
    } catch (RocksDBException e) {
      reportDamage(e);
    }
  }

  /** {@return whether the journal has records of the database} */
  private boolean checkPayloads() {
    boolean[] wasUsed = {false};
    source
        .records()
        .forEachFrom(
            0,
            (view, kind) -> view == RocksDbBackend.VIEW_ID && kind.isChained(),
            record -> {
              wasUsed[0] = true;
              try {
                Batch.decode(record.payload());
              } catch (IllegalArgumentException e) {
                findings.accept(
                    new Finding(
                        Severity.ERROR,
                        FindingKind.PAYLOAD_MALFORMED,
                        source.directory(),
                        0,
                        record.key(),
                        "The record at journal position "
                            + record.position()
                            + " is whole, but is not a batch: "
                            + e.getMessage()
                            + ".",
                        "The change of this record.",
                        "A newer version may have written the record: verify with that version."));
              }
            });
    return wasUsed[0];
  }

  private @Nullable FlushedMark readMark() {
    try {
      return new FlushedMark(source.flushedMark());
    } catch (DataDirectoryException e) {
      report(
          Severity.ERROR,
          FindingKind.ROCKSDB_MARK_DAMAGED,
          source.flushedMark(),
          0,
          "The mark is damaged: its length or its checksum is wrong.",
          Finding.NOTHING,
          "Run ./holdfast repair: it removes the mark, and the database is compared with the"
              + " journal alone.");
      return null;
    }
  }

  private boolean canBeRebuilt() {
    return source.isWhole() && source.records().oldestPosition() == 1;
  }

  /** There is no database: it was never used, given up, or lost. */
  private void checkWithout(@Nullable FlushedMark mark, boolean wasUsed) throws IOException {
    boolean wasFlushed =
        mark == null
            || mark.state() == FlushedMark.State.CURRENT
            || mark.state() == FlushedMark.State.OLD_FORMAT;
    boolean isGivenUp = mark != null && mark.state() == FlushedMark.State.GIVEN_UP;
    boolean hasTables = hasTables();
    if (isGivenUp || (!wasFlushed && !wasUsed && !hasTables)) {
      return;
    }
    if (hasTables) {
      report(
          Severity.ERROR,
          FindingKind.ROCKSDB_DAMAGED,
          source.directory().resolve("CURRENT"),
          0,
          "The file is missing, and there are tables.",
          canBeRebuilt() ? Finding.NOTHING : LOST,
          canBeRebuilt() ? REBUILD : ONE_COPY);
      return;
    }
    report(
        canBeRebuilt() ? Severity.WARNING : Severity.ERROR,
        FindingKind.ROCKSDB_OLDER,
        source.directory(),
        0,
        "The database is missing.",
        canBeRebuilt() ? Finding.NOTHING : "All pairs of objects in RocksDB.",
        canBeRebuilt() ? "Nothing: the next opening builds it again from the journal." : ONE_COPY);
  }

  private boolean hasTables() throws IOException {
    if (!Files.isDirectory(source.directory())) {
      return false;
    }
    try (DirectoryStream<Path> tables = Files.newDirectoryStream(source.directory(), "*.sst")) {
      return tables.iterator().hasNext();
    }
  }

  private @Nullable ReadOnlyDatabase open() throws IOException, RocksDBException {
    Path directory = source.directory();
    Path manifest = Manifest.of(directory);
    if (manifest == null || !Files.exists(manifest)) {
      report(
          Severity.ERROR,
          FindingKind.ROCKSDB_DAMAGED,
          manifest == null ? directory.resolve("CURRENT") : manifest,
          0,
          manifest == null ? "The file names no MANIFEST." : "The file is missing.",
          canBeRebuilt() ? Finding.NOTHING : LOST,
          canBeRebuilt() ? REBUILD : ONE_COPY);
      return null;
    }
    byte[] list = Files.readAllBytes(manifest);
    int valid = Manifest.validBytes(list);
    if (valid == list.length) {
      return ReadOnlyDatabase.open(directory, scratch);
    }
    ReadOnlyDatabase cut = openCut(manifest, list, valid);
    report(
        cut == null ? Severity.ERROR : Severity.WARNING,
        FindingKind.ROCKSDB_DAMAGED,
        manifest,
        valid,
        "The list of tables ends here; what follows is torn or damaged.",
        cut == null && !canBeRebuilt() ? LOST : Finding.NOTHING,
        cut == null
            ? canBeRebuilt() ? REBUILD : ONE_COPY
            : "Nothing: the next opening cuts it, if the journal has the later changes. This is"
                + " checked too.");
    return cut;
  }

  /** Opens the state before the torn end, with links to the tables. */
  private @Nullable ReadOnlyDatabase openCut(Path manifest, byte[] list, int valid)
      throws IOException {
    Path trial = Files.createDirectories(scratch.resolve("cut"));
    try (DirectoryStream<Path> tables = Files.newDirectoryStream(source.directory(), "*.sst")) {
      for (Path table : tables) {
        Files.createSymbolicLink(trial.resolve(table.getFileName()), table.toAbsolutePath());
      }
    }
    Files.copy(source.directory().resolve("CURRENT"), trial.resolve("CURRENT"));
    Files.write(trial.resolve(manifest.getFileName()), Arrays.copyOf(list, valid));
    try {
      return ReadOnlyDatabase.open(trial, scratch);
    } catch (RocksDBException e) {
      return null;
    }
  }

  private void check(ReadOnlyDatabase database, @Nullable FlushedMark mark)
      throws RocksDBException, IOException {
    readBytes = database.tableBytes();
    if (database.format() != DatabaseFiles.FORMAT && !database.isUnused()) {
      report(
          Severity.ERROR,
          FindingKind.VERSION_UNKNOWN,
          source.directory(),
          0,
          "The database was written by another version.",
          Finding.NOTHING,
          "Use the version that wrote it.");
      return;
    }
    long applied = database.applied();
    boolean belongs = checkJournal(database, mark, applied);
    if (mark != null) {
      checkAge(mark, database, applied);
    }
    database.verifyTables();
    TreeSet<String> wrong = new TreeSet<>();
    objects = database.checkCatalog(wrong::add);
    database.forEachLastBatch((prefix, position) -> addLastBatch(database, prefix, position));
    database.forEachObject(
        prefix -> {
          try {
            if (!database.isInCatalog(prefix)) {
              wrong.add("An object that has pairs is not in the catalog.");
            }
          } catch (RocksDBException e) {
            wrong.add("The catalog cannot be read: " + e.getMessage() + ".");
          }
        });
    for (String each : wrong) {
      report(
          Severity.ERROR,
          FindingKind.ROCKSDB_CATALOG_DIFFERS,
          source.directory(),
          0,
          each,
          "Alarms of objects may not run; objects may not be listed.",
          canBeRebuilt() ? REBUILD : ONE_COPY);
    }
    if (isDeep && belongs) {
      compare(database, applied);
    }
  }

  private void addLastBatch(ReadOnlyDatabase database, ObjectPrefix prefix, long position) {
    database.namespaces().entrySet().stream()
        .filter(each -> each.getValue() == prefix.namespaceNumber())
        .map(each -> new ObjectKey(each.getKey(), ObjectId.of(prefix.id(), null)))
        .forEach(key -> lastBatches.put(key, position));
  }

  private boolean checkJournal(ReadOnlyDatabase database, @Nullable FlushedMark mark, long applied)
      throws RocksDBException {
    long id = source.records().journalId();
    boolean isOther =
        database.journalId() != Database.Found.NO_JOURNAL && database.journalId() != id;
    if (isOther) {
      foreign(source.directory(), "The database belongs to another journal.");
    }
    if (mark != null && mark.state() == FlushedMark.State.CURRENT && mark.journalId() != id) {
      foreign(source.flushedMark(), "The mark belongs to another journal.");
    }
    boolean isAhead = applied > source.lastPosition();
    if (isAhead) {
      foreign(
          source.directory(),
          "The database has changes up to journal position "
              + applied
              + ", and the journal ends at "
              + source.lastPosition()
              + ".");
    }
    return !isOther && !isAhead;
  }

  private void foreign(Path file, String meaning) {
    report(
        Severity.ERROR,
        FindingKind.ROCKSDB_FOREIGN,
        file,
        0,
        meaning,
        "Which of the two is newer is not known.",
        ONE_COPY);
  }

  private void checkAge(FlushedMark mark, ReadOnlyDatabase database, long applied)
      throws RocksDBException {
    RecoveryStart start = new RecoveryStart(source.directory(), mark, source.records());
    boolean isOlder = applied < mark.position() || applied + 1 < source.records().firstPosition();
    if (!start.isUsable(applied)) {
      report(
          Severity.ERROR,
          FindingKind.ROCKSDB_OLDER,
          source.directory(),
          0,
          "The database is an older copy: it has changes up to position "
              + applied
              + ", and had them up to "
              + Math.max(mark.position(), source.records().firstPosition() - 1)
              + ".",
          LOST,
          ONE_COPY);
    } else if (isOlder) {
      report(
          Severity.WARNING,
          FindingKind.ROCKSDB_OLDER,
          source.directory(),
          0,
          "The database is an older copy, with changes up to position " + applied + ".",
          Finding.NOTHING,
          "Nothing: the next opening reads the later changes from the journal.");
    } else if (mark.state() == FlushedMark.State.ABSENT
        && database.journalId() != Database.Found.NO_JOURNAL
        && source.records().firstPosition() > 1) {
      report(
          Severity.WARNING,
          FindingKind.ROCKSDB_MARK_DAMAGED,
          source.flushedMark(),
          0,
          "The mark is missing.",
          Finding.NOTHING,
          "Nothing: the next opening writes it again.");
    }
  }

  private void compare(ReadOnlyDatabase database, long applied)
      throws RocksDBException, IOException {
    int[] count = {0};
    try (ReplayedPairs replayed =
        ReplayedPairs.of(
            scratch.resolve("replayed"),
            database.namespaces(),
            source.records(),
            source.records().oldestPosition(),
            applied)) {
      replayed.compare(
          database,
          (key, how) -> {
            if (count[0]++ < DIFFERENCES_MAX) {
              reportDifference(database.namespaces(), key, how);
            }
          });
    }
    if (count[0] > DIFFERENCES_MAX) {
      report(
          Severity.ERROR,
          FindingKind.ROCKSDB_DIFFERS,
          source.directory(),
          0,
          (count[0] - DIFFERENCES_MAX) + " more keys differ.",
          LOST,
          canBeRebuilt() ? REBUILD : ONE_COPY);
    }
  }

  private void reportDifference(Map<String, Integer> namespaces, byte[] key, String how) {
    ObjectPrefix prefix = ObjectPrefix.of(Arrays.copyOf(key, ObjectPrefix.LENGTH_BYTES));
    String name =
        new String(
            key,
            ObjectPrefix.LENGTH_BYTES,
            key.length - ObjectPrefix.LENGTH_BYTES,
            StandardCharsets.UTF_8);
    ObjectKey object =
        namespaces.entrySet().stream()
            .filter(each -> each.getValue() == prefix.namespaceNumber())
            .map(each -> new ObjectKey(each.getKey(), ObjectId.of(prefix.id(), null)))
            .findFirst()
            .orElse(null);
    findings.accept(
        new Finding(
            Severity.ERROR,
            FindingKind.ROCKSDB_DIFFERS,
            source.directory(),
            0,
            object,
            "The key \"" + name + "\" is not as the journal says: " + how + ".",
            "The value of the key in the database.",
            canBeRebuilt() ? REBUILD : ONE_COPY));
  }

  private void reportDamage(RocksDBException e) {
    String text = String.valueOf(e.getMessage());
    Matcher table = TABLE.matcher(text);
    Matcher offset = OFFSET.matcher(text);
    report(
        Severity.ERROR,
        FindingKind.ROCKSDB_DAMAGED,
        table.find() ? source.directory().resolve(table.group(1)) : source.directory(),
        offset.find() ? Long.parseLong(offset.group(1)) : 0,
        "RocksDB reports: " + text + ".",
        canBeRebuilt() ? Finding.NOTHING : LOST,
        canBeRebuilt() ? REBUILD : ONE_COPY);
  }

  private void report(
      Severity severity,
      FindingKind kind,
      Path file,
      long offset,
      String meaning,
      String lost,
      String remedy) {
    findings.accept(new Finding(severity, kind, file, offset, null, meaning, lost, remedy));
  }
}
