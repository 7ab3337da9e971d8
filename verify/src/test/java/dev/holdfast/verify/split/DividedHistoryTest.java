package dev.holdfast.verify.split;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.BookmarkException;
import dev.holdfast.archiver.RestoredJournal;
import dev.holdfast.faults.MemoryDisk;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.JournalTail;
import dev.holdfast.journal.check.JournalCheck;
import dev.holdfast.journal.check.RecordCursor;
import dev.holdfast.journal.check.SurveyedRecords;
import dev.holdfast.journal.file.JournalChunk;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.pitr.JournaledRecovery;
import dev.holdfast.recovery.Restoration;
import dev.holdfast.runtime.MovedConsumers;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.LaterBatches;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.testkit.VirtualClock;
import dev.holdfast.verify.split.SimulatedHistory.Restored;
import dev.holdfast.verify.split.SimulatedHistory.Thing;
import dev.holdfast.verify.split.SimulatedHistory.Written;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

/**
 * Journals are divided, and the result once more: each moment of each object that is kept has the
 * state that it had, and no other moment has one.
 */
class DividedHistoryTest {

  private static final boolean IS_LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int TRIES_LONG = 6_000;
  private static final int MOMENTS = 12;

  /** A record or two. */
  private static final int SEGMENT_BYTES = 200;

  private static final int CHUNK_BYTES = 300;

  private static final Duration WINDOW = Duration.ofDays(36_500);

  private Disk disk = new MemoryDisk();
  private final Random random = new Random(7);

  /** A journal that is divided. */
  private record Source(List<JournalRecord> records, long oldest, long needed, long begunMillis) {}

