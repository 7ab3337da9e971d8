package dev.holdfast.journal.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.FaultyDisk.Operation;
import dev.holdfast.faults.MemoryDisk;
import dev.holdfast.faults.SimulatedLog;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.replica.SavedPoint;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/** What a replica has saved is durable, whatever its disk and a power cut leave of the rest. */
final class ShardPowerLossTest {

  private static final int SEEDS = 20;

  private static RandomGenerator random(long seed) {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }

  private static void append(SimulatedShard shard, ShardJournal journal, int records) {
    for (int i = 0; i < records; i++) {
      journal.whenDurable(SimulatedShard.append(journal, "r".repeat(3000)), _ -> {});
      shard.log().settle();
    }
  }

  @Test
  void fullSegmentsAreDurableWhenALaterOneIsSaved() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      try (SimulatedShard shard = new SimulatedShard(random(seed))) {
        append(shard, shard.owned("a"), 12);
        shard.clock().advance(Duration.ofSeconds(2)); // replicas save
        losePowerAndCompare(shard, "b", seed);
      }
    }
  }

  /** The save begins before the segment is full, and states what is applied when it is. */
  @Test
  void segmentThatIsFullWhenASaveHasBegunIsDurableWithIt() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      try (SimulatedShard shard = new SimulatedShard(random(seed))) {
        append(shard, shard.owned("a"), 2);
        Deque<Runnable> waiting = new ArrayDeque<>();
        shard.saveBy("b", waiting::add);
        shard.clock().advance(Duration.ofSeconds(2));
        Runnable begun = waiting.remove();
        append(shard, shard.lastOwned("a"), 3);
        assertThat(shard.firstPositions("b")).hasSize(2);
        begun.run();
        assertThat(saved(shard, "b").lastPosition()).isEqualTo(5);
        shard.saveBy("b", Runnable::run); // what waits comes too late
        losePowerAndCompare(shard, "b", seed);
      }
    }
  }

  /** The others have entries more, but no records: nothing takes the place of the own segments. */
  @Test
  void ownRecordsAreDurableWhenOnlyLaterEntriesWereFetched() {
    for (int records = 1; records <= 4; records++) { // with the last one a segment begins
      for (long seed = 1; seed <= SEEDS; seed++) {
        try (SimulatedShard shard = newShardOfThree(seed)) {
          ShardJournal journal = shard.owned("a");
          append(shard, journal, 1);
          shard.clock().advance(Duration.ofSeconds(2)); // replicas save
          for (int i = 0; i < records; i++) {
            journal.whenDurable(SimulatedShard.append(journal, "r".repeat(3000)), _ -> {});
            orderWithoutC(shard);
          }
          shard.clock().advance(Duration.ofMillis(500));
          shard.log().pass(new NodeId("c"));
          shard.replica("a").claim();
          orderWithoutC(shard);
          shard.clock().advance(Duration.ofMillis(600)); // a and b save, c does not yet
          assertThat(saved(shard, "c").lastPosition()).isEqualTo(1);
          shard.log().drop();
          shard.log().settle();
          assertThat(shard.fetches()).isEqualTo(1);
          assertThat(saved(shard, "c").lastPosition()).isEqualTo(1 + records);
          losePowerAndCompare(shard, "c", seed);
        }
      }
    }
  }

  private static SimulatedShard newShardOfThree(long seed) {
    return new SimulatedShard(random(seed), SimulatedLog.Faults.NONE, List.of("a", "b", "c"));
  }

  private static void orderWithoutC(SimulatedShard shard) {
    shard.log().order(new NodeId("a"));
    shard.log().pass(new NodeId("a"));
    shard.log().pass(new NodeId("b"));
  }

  private static SavedPoint saved(SimulatedShard shard, String name) {
    try {
      return shard.saved(name).point();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void losePowerAndCompare(SimulatedShard shard, String name, long seed) {
    shard.losePower(name);
    shard.start(name);
    shard.log().settle();
    assertThat(shard.records(name)).as("seed %s", seed).isEqualTo(shard.records("a"));
    assertThat(shard.segments(name)).as("seed %s", seed).isEqualTo(shard.segments("a"));
  }

  @Test
  void nothingIsSavedWhoseSyncHasFailed() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      try (SimulatedShard shard = new SimulatedShard(random(seed))) {
        append(shard, shard.owned("a"), 2);
        shard.disk("b").affectOnly(path -> path.toString().endsWith(".log"));
        shard.disk("b").fail(Operation.FORCE, 1);
        shard.clock().advance(Duration.ofSeconds(2));
        assertThat(shard.replica("b").failure()).as("seed %s", seed).isNotNull();
        shard.losePower("b");
        shard.disk("b").heal();
        shard.start("b");
        shard.log().settle();
        assertThat(shard.replica("b").failure()).as("seed %s", seed).isNull();
        assertThat(shard.records("b")).as("seed %s", seed).isEqualTo(shard.records("a"));
      }
    }
  }

  @Test
  void replicaThatCannotWriteAnEntryStops() {
    try (SimulatedShard shard = new SimulatedShard(random(1))) {
      ShardJournal journal = shard.owned("a");
      append(shard, journal, 1);
      shard.disk("b").affectOnly(path -> path.toString().endsWith(".log"));
      shard.disk("b").fail(Operation.WRITE, 1);
      append(shard, journal, 2);
      assertThat(shard.replica("b").failure()).isNotNull();
      assertThat(shard.replica("a").failure()).isNull();
      shard.losePower("b");
      shard.disk("b").heal();
      shard.start("b");
      shard.log().settle();
      assertThat(shard.records("b")).hasSize(3).isEqualTo(shard.records("a"));
    }
  }

  @Test
  void timerOfAClosedReplicaSavesNothing() {
    try (SimulatedShard shard = new SimulatedShard(random(1))) {
      List<String> refused = new ArrayList<>();
      boolean[] isClosed = new boolean[1];
      ShardReplica replica =
          ShardReplica.open(
              Path.of("closed").toAbsolutePath(),
              JournalOptions.DEFAULT.withDisk(new MemoryDisk()).withSegmentBytes(16384),
              new ShardHost(
                  new NodeId("c"),
                  shard.clock(),
                  task -> {
                    if (isClosed[0]) {
                      refused.add("the saver has ended");
                      throw new RejectedExecutionException("the saver has ended");
                    }
                    task.run();
                  },
                  Runnable::run,
                  Runnable::run,
                  new ShardHost.Owner() {
                    @Override
                    public void mayLead(boolean yes) {}

                    @Override
                    public void owns(ShardJournal journal) {}
                  }));
      try (var log = shard.log().on(new NodeId("c"))) {
        replica.start(log);
        append(shard, shard.owned("a"), 1);
        replica.close();
        isClosed[0] = true;
      }
      shard.clock().advance(Duration.ofSeconds(2));
      assertThat(refused).isEmpty();
    }
  }
}
