package dev.holdfast.journal.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.holdfast.faults.SimulatedLog;
import dev.holdfast.histories.LinearizabilityCheck;
import dev.holdfast.histories.Operation;
import dev.holdfast.histories.Register;
import dev.holdfast.histories.Verdict;
import dev.holdfast.spi.Journal.DurabilityListener;
import dev.holdfast.spi.log.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A number in a shard of three nodes by seed, whose owners answer by leases, also owners that have
 * not heard that they are deposed: its history must be linearizable. Proposals are delayed, lost
 * and refused, nodes lose power, and time passes in between. A failure names its seed.
 */
final class LeaseSimulationTest {

  private static final List<String> NAMES = List.of("a", "b", "c");

  private static final Duration LEASE = Duration.ofMillis(500);

  private static final int STEPS = 300;
  private static final int SHORT = 500;
  private static final int LONG = 50_000;

  @Test
  void answersByLeasesAreLinearizable() {
    boolean isLong = "long".equals(System.getProperty("holdfast.tests"));
    int seeds = Integer.getInteger("simulated.seeds", isLong ? LONG : SHORT);
    long first = Long.getLong("simulated.seed", 1);
    long leased = 0;
    long deposed = 0;
    long proven = 0;
    long owners = 0;
    long releases = 0;
    for (long seed = first; seed < first + seeds; seed++) {
      Run run = new Run(seed);
      try {
        run.go();
      } catch (RuntimeException | AssertionError e) {
        fail("Seed " + seed, e);
      }
      leased += run.leased;
      deposed += run.leasedThoughDeposed;
      proven += run.proven;
      owners += run.numbers.size();
      releases += run.releases;
    }
    if (isLong || seeds != SHORT) {
      System.out.printf(
          "%d seeds: %d answers by a lease, %d of them though deposed, %d proofs, %d owners, %d"
              + " releases%n",
          seeds, leased, deposed, proven, owners, releases);
    }
    // The schedules reach what they are for.
    assertThat(leased).isGreaterThan(seeds * 2L);
    assertThat(deposed).isGreaterThan(seeds / 5);
    assertThat(proven).isGreaterThan(seeds);
    assertThat(owners).isGreaterThan(seeds * 2L);
    assertThat(releases).isGreaterThan(seeds / 20);
  }

  /** The number, as an owner has it in memory. */
  private static final class Number {
    private long value;

    /** The last record that the value depends on. */
    private long position;
  }

  /** One seed. */
  private static final class Run {
    private final RandomGenerator random;
    private final SimulatedShard shard;
    private final Map<ShardJournal, Number> numbers = new HashMap<>();
    private final List<Operation<Register.Call, Long>> history = new ArrayList<>();
    private final Set<Long> epochs = new TreeSet<>();
    private long moment;
    private int leased;
    private int leasedThoughDeposed;
    private int proven;
    private int releases;

    Run(long seed) {
      this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
      this.shard =
          new SimulatedShard(
              random, new SimulatedLog.Faults(random.nextInt(4), 50, random.nextInt(4)), NAMES);
      shard.lend(LEASE);
    }

    void go() {
      try (shard) {
        for (int step = 0; step < STEPS; step++) {
          int dice = random.nextInt(100);
          String name = NAMES.get(random.nextInt(NAMES.size()));
          if (dice < 40) {
            shard.log().step();
          } else if (dice < 52) {
            pass();
          } else if (dice < 54) {
            restart(name);
          } else if (dice < 57) {
            claim(name);
          } else if (dice < 58) {
            takeOver(name);
          } else if (dice < 62) {
            release();
          } else if (dice < 73) {
            call(name, new Register.Add(1));
          } else {
            call(name, new Register.Read());
          }
        }
        check();
      }
    }

    private void pass() {
      boolean isLong = random.nextInt(20) == 0;
      shard.clock().advance(Duration.ofMillis(random.nextInt(1, isLong ? 2_000 : 100)));
      if (random.nextInt(isLong ? 2 : 6) == 0) {
        shard.log().drop();
      }
    }

    private void restart(String name) {
      if (shard.isRunning(name)) {
        shard.losePower(name);
      } else {
        shard.start(name);
      }
    }

    private void claim(String name) {
      if (shard.isRunning(name)) {
        shard.lend(random.nextInt(4) == 0 ? Duration.ofMillis(60) : LEASE);
        shard.replica(name).claim();
      }
    }