  @Property(tries = 40, shrinking = ShrinkingMode.OFF)
  void everyMomentThatIsKeptHasItsState(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 4) int from,
      @ForAll @IntRange(min = 1, max = 5) int to,
      @ForAll @IntRange(min = 1, max = 4) int again)
      throws Exception {
    int rounds = IS_LONG ? TRIES_LONG / 40 : 4;
    for (int round = 0; round < rounds; round++) {
      check(seed + round, from, to, again);
    }
  }

  private void check(long seed, int from, int to, int again) throws Exception {
    SimulatedHistory past =
        new SimulatedHistory(seed, from, 10 + (int) (seed & 0x3F), /* isPurged= */ seed % 3 != 0);
    List<Source> sources =
        past.shards.stream()
            .map(each -> new Source(each.kept(), each.oldest, each.needed, each.begunMillis()))
            .toList();
    Path root = Path.of("divided").toAbsolutePath();
    disk = new MemoryDisk();
    try (Divided first = new Divided(sources, past, root.resolve("first"), to);
        Divided second = new Divided(first.asSources(), past, root.resolve("second"), again)) {
      first.check(past, first::placeOf);
      Places twice = (key, position) -> second.placeOf(key, first.placeOf(key, position));
      second.check(past, twice);
      first.restore(past, /* hasImage= */ false);
      first.check(past, first::placeOf);
      first.dropOldest();
      first.check(past, first::placeOf);
      second.dropOldest();
      second.check(past, twice);
      second.restore(past, /* hasImage= */ true);
      second.dropOldest();
      second.check(past, twice);
    }
  }

  /** Where an object has its last batch, as its files have it. */
  private interface Places {
    long of(ObjectKey key, long position);
  }

  /** Journals that were made of others. */
  private final class Divided implements AutoCloseable {
    private final List<Path> directories = new ArrayList<>();
    private final List<Long> begun = new ArrayList<>();
    private final SplitJournal journals;
    private boolean isDropped;
    private final ShardMap old;
    private final ShardMap map;

    Divided(List<Source> sources, SimulatedHistory past, Path root, int count) throws Exception {
      this.old = new ShardMap(sources.size());
      this.map = new ShardMap(count);
      List<SplitJournal.Target> targets = new ArrayList<>();
      for (int shard = 0; shard < count; shard++) {
        Path directory = root.resolve("shard" + shard);
        disk.createDirectories(directory);
        directories.add(directory);
        begun.add(begunMillis(sources, shard));
        targets.add(new SplitJournal.Target(directory, begun.getLast(), List.of()));
      }
      Path work = root.resolve("work");
      disk.createDirectories(work);
      this.journals =
          new SplitJournal(
              disk,
              sources.stream()
                  .map(
                      each ->
                          new SplitJournal.Source(
                              each.oldest(),
                              each.needed(),
                              new MovedConsumers.Places(each.oldest())))
                  .toList(),
              targets,
              past.isWhole(),
              SEGMENT_BYTES,
              work,
              random::nextLong);
      try (MergedRecords records =
          new MergedRecords(
              sources.stream().map(each -> cursor(each.records())).toList(), past.millis())) {
        records.forEach(journals::add);
      }
      journals.addConsumers();
      journals.finish();
    }

    /** As a division of directories has it. */
    private long begunMillis(List<Source> sources, int shard) {
      List<Source> its =
          IntStream.range(0, sources.size())
              .filter(
                  each ->
                      Arrays.compareUnsigned(old.firstIds(each), map.firstIds(shard + 1)) < 0
                          && Arrays.compareUnsigned(map.firstIds(shard), old.firstIds(each + 1))
                              < 0)
              .mapToObj(sources::get)
              .filter(each -> !each.records().isEmpty())
              .toList();
      return its.stream()
          .filter(each -> each.oldest() > 1)
          .mapToLong(Source::begunMillis)
          .max()
          .orElseGet(() -> its.stream().mapToLong(Source::begunMillis).min().orElse(0));
    }

    long placeOf(ObjectKey key, long position) {
      return journals.places(old.shardOf(key.id()), map.shardOf(key.id())).applyAsLong(position);
    }

    /** {@return what is divided again} */
    List<Source> asSources() throws IOException {
      List<Source> sources = new ArrayList<>();
      for (Path each : directories) {
        JournalCheck.Result journal = JournalCheck.requireSound(disk, each);
        SurveyedRecords read = journal.records();
        List<JournalRecord> records = new ArrayList<>();
        read.forEachFrom(0, record -> records.add(record.copied()));
        sources.add(
            new Source(
                records,
                read.oldestPosition(),
                read.firstPosition(),
                journal.begunMillis().getFirst()));
      }
      return sources;
    }

    /** Drops some of the segments that no view needs, as retention does. */
    void dropOldest() throws IOException {
      isDropped = true;
      for (Path each : directories) {
        long needed = JournalCheck.requireSound(disk, each).records().firstPosition();
        Path journal = each.resolve(FileJournal.DIRECTORY_NAME);
        Segments segments = Segments.list(disk, journal);
        List<Long> unneeded = segments.entirelyBefore(needed);
        int count = random.nextInt(unneeded.size() + 1);
        for (long segment : unneeded.subList(0, count)) {
          disk.delete(segments.fileOf(segment));
        }
      }
    }

    /**
     * Archives the journals, and restores them.
     *
     * @param hasImage whether the archive has them from an image on
     */
    void restore(SimulatedHistory past, boolean hasImage) throws IOException {
      isDropped |= hasImage;
      for (int shard = 0; shard < directories.size(); shard++) {
        JournalCheck.Result whole = JournalCheck.requireSound(disk, directories.get(shard));
        SurveyedRecords read = whole.records();
        long oldest = read.oldestPosition();
        long end = Math.min(read.firstPosition(), whole.lastPosition());
        long first = hasImage ? random.nextLong(oldest, end + 1) : oldest;
        Path from = directories.get(shard);
        Path to = from.resolveSibling(from.getFileName() + " restored");
        VirtualClock clock = clockAfter(past);
        Path journal = from.resolve(FileJournal.DIRECTORY_NAME);
        copy(journal, to, first, read.firstPosition(), clock);
        directories.set(shard, to);
      }
    }

    private void copy(Path from, Path to, long first, long needed, VirtualClock clock)
        throws IOException {
      try (FileJournal journal =
          FileJournal.open(from, clock, JournalOptions.DEFAULT.withDisk(disk))) {
        JournalTail tail = journal.tail();
        long last = tail.durablePosition();
        // As an image of that position.
        JournalChunk before = tail.read(first - 1, CHUNK_BYTES);
        JournalRecord dropped = before == null ? null : before.record(first - 1);
        RestoredJournal.Origin origin =
            new RestoredJournal.Origin(
                tail.journalId(),
                first,
                needed,
                last,
                dropped == null ? Long.MIN_VALUE : dropped.wallMillis());
        try (RestoredJournal copy =
            new RestoredJournal(disk, to, origin, _ -> true, new HashSet<>(), random::nextLong)) {
          while (copy.nextPosition() <= last) {
            copy.add(requireNonNull(tail.read(copy.nextPosition(), CHUNK_BYTES)), last);
          }
          copy.finish();
        }
      }
    }

    void check(SimulatedHistory past, Places places) {
      for (int shard = 0; shard < directories.size(); shard++) {
        VirtualClock clock = clockAfter(past);
        try (FileJournal journal =
            FileJournal.open(
                directories.get(shard).resolve(FileJournal.DIRECTORY_NAME),
                clock,
                JournalOptions.DEFAULT.withDisk(disk))) {
          JournaledRecovery recovery =
              new JournaledRecovery(journal, journal.history(), clock, _ -> WINDOW);
          recovery.recover(journal.recoveryLog());
          for (Thing each : past.things) {
            if (map.shardOf(each.key.id()) == shard) {
              long last = places.of(each.key, each.lastBatch());
              new Answers(recovery, each, last, begun.get(shard), isDropped).check(past.millis());
            }
          }
        }
      }
    }

    @Override
    public void close() throws IOException {
      journals.close();
    }
  }

  private static VirtualClock clockAfter(SimulatedHistory past) {
    return new VirtualClock(Instant.ofEpochMilli(past.millis() + 10));
  }

  /** What a journal says of an object. */
  private final class Answers {
    private final JournaledRecovery recovery;
    private final Thing thing;
    private final long last;
    private final long begun;
    private final boolean isDropped;

    Answers(JournaledRecovery recovery, Thing thing, long last, long begun, boolean isDropped) {
      this.recovery = recovery;
      this.thing = thing;
      this.last = last;
      this.begun = begun;
      this.isDropped = isDropped;
    }

    void check(long end) {
      for (int moment = 0; moment < MOMENTS; moment++) {
        checkMoment(random.nextLong(990, end + 2));
      }
      checkMoment(Math.max(990, thing.purgedMillis));
      for (Restoration each : recovery.restorations(thing.key)) {
        checkRestore(each);
      }
    }

    private void checkMoment(long millis) {
      List<Written> later =
          thing.batches.stream().filter(each -> each.record().wallMillis() > millis).toList();
      boolean isKept = millis >= begun && mayUndo(later);
      boolean isPurged = thing.purgedTo > 0 && millis < millisOf(thing.purgedTo);
      boolean isAfterPurge = thing.purgedTo == 0 || millis >= thing.purgedMillis;
      compare(
          "at " + millis,
          () -> recovery.bookmarkAt(thing.key, Instant.ofEpochMilli(millis)),
          later,
          isKept && isAfterPurge,
          isPurged);
    }

    private void checkRestore(Restoration found) {
      List<Restored> all =
          thing.restores.stream()
              .filter(each -> each.millis() == found.time().toEpochMilli())
              .toList();
      assertThat(all).as("restores at %s", found.time()).isNotEmpty();
      if (all.size() > 1 || found.restored() == null) {
        return;
      }
      long target = all.getFirst().target();
      String bookmark = found.restored();
      List<Written> later =
          thing.batches.stream().filter(each -> each.position() > target).toList();
      compare(
          "restored to " + target,
          () -> bookmark,
          later,
          target >= thing.shard.oldest - 1 && target > thing.purgedTo && mayUndo(later),
          target < thing.shard.oldest - 1);
    }

    /** {@return whether all parts of batches are kept} */
    private boolean mayUndo(List<Written> later) {
      return later.stream()
          .allMatch(
              each ->
                  each.position() >= thing.shard.oldest
                      && (each.firstPart() == 0 || each.firstPart() >= thing.shard.oldest));
    }

    private long millisOf(long position) {
      return thing.shard.records.get((int) position - 1).wallMillis();
    }

    private void compare(
        String what,
        Supplier<String> bookmark,
        List<Written> later,
        boolean isGiven,
        boolean isRefused) {
      @Nullable List<JournalRecord> undone = null;
      try {
        LaterBatches found = recovery.laterThan(thing.key, bookmark.get());
        undone = new ArrayList<>();
        List<JournalRecord> batches = undone;
        found.newestFirst(
            last,
            record -> {
              if (record.kind().isBatch()) {
                batches.addFirst(record.copied());
              }
            });
      } catch (BookmarkException e) {
        assertThat(isGiven && !isDropped)
            .as("%s of %s: %s", what, thing.key, e.getMessage())
            .isFalse();
        assertThat(undone).as("%s is accepted, and fails then", what).isNull();
      }
      if (undone != null) {
        assertThat(isRefused).as("%s of %s is refused", what, thing.key).isFalse();
        assertThat(undone)
            .extracting(JournalRecord::wallMillis)
            .as(what)
            .containsExactlyElementsOf(
                later.stream().map(each -> each.record().wallMillis()).toList());
      }
    }
  }

  private static RecordCursor cursor(List<JournalRecord> records) {
    Iterator<JournalRecord> all = records.iterator();
    return new RecordCursor() {
      @Override
      public @Nullable JournalRecord next() {
        return all.hasNext() ? all.next() : null;
      }

      @Override
      public void close() {}
    };
  }
}
