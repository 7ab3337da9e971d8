package dev.holdfast.journal.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectId;
import dev.holdfast.faults.FaultyDisk.Operation;
import dev.holdfast.faults.SimulatedLog;
import dev.holdfast.health.HealthReason;
import dev.holdfast.journal.HistoryOptions;
import dev.holdfast.journal.replica.Bases;
import dev.holdfast.journal.replica.BasesFile;
import dev.holdfast.journal.replica.LocalRecord;
import dev.holdfast.journal.replica.LogEntry;
import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/** The owner says from which position on history is given; replicas remove what is before it. */
final class ShardRetentionTest {

  private static final List<String> NAMES = List.of("a", "b", "c");

  private static final Duration WINDOW = Duration.ofHours(1);

  private static SimulatedShard shard(long seed) {
    return new SimulatedShard(
        RandomGeneratorFactory.of("L64X128MixRandom").create(seed),
        SimulatedLog.Faults.NONE,
        NAMES,
        options ->
            options
                .withSegmentBytes(8192)
                .withHistory(new HistoryOptions(WINDOW.toMillis(), Long.MAX_VALUE)));
  }

  private static void fill(SimulatedShard shard, SimulatedObjects objects, int records) {
    for (int i = 0; i < records; i++) {
      objects.append("r".repeat(1_500) + objects.texts().size());
      shard.clock().advance(Duration.ofMillis(10));
      shard.log().settle();
    }
    objects.save();
  }

  /** Decides, saves and removes. */
  private static void review(SimulatedShard shard) {
    for (int i = 0; i < 3; i++) {
      shard.clock().advance(Duration.ofSeconds(2));
      shard.log().settle();
    }
  }

  private static void afterTheWindow(SimulatedShard shard) {
    shard.clock().advance(WINDOW.plusMinutes(5)); // nothing is written
    shard.log().settle();
    review(shard);
  }

  private static long oldest(SimulatedShard shard, String name) {
    return shard.replica(name).history().oldestPosition();
  }

  @Test
  void shardThatRestsDropsWhatIsOlderThanTheWindowOnAllNodes() throws Exception {
    try (SimulatedShard shard = shard(1)) {
      shard.owned("a");
      fill(shard, shard.objects("a"), 9);
      review(shard);
      assertThat(oldest(shard, "a")).isEqualTo(1);

      afterTheWindow(shard);

      long from = oldest(shard, "a");
      assertThat(from).isGreaterThan(5);
      assertThat(shard.firstPositions("a").getFirst()).isEqualTo(from);
      for (String name : NAMES) {
        assertThat(oldest(shard, name)).isEqualTo(from);
        assertThat(shard.records(name)).isEqualTo(shard.records("a")).hasSize((int) (10 - from));
        assertThat(shard.saved(name).point().historyFrom()).isEqualTo(from);
      }
      assertThat(shard.firstPositions("b").getFirst()).isEqualTo(1); // its files need all of it
    }
  }

  @Test
  void memberThatIsAwayHoldsTheHistoryOfAll() {
    try (SimulatedShard shard = shard(2)) {
      shard.owned("a");
      review(shard);
      shard.losePower("c");
      fill(shard, shard.objects("a"), 9);

      afterTheWindow(shard);

      assertThat(oldest(shard, "a")).isEqualTo(1);
      assertThat(shard.lastOwned("a").troubles())
          .extracting(HealthReason::code)
          .containsExactly(HealthReason.HISTORY_HELD);
      shard.start("c");
      shard.log().settle();
      afterTheWindow(shard);
      assertThat(oldest(shard, "a")).isGreaterThan(5).isEqualTo(oldest(shard, "c"));
      assertThat(shard.lastOwned("a").troubles()).isEmpty();
    }
  }