    /** The log has the next owner already, and the last one hears of it late. */
    private void takeOver(String name) {
      if (!shard.isRunning(name) || NAMES.stream().filter(shard::isRunning).count() < 2) {
        return; // a node that is alone cannot fetch what the log has dropped
      }
      if (random.nextInt(4) == 0) {
        shard.log().settle();
        shard.clock().advance(Duration.ofSeconds(1)); // saved
        shard.losePower(name);
        shard.start(name);
      }
      String last = ownerOtherThan(name);
      if (last != null && random.nextBoolean()) {
        shard.log().settle();
        read(last);
        shard.log().order(new NodeId(last)); // accepted, of which it may hear late
        if (random.nextBoolean()) {
          shard.log().pass(new NodeId(last));
        }
      }
      claim(name);
      shard.log().order(new NodeId(name));
      epochs.add(shard.log().lastIndex());
      for (int i = random.nextInt(5, 60); i > 0; i--) {
        int dice = random.nextInt(100);
        if (dice < 30) {
          shard.log().order(new NodeId(name));
          shard.log().pass(new NodeId(name));
        } else if (dice < 50) {
          shard.clock().advance(Duration.ofMillis(random.nextInt(1, 150)));
        } else if (dice < 53) {
          shard.log().step();
        } else if (dice < 75 || last == null) {
          call(name, new Register.Add(1));
        } else {
          read(last);
        }
      }
    }

    private @Nullable String ownerOtherThan(String name) {
      return NAMES.stream()
          .filter(each -> !each.equals(name) && journal(each) != null)
          .findFirst()
          .orElse(null);
    }

    private void read(String name) {
      call(name, new Register.Read());
    }

    /** Only where a close need not wait: there is no other thread. */
    private void release() {
      for (String name : NAMES) {
        ShardJournal journal = journal(name);
        if (journal != null
            && journal.isLeased()
            && journal.statistics().waiters() == 0
            && journal.durablePosition() == journal.lastPosition()) {
          journal.close();
          releases++;
        }
      }
    }

    /** Through the last journal of this run of the node, also one that has been deposed. */
    private @Nullable ShardJournal journal(String name) {
      List<ShardJournal> owned = shard.isRunning(name) ? shard.allOwned(name) : List.of();
      return owned.isEmpty() || owned.getLast().failure() != null ? null : owned.getLast();
    }

    private Number numberOf(ShardJournal journal) {
      return numbers.computeIfAbsent(
          journal,
          _ -> {
            Number number = new Number();
            number.value = valueAt(journal);
            epochs.add(journal.epoch());
            return number;
          });
    }

    /** The value with which an ownership begins; its node has appended nothing yet. */
    private static long valueAt(ShardJournal journal) {
      long[] value = new long[1];
      journal
          .history()
          .forEach(
              1,
              journal.lastPosition(),
              record -> value[0] = Long.parseLong(SimulatedShard.text(record.payload())));
      return value[0];
    }

    private void call(String name, Register.Call call) {
      ShardJournal journal = journal(name);
      if (journal == null) {
        return;
      }
      Number number = numberOf(journal);
      long begun = ++moment;
      if (call instanceof Register.Add add) {
        long sum = number.value + add.more();
        try {
          number.position = SimulatedShard.append(journal, Long.toString(sum));
        } catch (RuntimeException e) {
          return; // it was closed
        }
        number.value = sum;
      }
      long result = number.value;
      int at = history.size();
      history.add(Operation.unknown(call, begun));
      whenOpen(
          journal,
          number.position,
          failure -> {
            if (failure == null) {
              history.set(at, Operation.answered(call, result, begun, ++moment));
            }
          });
    }

    /** As the output gate waits. */
    private void whenOpen(ShardJournal journal, long position, DurabilityListener listener) {
      if (position <= journal.durablePosition()) {
        whenProven(journal, listener);
        return;
      }
      journal.whenDurable(
          position,
          failure -> {
            if (failure == null) {
              whenProven(journal, listener);
            } else {
              listener.settled(failure);
            }
          });
    }

    private void whenProven(ShardJournal journal, DurabilityListener listener) {
      if (journal.isLeased()) {
        leased++;
        if (epochs.stream().anyMatch(each -> each > journal.epoch())) {
          leasedThoughDeposed++;
        }
        listener.settled(null);
        return;
      }
      journal.whenProven(
          failure -> {
            proven += failure == null ? 1 : 0;
            listener.settled(failure);
          });
    }

    private void check() {
      for (String name : NAMES) {
        if (!shard.isRunning(name)) {
          shard.start(name);
        }
      }
      shard.log().settle();
      shard.clock().advance(Duration.ofSeconds(1));
      for (String name : NAMES) {
        assertThat(shard.replica(name).failure()).as("replica of %s", name).isNull();
      }
      String name = NAMES.get(random.nextInt(NAMES.size()));
      ShardJournal last = shard.owned(name);
      call(name, new Register.Read());
      shard.log().settle();
      shard.clock().advance(LEASE.plus(LEASE));
      assertThat(last.failure()).isNull();
      assertThat(history.getLast().isAnswered()).isTrue();
      Verdict verdict = LinearizabilityCheck.check(new Register(), history);
      assertThat(verdict.isLinearizable()).as(verdict.explanation()).isTrue();
    }
  }
}
