package dev.holdfast.kills;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BookmarkException;
import dev.holdfast.BookmarkException.Reason;
import dev.holdfast.ObjectId;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.faults.MemoryDisk;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.HistoryOptions;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.check.JournalCheck;
import dev.holdfast.pitr.JournaledRecovery;
import dev.holdfast.recovery.HistoryEntry;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.PointInTimeRecovery.Purge;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/**
 * Random programs change, restore, fork and purge objects, while consumers and saves hold purges
 * back and the power is cut, on a disk in memory. A model remembers each state with its bookmark
 * and time: it must come back, be refused because its history was purged or dropped, and be nothing
 * else.
 */
final class PurgeProgramsTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int FIRST_SEED = Integer.getInteger("purge.seed", 1);
  private static final int SEEDS = Integer.getInteger("purge.seeds", LONG ? 50_000 : 150);

  private static final int STEPS = 30;
  private static final int OBJECTS = 3;
  private static final Duration WINDOW = Duration.ofDays(30);
  private static final Path DIRECTORY = Path.of("data");

  /** What was done, so that programs that do too little are detected. */
  private static final class Counts {
    int restores;
    int refusals;
    int purges;
    int continued;
    int powerCuts;
    int checked;

    @Override
    public String toString() {
      return "%,d states checked, %,d refused, %,d restores, %,d purges, %,d continued, %,d cuts"
          .formatted(checked, refusals, restores, purges, continued, powerCuts);
    }
  }

  @Test
  void everyStateComesBackOrIsRefused(TestReporter reporter) throws IOException {
    Counts counts = new Counts();
    for (int seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      run(seed, counts, (purge, _) -> purge.upTo());
    }
    reporter.publishEntry(counts.toString());
    assertThat(counts.restores).isGreaterThan(SEEDS);
    assertThat(counts.purges).isGreaterThan(SEEDS);
    assertThat(counts.continued).isGreaterThan(SEEDS / 10);
    assertThat(counts.powerCuts).isGreaterThan(SEEDS / 10);
    assertThat(counts.refusals).isGreaterThan(SEEDS);
  }

  /**
   * The fault for which these programs were written: a purge that goes on takes what is there then.
   */
  @Test
  void extentThatIsDecidedAgainIsFound() {
    assertThatThrownBy(
            () -> {
              for (int seed = 1; seed <= 100; seed++) {
                run(seed, new Counts(), (_, lastPosition) -> lastPosition);
              }
            })
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("purge.seed=");
  }

  /** {@return up to where a purge is continued, whose journal ends at a position} */
  private interface Extent {
    long of(Purge purge, long lastPosition);
  }

  private static void run(int seed, Counts counts, Extent continued) throws IOException {
    Program program = new Program(seed, counts, continued);
    try {
      program.run();
    } catch (RuntimeException | Error e) {
      throw new AssertionError("purge.seed=" + seed + ", after " + program.done, e);
    } finally {
      program.abandon();
    }
  }

  /** A remembered state. */
  private record Moment(String bookmark, long wallMillis, Map<String, String> content) {}

  /** A state before a purge. */
  private record Gone(Moment moment, Map<String, String> contentAtPurge) {}

  /** What an object must be. */
  private static final class Model {
    Map<String, String> content = Map.of();

    /** States that come back, or whose history was dropped, in order. */
    final List<Moment> moments = new ArrayList<>();

    /** States whose history was purged. */
    final List<Gone> gone = new ArrayList<>();

    /** The target of the requested restore; null for none. */
    @Nullable Map<String, String> pending;

    /** The batches since the last purge. */
    int batches;
  }

  private static final class Program {
    private final Random random;
    private final Counts counts;
    private final Extent continued;
    private final boolean isCapped;
    private final VirtualClock clock = new VirtualClock();
    private final MemoryDisk disk = new MemoryDisk();
    private final PairsView.Files files = new PairsView.Files();
    private final AtomicLong salts;
    private final List<Model> models = new ArrayList<>();
    private final List<ObjectKey> keys = new ArrayList<>();
    private final Map<Purge, CompletableFuture<Void>> purges = new HashMap<>();
    final List<String> done = new ArrayList<>();

    private FileJournal journal;
    private PairsView pairs;
    private JournaledRecovery recovery;
    private int lastValue;

    Program(int seed, Counts counts, Extent continued) {
      this.continued = continued;
      this.random = new Random(seed);
      this.counts = counts;
      this.isCapped = random.nextInt(4) == 0;
      this.salts = new AtomicLong(seed);
      for (int number = 0; number < OBJECTS; number++) {
        byte[] id = new byte[ObjectId.LENGTH_BYTES];
        ByteBuffer.wrap(id).putInt(number);
        keys.add(new ObjectKey("things", ObjectId.of(id, null)));
        models.add(new Model());
      }
      open();
    }

    private void open() {
      journal =
          FileJournal.open(
              DIRECTORY.resolve("journal"),
              clock,
              JournalOptions.DEFAULT
                  .withDisk(disk)
                  .withSegmentBytes(16 << 10)
                  .withHistory(
                      new HistoryOptions(WINDOW.toMillis(), isCapped ? 48 << 10 : Long.MAX_VALUE))
                  .withSalts(() -> salts.addAndGet(0x9E3779B97F4A7C15L)));
      pairs = new PairsView(journal, files);
      recovery = new JournaledRecovery(journal, journal.history(), clock, Map.of("things", WINDOW));
      pairs.recover(journal.recoveryLog());
      recovery.recover(journal.recoveryLog());
      pairs.saves = random.nextBoolean();
      List<JournalView> views = List.of(pairs, recovery);
      journal.start(views);
      purges.clear();
      for (Purge purge : recovery.unfinishedPurges()) {
        counts.continued++;
        purges.put(purge, journal.purge(purge.key(), continued.of(purge, journal.lastPosition())));
      }
    }

    void abandon() {
      try {
        journal.close();
      } catch (JournalFailedException e) {
        // The power is off.
      }
    }

    void run() throws IOException {
      for (int number = 0; number < OBJECTS; number++) {
        remember(number);
      }
      for (int step = 0; step < STEPS; step++) {
        clock.advance(Duration.ofMillis(1 + random.nextInt(120)));
        endPurges();
        step(random.nextInt(OBJECTS));
        int looked = random.nextInt(OBJECTS);
        List<Moment> moments = models.get(looked).moments;
        check(looked, moments.get(random.nextInt(moments.size())));
      }
      release();
      checkAll();
      reopen();
      checkAll();
      journal.close();
      List<Finding> findings = new ArrayList<>();
      JournalCheck.run(disk, DIRECTORY, findings::add);
      assertThat(findings).isEmpty();
    }

    private void step(int number) throws IOException {
      int dice = random.nextInt(100);
      if (dice < 40) {
        write(number);
      } else if (dice < 50) {
        purge(number);
      } else if (dice < 62) {
        restore(number);
      } else if (dice < 66) {
        withdraw(number);
      } else if (dice < 74) {
        hold();
      } else if (dice < 80) {
        release();
      } else if (dice < 85) {
        bookmarkWithoutBatch(number);
      } else if (dice < 92) {
        reopen();
      } else {
        cutPower();
      }
    }

    // ---- Steps ------------------------------------------------------------------------------

    private void write(int number) {
      begin(number);
      Model model = models.get(number);
      Map<String, String> next = new TreeMap<>(model.content);
      if (random.nextInt(8) == 0) {
        next.clear();
      } else {
        next.put("key" + random.nextInt(4), lastValue++ + "-".repeat(random.nextInt(20) * 10));
      }
      done.add("write " + number);
      String bookmark = null;
      if (random.nextBoolean()) {
        bookmark =
            recovery.bookmark(keys.get(number), journal.lastPosition(), /* withNextBatch= */ true);
      }
      pairs.write(keys.get(number), RecordKind.BATCH, next);
      model.content = Map.copyOf(next);
      model.batches++;
      awaitDurable();
      if (bookmark == null) {
        remember(number);
      } else {
        model.moments.add(new Moment(bookmark, clock.wallMillis(), model.content));
      }
    }

    /** A turn that asks for a bookmark, and writes nothing in the end. */
    private void bookmarkWithoutBatch(int number) {
      begin(number);
      done.add("no batch " + number);
      long position = journal.lastPosition();
      String bookmark = recovery.bookmark(keys.get(number), position, /* withNextBatch= */ true);
      recovery.noBatchFollowed(keys.get(number), position);
      awaitDurable();
      Model model = models.get(number);
      model.moments.add(new Moment(bookmark, clock.wallMillis(), model.content));
    }

    private void purge(int number) {
      begin(number);
      done.add("purge " + number);
      counts.purges++;
      ObjectKey key = keys.get(number);
      Purge purge = recovery.purge(key);
      awaitDurable();
      if (random.nextInt(4) > 0) { // else the process dies first, or another purge comes
        purges.put(purge, journal.purge(key, purge.upTo()));
      }
      Model model = models.get(number);
      model.moments.forEach(moment -> model.gone.add(new Gone(moment, model.content)));
      model.moments.clear();
      model.pending = null;
      model.batches = 0;
      clock.advance(Duration.ofMillis(1));
      remember(number);
    }

    private void restore(int number) {
      Model model = models.get(number);
      if (random.nextInt(3) == 0 && !model.gone.isEmpty()) {
        checkGone(number, model.gone.get(random.nextInt(model.gone.size())));
        return;
      }
      Moment moment = model.moments.get(random.nextInt(model.moments.size()));
      try {
        done.add("restore " + number);
        recovery.requestRestore(keys.get(number), moment.bookmark());
      } catch (BookmarkException e) {
        requireDropped(e);
        return;
      }
      awaitDurable();
      model.pending = moment.content();
      if (random.nextBoolean()) {
        begin(number);
      }
    }

    private void withdraw(int number) {
      done.add("withdraw " + number);
      recovery.withdrawRestore(keys.get(number));
      awaitDurable();
      models.get(number).pending = null;
    }

    /** Begins a session of an object, which is restored then. */
    private void begin(int number) {
      ObjectKey key = keys.get(number);
      Model model = models.get(number);
      assertThat(recovery.isRestorePending(key)).isEqualTo(model.pending != null);
      recovery.restore(key, pairs.store(key));
      awaitDurable();
      Map<String, String> restored = model.pending;
      if (restored != null) {
        counts.restores++;
        model.content = restored;
        model.pending = null;
        model.batches++;
        remember(number);
      }
      assertThat(pairs.content(key)).isEqualTo(model.content);
    }

    private void hold() {
      done.add("hold");
      if (random.nextBoolean()) {
        pairs.saves = false;
      } else {
        pairs.purgeFloor = random.nextLong(journal.lastPosition() + 2);
      }
    }

    private void release() {
      done.add("release");
      pairs.saves = true;
      pairs.purgeFloor = Long.MAX_VALUE;
      pairs.save();
      clock.advance(Duration.ofSeconds(1));
      if (random.nextBoolean()) {
        while (!purges.values().stream().allMatch(CompletableFuture::isDone)) {
          clock.advance(Duration.ofMillis(100));
          Thread.onSpinWait();
        }
      }
      endPurges();
    }

    private void endPurges() {
      for (Purge purge : List.copyOf(purges.keySet())) {
        if (purges.get(purge).isDone()) {
          purges.remove(purge).join();
          recovery.purgeDone(purge);
        }
      }
    }

    private void reopen() {
      done.add("reopen");
      endPurges();
      journal.close();
      open();
      checkContents();
    }

    private void cutPower() {
      done.add("cut");
      counts.powerCuts++;
      if (random.nextBoolean()) {
        pairs.saves = true;
        pairs.purgeFloor = Long.MAX_VALUE;
        pairs.save();
        clock.advance(Duration.ofMillis(200)); // purges may be under way now
      }
      disk.losePower(random);
      abandon();
      open();
      checkContents();
    }

    // ---- Checks -----------------------------------------------------------------------------

    private void awaitDurable() {
      journal.awaitDurable(journal.lastPosition());
    }

    private void remember(int number) {
      awaitDurable();
      Model model = models.get(number);
      String bookmark =
          recovery.bookmark(
              keys.get(number), journal.durablePosition(), /* withNextBatch= */ false);
      model.moments.add(new Moment(bookmark, clock.wallMillis(), model.content));
    }

    private void checkContents() {
      for (int number = 0; number < OBJECTS; number++) {
        assertThat(pairs.content(keys.get(number))).isEqualTo(models.get(number).content);
      }
    }

    private void checkAll() {
      checkContents();
      for (int number = 0; number < OBJECTS; number++) {
        Model model = models.get(number);
        for (Moment moment : model.moments) {
          check(number, moment);
        }
        for (Gone gone : model.gone) {
          checkGone(number, gone);
        }
        List<HistoryEntry> entries = recovery.history(keys.get(number), 1_000, null).entries();
        if (isCapped) {
          assertThat(entries).hasSizeLessThanOrEqualTo(model.batches);
        } else {
          assertThat(entries).hasSize(model.batches);
        }
      }
    }

    private void check(int number, Moment moment) {
      counts.checked++;
      ObjectKey key = keys.get(number);
      try {
        assertThat(pairs.past(key, recovery.laterThan(key, moment.bookmark())))
            .as("object %d, by its bookmark", number)
            .isEqualTo(moment.content());
        String at = recovery.bookmarkAt(key, Instant.ofEpochMilli(moment.wallMillis()));
        assertThat(pairs.past(key, recovery.laterThan(key, at)))
            .as("object %d, by its time", number)
            .isEqualTo(lastAt(number, moment.wallMillis()).content());
      } catch (BookmarkException e) {
        requireDropped(e);
      }
    }

    /** Several states can be of one millisecond. */
    private Moment lastAt(int number, long wallMillis) {
      return models.get(number).moments.stream()
          .filter(moment -> moment.wallMillis() <= wallMillis)
          .reduce((_, later) -> later)
          .orElseThrow();
    }

    private void requireDropped(BookmarkException e) {
      counts.refusals++;
      assertThat(e).hasMessageNotContaining("purged");
      assertThat(isCapped).as("%s", e).isTrue();
    }

    /** The last state before a purge is that at its end, and is not always refused. */
    private void checkGone(int number, Gone gone) {
      ObjectKey key = keys.get(number);
      try {
        assertThat(pairs.past(key, recovery.laterThan(key, gone.moment().bookmark())))
            .as("a purged state of object %d", number)
            .isEqualTo(gone.moment().content())
            .isEqualTo(gone.contentAtPurge());
      } catch (BookmarkException e) {
        counts.refusals++;
        assertThat(e.reason()).isEqualTo(Reason.NOT_KEPT);
      }
    }
  }
}