  @Test
  void memberThatIsAwayForLongHoldsNothing() {
    try (SimulatedShard shard = shard(2)) {
      shard.owned("a");
      review(shard);
      shard.losePower("c");
      fill(shard, shard.objects("a"), 9);
      afterTheWindow(shard);
      assertThat(oldest(shard, "a")).isEqualTo(1);

      shard.clock().advance(Duration.ofNanos(ShardRetention.KEPT_NANOS_MAX));
      review(shard);

      assertThat(oldest(shard, "a")).isGreaterThan(5);
      assertThat(shard.lastOwned("a").troubles()).isEmpty();
    }
  }

  @Test
  void requestedRestoreHoldsWhatItNeeds() {
    try (SimulatedShard shard = shard(3)) {
      shard.owned("a");
      fill(shard, shard.objects("a"), 9);
      shard.objects("a").hold(4);

      afterTheWindow(shard);

      assertThat(oldest(shard, "a")).isBetween(2L, 4L).isEqualTo(oldest(shard, "b"));
    }
  }

  @Test
  void segmentsStayWhileAnotherNodeCopiesThem() {
    try (SimulatedShard shard = shard(4)) {
      shard.owned("a");
      fill(shard, shard.objects("a"), 9);
      shard.clock().advance(WINDOW.plusMinutes(5));
      ReplicaSource source = shard.replica("a").source();
      source.read(1, 0);

      shard.log().settle();
      review(shard);

      assertThat(oldest(shard, "a")).isGreaterThan(5);
      assertThat(source.read(1, 0)).isNotEmpty();
      shard.clock().advance(Duration.ofMinutes(2));
      review(shard);
      assertThat(shard.firstPositions("a").getFirst()).isEqualTo(oldest(shard, "a"));
    }
  }

  @Test
  void positionOfAnotherOwnerOrALowerOneIsSkipped() {
    try (SimulatedShard shard = shard(5)) {
      shard.owned("b");
      long old = shard.lastOwned("b").epoch();
      shard.owned("a");
      fill(shard, shard.objects("a"), 9);
      afterTheWindow(shard);
      fill(shard, shard.objects("a"), 6);
      review(shard);
      long epoch = shard.lastOwned("a").epoch();
      long from = oldest(shard, "c");
      long newest = shard.firstPositions("c").getLast();
      assertThat(newest).isGreaterThan(from);

      retain(shard, old, newest);
      retain(shard, 0, newest);
      retain(shard, epoch, from - 1);
      retain(shard, epoch, newest + 1);
      assertThat(oldest(shard, "c")).isEqualTo(from);
      retain(shard, epoch, newest);
      assertThat(oldest(shard, "c")).isEqualTo(newest);
    }
  }

  private static void retain(SimulatedShard shard, long epoch, long position) {
    shard.propose("c", new LogEntry.Retain(epoch, position, 0));
    shard.log().settle();
  }

  @Test
  void ownerThatOnlyOpensTheShardDropsWhatBecomesTooOld() {
    try (SimulatedShard shard = shard(6)) {
      shard.owned("a");
      fill(shard, shard.objects("a"), 9);
      review(shard);
      shard.owned("b");
      shard.objects("b").save();
      shard.log().settle();
      assertThat(oldest(shard, "b")).isEqualTo(1);

      afterTheWindow(shard);

      assertThat(oldest(shard, "b")).isGreaterThan(5).isEqualTo(oldest(shard, "c"));
    }
  }

  @Test
  void decisionCountsForItsOwnerBeforeTheLogHasIt() {
    try (SimulatedShard shard = shard(7)) {
      ShardJournal journal = shard.owned("a");
      fill(shard, shard.objects("a"), 9);
      review(shard);

      shard.clock().advance(WINDOW.plusMinutes(5));

      assertThat(journal.history().oldestPosition()).isGreaterThan(5);
      assertThat(oldest(shard, "a")).isEqualTo(1);
      assertThat(shard.firstPositions("a").getFirst()).isEqualTo(1);
      shard.objects("a").hold(2); // a restore that was requested too late
      shard.log().settle();
      review(shard);
      assertThat(oldest(shard, "a")).isEqualTo(journal.history().oldestPosition());
    }
  }

