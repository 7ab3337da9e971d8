package dev.holdfast.journal.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.holdfast.faults.SimulatedLog;
import dev.holdfast.journal.HistoryOptions;
import dev.holdfast.spi.JournalHistory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Whole shards of three nodes by seed: proposals are delayed, lost, refused and refused though they
 * are kept; two nodes believe that they lead, or none; nodes lose power. A failure names its seed.
 */
final class ShardSimulationTest {

  private static final List<String> NAMES = List.of("a", "b", "c");

  private static final int STEPS = 250;

  private static final int SEGMENT_BYTES = 8192;

  private static final Duration ALWAYS = Duration.ofDays(100_000);

  @Test
  void acknowledgedRecordsAreKeptOnceAndReadsAreNeverOld() {
    boolean isLong = "long".equals(System.getProperty("holdfast.tests"));
    int acknowledged = 0;
    int owners = 0;
    int proofs = 0;
    int fetches = 0;
    long dropped = 0;
    long removed = 0;
    int rounds = 0;
    long seeds = isLong ? 100_000 : 600;
    for (long seed = 1; seed <= seeds; seed++) {
      Run run = new Run(seed);
      try {
        run.go();
      } catch (RuntimeException | AssertionError e) {
        fail("Seed " + seed, e);
      }
      acknowledged += run.acknowledged.size();
      owners += run.epochs.size();
      proofs += run.proofs;
      fetches += run.shard.fetches();
      dropped += run.dropped;
      removed += run.removed;
      rounds += run.rounds;
    }
    // The schedules reach what they are for.
    assertThat(acknowledged).isGreaterThan((int) seeds * 4);
    assertThat(owners).isGreaterThan((int) seeds * 2);
    assertThat(proofs).isGreaterThan((int) seeds);
    assertThat(fetches).isGreaterThan((int) seeds / 10);
    assertThat(dropped).isGreaterThan(seeds / 4);
    assertThat(removed).isGreaterThan(seeds / 4);
    assertThat(rounds).isGreaterThan((int) seeds / 2);
  }

  /** One seed. */
  private static final class Run {
    private final RandomGenerator random;
    private final SimulatedShard shard;

    /** Texts that are durable, as their callers heard, by position. */
    private final Map<Long, String> acknowledged = new HashMap<>();

    /** Texts of which the caller knows nothing. */
    private final Set<String> appended = new HashSet<>();

    private final Set<Long> epochs = new HashSet<>();
    private final boolean retains;
    private long dropped;
    private long removed;
    private int rounds;
    private int proofs;
    private int next;

    Run(long seed) {
      this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
      this.retains = random.nextBoolean();
      HistoryOptions kept =
          retains
              ? new HistoryOptions(random.nextLong(6) * 1_000, Long.MAX_VALUE)
              : new HistoryOptions(ALWAYS.toMillis(), Long.MAX_VALUE);
      this.shard =
          new SimulatedShard(
              random,
              new SimulatedLog.Faults(random.nextInt(6), 50, random.nextInt(4)),
              NAMES,
              options ->
                  options
                      .withSegmentBytes(retains ? SEGMENT_BYTES : 2 * SEGMENT_BYTES)
                      .withHistory(kept));
    }

    void go() {
      try (shard) {
        for (int step = 0; step < STEPS; step++) {
          int dice = random.nextInt(100);
          String name = NAMES.get(random.nextInt(NAMES.size()));
          if (dice < 50) {
            shard.log().step();
          } else if (dice < 52) {
            restart(name);
          } else if (dice < (retains ? 57 : 53)) {
            shard.clock().advance(Duration.ofSeconds(2)); // replicas save
            if (random.nextBoolean()) {
              shard.log().drop();
            }
          } else if (dice < 60) {
            claim(name);
          } else if (dice < 82) {
            append(name);
          } else if (dice < 86) {
            save(name);
          } else {
            read(name);
          }
        }
        check();
      }
    }

    private void restart(String name) {
      if (shard.isRunning(name)) {
        shard.losePower(name);
        assertThat(shard.isWhole(name)).as("segments of %s", name).isTrue();
      } else {
        shard.start(name);
      }
    }

    private void claim(String name) {
      if (shard.isRunning(name) && (shard.mayLead(name) || random.nextInt(3) == 0)) {
        shard.replica(name).claim();
      }
    }

