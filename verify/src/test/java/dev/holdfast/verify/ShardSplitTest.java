package dev.holdfast.verify;

import static dev.holdfast.verify.SplitPages.PAGES;
import static dev.holdfast.verify.SplitPages.alarms;
import static dev.holdfast.verify.SplitPages.id;
import static dev.holdfast.verify.SplitPages.names;
import static dev.holdfast.verify.SplitPages.namespace;
import static dev.holdfast.verify.SplitPages.page;
import static dev.holdfast.verify.SplitPages.poll;
import static dev.holdfast.verify.SplitPages.register;
import static dev.holdfast.verify.SplitPages.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BookmarkException;
import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.check.JournalCheck;
import dev.holdfast.journal.check.SurveyedRecords;
import dev.holdfast.journal.file.CopiedGroup;
import dev.holdfast.journal.file.CopiedSegments;
import dev.holdfast.journal.file.MarkFile;
import dev.holdfast.journal.file.SegmentHeader;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.file.VoidRecord;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a single machine or several shards have is divided: each part is opened as a single machine
 * is.
 */
class ShardSplitTest {

  @TempDir private Path directory;

  private Division division() {
    return new Division(directory);
  }

  private static void check(SplitPages.Parts parts, SplitPages.Past past) {
    Map<String, String> latest = new TreeMap<>(past.states.getLast());
    latest.putAll(past.pending);
    assertThat(parts.states()).isEqualTo(latest);
    for (int at = 0; at < past.moments.size(); at++) {
      for (Map.Entry<String, String> each : past.states.get(at).entrySet()) {
        String name = each.getKey();
        if (past.gone.contains(name) && at < 3) {
          continue;
        }
        ObjectRuntime runtime = parts.of(name);
        ObjectId id = id(runtime, name);
        String bookmark =
            runtime.recovery(namespace(name), id).bookmarkForTime(past.moments.get(at));
        String undo = runtime.admin().restoreNow(namespace(name), id, bookmark);
        assertThat(page(runtime, name).read()).as(name + " at " + at).isEqualTo(each.getValue());
        runtime.admin().restoreNow(namespace(name), id, undo);
      }
    }
    assertThat(parts.states()).isEqualTo(latest);
    ObjectRuntime runtime = parts.of("sql4");
    String before = past.bookmark;
    assertThatThrownBy(() -> runtime.admin().restoreNow("sql", id(runtime, "sql4"), before))
        .isInstanceOf(BookmarkException.class);
    for (String name : past.gone) {
      ObjectRuntime owner = parts.of(name);
      assertThatThrownBy(
              () -> {
                String purged =
                    owner
                        .recovery(namespace(name), id(owner, name))
                        .bookmarkForTime(past.moments.getFirst());
                owner.admin().restoreNow(namespace(name), id(owner, name), purged);
              })
          .as("purged " + name)
          .isInstanceOf(BookmarkException.class);
    }
  }

  private static void checkEvents(SplitPages.Parts parts, SplitPages.Past past) {
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    List<AutoCloseable> consumers =
        parts.consume(batch -> batch.forEach(event -> events.add(event.value())));
    List<String> all = new ArrayList<>(past.handled);
    page(parts.of("sql0"), "sql0").say("last");
    page(parts.of("keys0"), "keys0").say("last");
    while (all.size() < past.emitted.size() + 2) {
      all.add(poll(events));
    }
    consumers.forEach(SplitPages::close);
    List<String> expected = new ArrayList<>(past.emitted);
    expected.addAll(List.of("sql0 last", "keys0 last"));
    assertThat(all).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(events).isEmpty();
  }