  @Test
  void followerRemovesWhatItsRoundsHaveRead() {
    try (SimulatedShard shard = shard(8)) {
      shard.owned("a");
      fill(shard, shard.objects("a"), 9);
      review(shard);
      assertThat(shard.follow("b")).isTrue();

      afterTheWindow(shard);

      assertThat(shard.firstPositions("b").getFirst()).isEqualTo(oldest(shard, "b"));
      assertThat(oldest(shard, "b")).isGreaterThan(5);
      shard.owned("b");
      assertThat(shard.objects("b").texts()).hasSize(9);
    }
  }

  @Test
  void ownershipThatOpensWhileARoundRunsHasWhatBothRead() {
    try (SimulatedShard shard = shard(9)) {
      shard.owned("a");
      fill(shard, shard.objects("a"), 9);
      review(shard);
      RoundJournal round =
          Objects.requireNonNull(shard.replica("b").beginRound(Long.MAX_VALUE, _ -> false));
      afterTheWindow(shard);
      assertThat(oldest(shard, "b")).isGreaterThan(5);
      assertThat(shard.firstPositions("b").getFirst()).isEqualTo(1);
      shard.owned("b");
      review(shard);

      shard.finish("b", round);
      review(shard); // removes what the round has read, before the objects are opened
      assertThat(shard.firstPositions("b").getFirst()).isEqualTo(oldest(shard, "b"));
      assertThat(shard.objects("b").texts()).hasSize(9);
    }
  }

  @Test
  void segmentsStayFromTheFirstPartOfABatchThatHasNotEnded() {
    ObjectKey other = new ObjectKey("n", ObjectId.of(new byte[32], null));
    try (SimulatedShard shard = shard(10)) {
      shard.owned("a");
      fill(shard, shard.objects("a"), 6);
      long part = shard.objects("a").append(RecordKind.UNDO_PART, other, "part");
      fill(shard, shard.objects("a"), 9);
      review(shard);
      assertThat(shard.follow("b")).isTrue();

      afterTheWindow(shard);

      assertThat(oldest(shard, "b")).isGreaterThan(part);
      List<Long> kept = shard.firstPositions("b");
      assertThat(kept.getFirst()).isGreaterThan(1).isLessThanOrEqualTo(part);
      assertThat(kept.get(1)).isGreaterThan(part);
      shard.objects("a").append(RecordKind.BATCH, other, "end");
      shard.log().settle();
      review(shard);
      assertThat(shard.follow("b")).isTrue();
      review(shard);
      assertThat(shard.firstPositions("b").getFirst()).isEqualTo(oldest(shard, "b"));
    }
  }

  @Test
  void damagedSegmentThatIsTooOldStopsNoReplica() throws Exception {
    try (SimulatedShard shard = shard(11)) {
      shard.owned("a");
      fill(shard, shard.objects("a"), 9);
      review(shard);
      shard.losePower("a");
      Path oldest = SimulatedShard.DIRECTORY.resolve("journal/0000000000000001.log");
      byte[] header = new byte[4096];
      try (DiskFile file = shard.disk("a").open(oldest, Mode.WRITE)) {
        file.write(new byte[4096], 0, 4096, 0);
      }
      try (DiskFile file = shard.disk("b").open(oldest, Mode.READ)) {
        assertThat(file.read(header, 0, 4096, 0)).isEqualTo(4096);
      }
      shard.start("a");
      shard.owned("a");
      shard.objects("a").save();
      afterTheWindow(shard);
      assertThat(shard.replica("a").failure()).isNull();
      assertThat(shard.firstPositions("a").getFirst()).isEqualTo(1);

      try (DiskFile file = shard.disk("a").open(oldest, Mode.WRITE)) {
        file.write(header, 0, 4096, 0);
      }
      afterTheWindow(shard);
      assertThat(oldest(shard, "a")).isGreaterThan(5);
    }
  }