    /** Through any journal of this run of the node, also one that has been deposed. */
    private @Nullable ShardJournal journal(String name) {
      List<ShardJournal> owned = shard.isRunning(name) ? shard.allOwned(name) : List.of();
      owned.forEach(each -> epochs.add(each.epoch()));
      return owned.isEmpty() || owned.getLast().failure() != null ? null : owned.getLast();
    }

    private void append(String name) {
      ShardJournal journal = journal(name);
      if (journal == null) {
        return;
      }
      if (retains && journal.lastPosition() > journal.durablePosition()) {
        return; // with a full segment, an append waits for the groups in flight
      }
      String text = "record " + ++next + "-".repeat(random.nextInt(retains ? 2_500 : 300));
      long position = shard.objects(name).append(text);
      assertThat(appended.add(text)).isTrue();
      journal.whenDurable(
          position,
          failure -> {
            if (failure == null) {
              String other = acknowledged.put(position, text);
              assertThat(other).as("acknowledged at %s as well", position).isNull();
            }
          });
    }

    private void save(String name) {
      if (journal(name) != null) {
        SimulatedObjects objects = shard.objects(name);
        objects.save();
        if (random.nextInt(4) == 0) {
          objects.hold(random.nextBoolean() ? Long.MAX_VALUE : random.nextLong(1 + next) + 1);
        }
      } else if (shard.isRunning(name) && shard.follow(name)) {
        rounds++;
      }
    }

    /** A read sees what its owner has appended; it is answered when that is durable and proven. */
    private void read(String name) {
      ShardJournal journal = journal(name);
      if (journal == null) {
        return;
      }
      long seen = journal.lastPosition();
      List<Long> before = new ArrayList<>(acknowledged.keySet());
      journal.whenProven(
          failure -> {
            if (failure == null) {
              proofs++;
              assertThat(before).as("a read that saw %s", seen).allMatch(each -> each <= seen);
              assertThat(journal.durablePosition()).isGreaterThanOrEqualTo(seen);
            }
          });
    }

    private void check() {
      for (String name : NAMES) {
        if (!shard.isRunning(name)) {
          shard.start(name);
        }
      }
      shard.log().settle();
      for (String name : NAMES) {
        assertThat(shard.replica(name).failure()).as("replica of %s", name).isNull();
      }
      ShardJournal last = shard.owned(NAMES.get(random.nextInt(NAMES.size())));
      String name = nameOf(last);
      shard.objects(name).save();
      for (int i = 0; i < 3; i++) {
        shard.clock().advance(Duration.ofSeconds(2)); // decides, saves, removes
        shard.log().settle();
      }
      last.whenDurable(shard.objects(name).append("the last one"), _ -> {});
      shard.log().settle();
      checkReplicas();
      List<String> all = shard.objects(name).texts();
      assertThat(all).endsWith("the last one").doesNotHaveDuplicates();
      acknowledged.forEach(
          (position, text) -> assertThat(all.get((int) (position - 1))).isEqualTo(text));
      for (String each : NAMES) {
        shard.owned(each);
        assertThat(shard.objects(each).texts()).as("objects of %s", each).isEqualTo(all);
      }
    }

    private String nameOf(ShardJournal journal) {
      return NAMES.stream()
          .filter(name -> shard.allOwned(name).contains(journal))
          .findFirst()
          .orElseThrow();
    }

    /** Replicas give the same history; what some have besides is the same bytes. */
    private void checkReplicas() {
      JournalHistory history = shard.replica("a").history();
      List<String> records = shard.records("a");
      for (String name : NAMES) {
        assertThat(shard.replica(name).failure()).isNull();
        assertThat(shard.replica(name).history().oldestPosition())
            .isEqualTo(history.oldestPosition());
        assertThat(shard.replica(name).history().oldestWallMillis())
            .isEqualTo(history.oldestWallMillis());
        assertThat(shard.records(name)).isEqualTo(records);
        Map<String, String> segments = shard.segments(name);
        segments.keySet().retainAll(shard.segments("a").keySet());
        assertThat(shard.segments("a")).containsAllEntriesOf(segments);
        assertThat(segments).isNotEmpty();
        dropped += history.oldestPosition() - 1;
        removed += shard.firstPositions(name).getFirst() - 1;
      }
      if (!retains) {
        assertThat(history.oldestPosition()).isEqualTo(1);
      }
    }
  }
}