  private void divideAndCheck(Division.Opening opening, SplitPages.Past past, int count)
      throws Exception {
    List<Path> shards = division().divide(new FileDisk(), opening, count);
    for (Path each : shards) {
      assertThat(Verification.run(each, directory, /* isDeep= */ true).findings()).isEmpty();
    }
    try (SplitPages.Parts parts = SplitPages.Parts.open(shards)) {
      assertThat(names(parts.runtimes)).isEqualTo(past.names);
      assertThat(alarms(parts.runtimes)).isEqualTo(past.alarms);
      checkEvents(parts, past);
      check(parts, past);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void everyObjectHasItsStateAndItsPastInEachNumberOfShards(long seed) throws Exception {
    Path source = directory.resolve("source");
    Path backup = directory.resolve("backup");
    SplitPages.Past past;
    try (SplitPages.Parts parts = SplitPages.Parts.open(List.of(source))) {
      past = write(parts, new Random(seed), /* isPurged= */ seed % 2 == 0);
      parts.runtimes.getFirst().backup(backup);
    }
    divideAndCheck(disk -> ShardSplit.open(disk, backup), past, 3); // as after a crash
    if (isLong()) {
      divideAndCheck(disk -> ShardSplit.open(disk, source), past, 1);
      divideAndCheck(disk -> ShardSplit.open(disk, source), past, 64);
    }
    assertThat(Verification.run(source, directory, /* isDeep= */ false).findings()).isEmpty();
  }

  private static boolean isLong() {
    return "long".equals(System.getProperty("holdfast.tests"));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void severalShardsBecomeFewerOrMore(long seed) throws Exception {
    List<Path> sources = division().named("source", 4);
    List<Path> backups = division().named("backup", 4);
    SplitPages.Past past;
    try (SplitPages.Parts parts = SplitPages.Parts.open(sources)) {
      past = write(parts, new Random(seed), /* isPurged= */ seed % 2 == 0);
      for (int i = 0; i < backups.size(); i++) {
        parts.runtimes.get(i).backup(backups.get(i));
      }
    }
    Division.Opening ofBackups = Division.asShards(backups);
    divideAndCheck(ofBackups, past, 3);
    divideAndCheck(ofBackups, past, 6);
    if (isLong()) {
      divideAndCheck(Division.asShards(sources), past, 1);
      divideAndCheck(ofBackups, past, 64);
    }
  }

  /** Records are in the order of their times, also of those that are in the future here. */
  @Test
  void clockThatIsBehindChangesNothingOrIsRefused() throws Exception {
    List<Path> sources = division().named("source", 2);
    SplitPages.Past past;
    try (SplitPages.Parts parts = SplitPages.Parts.open(sources)) {
      past = write(parts, new Random(3), /* isPurged= */ false);
    }
    long begun = past.moments.getFirst().toEpochMilli() - 60_000;
    Division.Opening opening = Division.asShards(sources);
    assertThatThrownBy(() -> division().divide(new FileDisk(), opening, 1, begun - 300_000))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("Set the clock");
    assertThat(directory.resolve("of 1/shard0")).doesNotExist();
    List<String> expected = records(division().divide(new FileDisk(), opening, 1).getFirst());
    assertThat(records(division().divide(new FileDisk(), opening, 1, begun).getFirst()))
        .isEqualTo(expected);
  }

  private static List<String> records(Path data) throws Exception {
    List<String> records = new ArrayList<>();
    JournalCheck.requireSound(new FileDisk(), data)
        .records()
        .forEachFrom(0, record -> records.add(record.key() + " at " + record.wallMillis()));
    return records;
  }

  @Test
  void historyThatWasDroppedIsNotKeptAndTheRestIs() throws Exception {
    Path source = directory.resolve("source");
    SplitPages.Past past = new SplitPages.Past();
    byte[] filling = new byte[900_000];
    try (ObjectRuntime runtime =
        Holdfast.open(
            source,
            objects -> {
              register(objects);
              objects.options(RuntimeOptions.DEFAULT.withHistoryBytesMax(20 << 20));
            })) {
      for (int round = 0; round < 40; round++) {
        new Random(round).nextBytes(filling);
        page(runtime, (round % 2 == 0 ? "sql" : "keys") + round % PAGES)
            .write("r" + round, filling);
      }
      past.note(SplitPages.Parts.of(runtime));
      for (int i = 0; i < 4; i++) {
        page(runtime, "sql" + i).write("late", new byte[10]);
        page(runtime, "keys" + i).write("late", new byte[10]);
      }
      past.note(SplitPages.Parts.of(runtime));
    }
    assertThat(source.resolve("journal/0000000000000001.log")).as("dropped").doesNotExist();
    List<Path> shards = division().divide(new FileDisk(), source, 5);
    for (Path each : shards) {
      assertThat(Verification.run(each, directory, /* isDeep= */ false).findings()).isEmpty();
    }
    try (SplitPages.Parts parts = SplitPages.Parts.open(shards)) {
      assertThat(parts.states()).isEqualTo(past.states.getLast());
      for (String name : past.states.getFirst().keySet()) {
        ObjectRuntime runtime = parts.of(name);
        ObjectId id = id(runtime, name);
        String bookmark =
            runtime.recovery(namespace(name), id).bookmarkForTime(past.moments.getFirst());
        runtime.admin().restoreNow(namespace(name), id, bookmark);
        assertThat(page(runtime, name).read()).as(name).isEqualTo(past.states.getFirst().get(name));
      }
    }
  }

  /** Another shard needs records of before it, so it is read when the files are opened. */
  @ParameterizedTest
  @EnumSource
  void stateBeforeABatchWhosePartsWereDroppedIsRefusedWhenItIsAskedFor(Checkpoints its)
      throws Exception {
    Parted parted = parted(its);
    Path made = parted.made();
    JournalRecord last = parted.last();
    assertThat(Verification.run(made, directory, /* isDeep= */ true).findings()).isEmpty();
    try (ObjectRuntime runtime = Holdfast.open(made, SplitPages::register)) {
      ObjectRecovery recovery = runtime.recovery("sql", last.key().id());
      String before = recovery.bookmarkForTime(Instant.ofEpochMilli(last.wallMillis() - 1));
      assertThatThrownBy(() -> recovery.restoreOnNextSession(before))
          .isInstanceOfSatisfying(
              BookmarkException.class,
              refused -> assertThat(refused.reason()).isEqualTo(BookmarkException.Reason.NOT_KEPT));
      assertThat(runtime.namespace("sql", SplitPages.Page.class).get(last.key().id()).read())
          .contains("early");
    }
  }

  /** Only the catalog says that its file has the batch. */
  @Test
  void lostCatalogRefusesOnlyTheObjectWhoseBatchLacksParts() throws Exception {
    Parted parted = parted(Checkpoints.OF_ANOTHER_NODE);
    ObjectId id = parted.last().key().id();
    Files.delete(parted.made().resolve("sqlite/catalog.sqlite"));
    for (int opened = 0; opened < 2; opened++) { // the second time with the catalog of the first
      try (ObjectRuntime runtime = Holdfast.open(parted.made(), SplitPages::register)) {
        SplitPages.Page refused = runtime.namespace("sql", SplitPages.Page.class).get(id);
        assertThatThrownBy(refused::read)
            .isInstanceOf(InstanceResetException.class)
            .hasStackTraceContaining("Restore the whole data directory");
        for (String name : parted.others()) {
          assertThat(page(runtime, name).read()).as(name).contains("unsaved");
          page(runtime, name).write("unsaved", new byte[opened]);
        }
      }
    }
  }

  private record Parted(Path made, JournalRecord last, List<String> others) {}

  /** {@return a shard that has a batch of which the first parts were dropped} */
  private Parted parted(Checkpoints its) throws Exception {
    List<Path> sources = division().named("source", 2);
    Path backup = directory.resolve("backup");
    List<String> own = new ArrayList<>();
    List<String> others = new ArrayList<>();
    try (SplitPages.Parts parts = SplitPages.Parts.open(sources)) {
      for (int number = 0; number < PAGES; number++) {
        String name = "sql" + number;
        if (parts.of(name) == parts.runtimes.getFirst()) {
          own.add(name);
        } else {
          others.add(name);
          page(parts.of(name), name).write("unsaved", new byte[10]);
        }
      }
      parts.runtimes.getLast().backup(backup);
    }
    JournalRecord last = lastWithoutParts(sources.getFirst(), own);
    if (its != Checkpoints.OF_THE_NODE) { // only the catalog says then that the file has the batch
      replaceCheckpoints(sources.getFirst(), last, its);
    }
    Division.Opening opening = Division.asShards(List.of(sources.getFirst(), backup));
    return new Parted(division().divide(new FileDisk(), opening, 1).getFirst(), last, others);
  }

  /**
   * Which checkpoints of an object a source has. Its files can be those that another node had
   * saved: the checkpoints of that do not count.
   */
  private enum Checkpoints {
    OF_THE_NODE,
    OF_ANOTHER_NODE,
    /** The node itself had saved an earlier state. */
    OLDER
  }

  private void replaceCheckpoints(Path source, JournalRecord last, Checkpoints its)
      throws Exception {
    FileDisk disk = new FileDisk();
    SurveyedRecords records = JournalCheck.requireSound(disk, source).records();
    Path journal = source.resolve(FileJournal.DIRECTORY_NAME);
    Path first = Segments.fileOf(journal, records.oldestPosition());
    SegmentHeader header = SegmentHeader.decode(Files.readAllBytes(first));
    Path made = directory.resolve("made");
    int replaced = 0;
    try (CopiedSegments segments =
        new CopiedSegments(
            disk,
            made,
            header.journalId(),
            header.firstPosition(),
            64 << 20,
            new Random(9)::nextLong)) {
      List<JournalRecord> all = new ArrayList<>();
      records.forEachFrom(0, record -> all.add(record.copied()));
      // The source itself does not read an older state again.
      segments.needFrom(
          all.stream()
              .filter(each -> isCheckpointOf(last.key(), each))
              .mapToLong(each -> Math.max(each.position() + 1, records.firstPosition()))
              .max()
              .orElseThrow());
      CopiedGroup group = new CopiedGroup();
      for (JournalRecord each : all) {
        boolean isReplaced = isCheckpointOf(last.key(), each);
        replaced += isReplaced ? 1 : 0;
        boolean isVoid = isReplaced && its == Checkpoints.OF_ANOTHER_NODE;
        group.add(
            each.wallMillis(),
            each.kind(),
            isVoid ? RecordKind.VOID_VIEW : each.viewId(),
            isVoid ? VoidRecord.NO_OBJECT : each.key(),
            each.link(),
            isVoid
                ? ByteBuffer.allocate(0)
                : isReplaced ? stateBefore(last, each.payload()) : each.payload());
        group.writeTo(segments, header.wallMillis());
      }
      FileTree.delete(disk, journal);
      disk.delete(source.resolve(FileJournal.MARK_FILE_NAME));
      segments.finish(new MarkFile(disk, source.resolve(FileJournal.MARK_FILE_NAME)));
    }
    disk.move(made, journal);
    assertThat(replaced).isPositive();
  }

  private static boolean isCheckpointOf(ObjectKey key, JournalRecord record) {
    return record.kind() == RecordKind.CHECKPOINT && record.key().equals(key);
  }

  private static ByteBuffer stateBefore(JournalRecord batch, ByteBuffer payload) {
    SavedState state = SavedState.decode(payload);
    return new SavedState(
            batch.requireLink().previous(),
            state.pageBytes(),
            state.pages(),
            state.checksum() ^ 1,
            List.of())
        .encode();
  }

  /** {@return the last batch of an object, of whose parts the first were dropped} */
  private static JournalRecord lastWithoutParts(Path source, List<String> own) throws Exception {
    Random random = new Random(5);
    @Nullable JournalRecord found = null;
    for (int round = 0; found == null; round++) {
      String name = own.get(round % own.size());
      try (ObjectRuntime runtime =
          Holdfast.open(
              source,
              objects -> {
                register(objects);
                objects.options(RuntimeOptions.DEFAULT.withHistoryBytesMax(20 << 20));
              })) {
        byte[] filling = new byte[1_700_000];
        random.nextBytes(filling);
        page(runtime, name).write("early", filling);
        ObjectRecovery recovery = runtime.recovery("sql", id(runtime, name));
        String early = recovery.bookmarkForTime(SplitPages.Past.after(Instant.now()));
        random.nextBytes(filling);
        page(runtime, name).write("late", filling);
        runtime.admin().restoreNow("sql", id(runtime, name), early);
      }
      found = firstWithoutParts(source);
    }
    return found;
  }

  /** {@return the first batch, if its first parts were dropped before the history begins} */
  private static @Nullable JournalRecord firstWithoutParts(Path source) throws Exception {
    JournalCheck.Result journal = JournalCheck.requireSound(new FileDisk(), source);
    List<JournalRecord> batches = new ArrayList<>();
    journal
        .records()
        .forEachFrom(
            0,
            record -> {
              if (record.kind().isChained()) {
                batches.add(record.copied());
              }
            });
    JournalRecord first = batches.getFirst();
    if (first.kind() != RecordKind.UNDO_PART || first.requireLink().parts() == 1) {
      return null;
    }
    JournalRecord batch =
        batches.stream()
            .filter(each -> each.kind().isBatch() && each.key().equals(first.key()))
            .reduce((_, later) -> later)
            .orElseThrow();
    boolean isOnly = batch.requireLink().previous() == first.requireLink().previous();
    return isOnly && batch.wallMillis() > journal.begunMillis().getFirst() ? batch : null;
  }

  /** The last record before the purged ones is another object's. */
  @Test
  void stateBeforeAPurgedOneIsNotKept() throws Exception {
    Path source = directory.resolve("source");
    SplitPages.Past past = new SplitPages.Past();
    try (ObjectRuntime runtime = Holdfast.open(source, SplitPages::register)) {
      page(runtime, "sql0").write("there", new byte[10]);
      past.note(SplitPages.Parts.of(runtime));
      page(runtime, "sql1").write("purged", new byte[10]);
      runtime.admin().purgeHistory("sql", id(runtime, "sql1")).join();
    }
    try (SplitPages.Parts parts =
        SplitPages.Parts.open(division().divide(new FileDisk(), source, 1))) {
      ObjectRuntime runtime = parts.of("sql1");
      ObjectRecovery recovery = runtime.recovery("sql", id(runtime, "sql1"));
      assertThatThrownBy(() -> recovery.bookmarkForTime(past.moments.getFirst()))
          .isInstanceOf(BookmarkException.class);
      recovery.bookmarkForTime(SplitPages.Past.after(Instant.now()));
    }
  }

  /** As where a source is asked for a moment: the next segment counts then. */
  @Test
  void segmentThatWasBegunInTheFutureDoesNotSaySinceWhenAShardHasAll() throws Exception {
    Path source = directory.resolve("source");
    try (ObjectRuntime runtime = Holdfast.open(source, SplitPages::register)) {
      for (int number = 0; number < PAGES; number++) {
        page(runtime, "sql" + number).write("there", new byte[10]);
      }
      runtime.admin().purgeHistory("sql", id(runtime, "sql1")).join();
    }
    List<Path> sources = division().divide(new FileDisk(), source, 2);
    SplitPages.Past past = new SplitPages.Past();
    try (SplitPages.Parts parts = SplitPages.Parts.open(sources)) {
      for (int number = 0; number < PAGES; number++) {
        String name = "sql" + number;
        page(parts.of(name), name).write("later", new byte[10]);
        if (parts.of(name) == parts.runtimes.getFirst()) { // a purge begins a segment
          parts.of(name).admin().purgeHistory("sql", id(parts.of(name), name)).join();
        }
      }
      past.note(parts);
    }
    beginInTheFuture(sources.getFirst().resolve("journal/0000000000000003.log"));
    List<Long> begun = JournalCheck.requireSound(new FileDisk(), sources.getFirst()).begunMillis();
    Path made = division().divide(new FileDisk(), Division.asShards(sources), 1).getFirst();
    assertThat(JournalCheck.requireSound(new FileDisk(), made).begunMillis().getFirst())
        .isEqualTo(begun.get(1));
    try (SplitPages.Parts parts = SplitPages.Parts.open(List.of(made))) {
      ObjectRuntime runtime = parts.of("sql1");
      runtime.recovery("sql", id(runtime, "sql1")).bookmarkForTime(past.moments.getFirst());
    }
  }

  private static void beginInTheFuture(Path segment) throws Exception {
    byte[] bytes = Files.readAllBytes(segment);
    SegmentHeader header = SegmentHeader.decode(bytes);
    long ahead = System.currentTimeMillis() + 86_400_000;
    byte[] changed =
        new SegmentHeader(
                header.firstPosition(),
                header.journalId(),
                header.salt(),
                header.lowWaterMark(),
                header.allocatedBytes(),
                ahead,
                header.isMarked())
            .encode();
    System.arraycopy(changed, 0, bytes, 0, changed.length);
    Files.write(segment, bytes);
  }
}