  @Test
  void savedStateBeforeSegmentsThatAreMissingIsNotFound() throws Exception {
    try (SimulatedShard shard = shard(12)) {
      shard.owned("a");
      fill(shard, shard.objects("a"), 9);
      review(shard);
      assertThat(shard.follow("b")).isTrue();
      afterTheWindow(shard);
      long from = oldest(shard, "b");
      shard.losePower("b");
      long journalId = shard.lastOwned("a").history().journalId();
      List<LocalRecord> records = new ArrayList<>();
      for (long position : List.of(2L, from - 1)) {
        records.add(
            LocalRecord.of(
                position, RecordKind.CHECKPOINT, 1, SimulatedShard.KEY, ByteBuffer.allocate(1)));
      }
      new BasesFile(shard.disk("b"), SimulatedShard.DIRECTORY)
          .write(journalId, new Bases(from - 1, from - 1, records));
      shard.start("b");
      shard.log().settle();

      RoundJournal round =
          Objects.requireNonNull(shard.replica("b").beginRound(Long.MAX_VALUE, _ -> false));
      List<Long> found = new ArrayList<>();
      try (HistoryCursor cursor =
          round.ownHistory().newestFirst(SimulatedShard.KEY, Long.MAX_VALUE)) {
        while (cursor.next()) {
          found.add(cursor.position());
        }
      }
      assertThat(found).endsWith(from, from - 1).hasSize((int) (9 - from + 2));
    }
  }

  @Test
  void nodeThatFailsAtAnyStepOfTheRemovalHasWhatItSays() {
    assertThat(failing("a")).isGreaterThan(15);
  }

  @Test
  void followerThatFailsAtAnyStepOfARoundAndTheRemovalHasWhatItSays() {
    assertThat(failing("b")).isGreaterThan(15);
  }

  /** {@return how many faults were met, each in a shard of its own, by a node while it removes} */
  private static int failing(String name) {
    int failed = 0;
    for (Operation operation :
        List.of(
            Operation.OPEN,
            Operation.WRITE,
            Operation.FORCE,
            Operation.DELETE,
            Operation.MOVE,
            Operation.FORCE_DIRECTORY)) {
      boolean isReached = true;
      for (int nth = 1; isReached; nth++) {
        try (SimulatedShard shard = shard(100 + nth)) {
          shard.owned("a");
          fill(shard, shard.objects("a"), 9);
          review(shard);
          long counted = shard.disk(name).count(operation);
          shard.disk(name).fail(operation, nth);
          try {
            shard.follow(name);
            afterTheWindow(shard);
          } catch (HoldfastException e) {
            assertThat(e).hasStackTraceContaining("Injected");
          }
          isReached = shard.disk(name).count(operation) - counted >= nth;
          failed += isReached ? 1 : 0;
          checkAfterAFault(shard, name, operation + " " + nth);
        }
      }
    }
    return failed;
  }

  private static void checkAfterAFault(SimulatedShard shard, String name, String fault) {
    boolean isTakenOver = shard.replica(name).failure() == null;
    if (isTakenOver) {
      shard.disk(name).heal(); // only the removal has failed: it goes on, and the node may own
      shard.owned(name);
      assertThat(shard.objects(name).texts()).as(fault).hasSize(9);
    }
    shard.losePower(name);
    assertThat(shard.isWhole(name)).as(fault).isTrue();
    shard.disk(name).heal();
    shard.start(name);
    shard.log().settle();
    shard.owned(name);
    assertThat(shard.objects(name).texts()).as(fault).hasSize(9);
    shard.objects(name).save();
    afterTheWindow(shard);
    assertThat(oldest(shard, name)).isGreaterThan(5).isEqualTo(oldest(shard, "c"));
    assertThat(shard.firstPositions(name).getFirst()).as(fault).isEqualTo(oldest(shard, name));
  }
}
