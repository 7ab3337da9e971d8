package dev.holdfast.journal.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.HoldfastException;
import dev.holdfast.faults.FaultyDisk.Operation;
import dev.holdfast.faults.SimulatedLog;
import dev.holdfast.journal.replica.LogEntry;
import dev.holdfast.journal.replica.OwnedPositions;
import dev.holdfast.spi.log.Replica;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A node that lacks what the log has dropped takes it from another one, or stays as it is. */
final class CatchUpTest {

  private static final int RECORDS = 15;

  /** A shard of which node c has the first records only, and is not running. */
  private static SimulatedShard withoutC(long seed) {
    return withoutC(seed, "a");
  }

  /**
   * @param first the node that owns the shard before c is away
   */
  private static SimulatedShard withoutC(long seed, String first) {
    SimulatedShard shard =
        new SimulatedShard(
            RandomGeneratorFactory.of("L64X128MixRandom").create(seed),
            SimulatedLog.Faults.NONE,
            List.of("a", "b", "c"));
    fill(shard, shard.owned(first), 3);
    shard.clock().advance(Duration.ofSeconds(2)); // replicas save
    shard.losePower("c");
    ShardJournal journal = first.equals("a") ? shard.lastOwned("a") : shard.owned("a");
    fill(shard, journal, RECORDS - 3);
    shard.clock().advance(Duration.ofSeconds(2));
    long before = shard.log().dropped();
    shard.log().drop();
    assertThat(shard.log().dropped()).isGreaterThan(before);
    fill(shard, journal, 1); // this one comes from the log
    return shard;
  }

  private static void fill(SimulatedShard shard, ShardJournal journal, int records) {
    for (int i = 0; i < records; i++) {
      journal.whenDurable(SimulatedShard.append(journal, "r".repeat(3000)), _ -> {});
      shard.log().settle();
    }
  }

  private static void assertCaughtUp(SimulatedShard shard) {
    assertThat(shard.replica("c").failure()).isNull();
    assertThat(shard.records("c")).hasSize(RECORDS + 1).isEqualTo(shard.records("a"));
    assertThat(shard.segments("c")).isEqualTo(shard.segments("a"));
    assertThat(shard.files("c")).noneMatch(name -> name.endsWith(".fetched"));
    fill(shard, shard.owned("c"), 1); // it can be the owner
    assertThat(shard.records("a")).hasSize(RECORDS + 2).isEqualTo(shard.records("c"));
    assertThat(shard.segments("c")).isEqualTo(shard.segments("a"));
  }

  @Test
  void nodeThatWasAwayForLongFetchesSegments() {
    try (SimulatedShard shard = withoutC(1)) {
      shard.start("c");
      assertThat(shard.records("c")).hasSize(3);

      shard.log().settle();

      assertCaughtUp(shard);
      shard.losePower("c"); // what it has is durable
      shard.start("c");
      assertThat(shard.replica("c").appliedIndex().orElseThrow())
          .isGreaterThanOrEqualTo(shard.log().dropped());
      shard.log().settle();
      assertThat(shard.records("c")).isEqualTo(shard.records("a"));
    }
  }

  @Test
  void nodeWithAnEmptyDirectoryFetchesAllSegments() {
    try (SimulatedShard shard = withoutC(2)) {
      shard.loseDisk("c");
      shard.start("c");
      assertThat(shard.replica("c").hasHistory()).isFalse();

      shard.log().settle();

      assertCaughtUp(shard);
    }
  }

  /** Otherwise the next group would not seem to be whole, here alone. */
  @Test
  void partsOfAGroupThatWasUnderWayAreForgotten() {
    try (SimulatedShard shard = withoutC(5)) {
      shard.start("c");
      ShardReplica replica = shard.replica("c");
      long epoch = Objects.requireNonNull(replica.owned()).epoch();
      LogEntry part = new LogEntry.Part(epoch, 0, ByteBuffer.wrap(new byte[8192]));
      replica.apply(replica.appliedIndex().orElseThrow() + 1, part.encode());

      shard.log().settle();
      fill(shard, shard.lastOwned("a"), 1); // in the same epoch

      assertThat(shard.records("c")).hasSize(RECORDS + 2).isEqualTo(shard.records("a"));
    }
  }

  @Test
  void fetchedStateThatTheCopyIsPastByNowChangesNothing() {
    try (SimulatedShard shard = withoutC(7)) {
      shard.start("c");
      ShardReplica replica = shard.replica("c");
      Replica.Fetched old = Objects.requireNonNull(replica.fetch(shard.log().dropped()));
      shard.log().settle();
      fill(shard, shard.lastOwned("a"), 1);

      old.install();

      assertThat(replica.failure()).isNull();
      assertThat(replica.appliedIndex().orElseThrow()).isGreaterThan(old.place().index());
      assertThat(shard.records("c")).hasSize(RECORDS + 2).isEqualTo(shard.records("a"));
    }
  }

  /** Checkpoints among them describe files that this node does not have. */
  @Test
  void recordsOfOthersAreNotTakenForThoseOfAnOwnerThatWasAway() throws IOException {
    try (SimulatedShard shard = withoutC(6, "c")) {
      shard.start("c");
      assertThat(shard.saved("c").owned().contains(RECORDS)).isTrue(); // its end is not known yet

      shard.log().settle();

      for (int run = 0; run < 2; run++) {
        OwnedPositions owned = shard.saved("c").owned();
        assertThat(owned.contains(3)).isTrue();
        assertThat(owned.contains(4)).isFalse();
        assertThat(owned.contains(RECORDS)).isFalse();
        assertThat(owned.contains(Long.MAX_VALUE)).isFalse();
        shard.clock().advance(Duration.ofSeconds(2));
        shard.losePower("c");
        shard.start("c");
        shard.log().settle();
      }
      assertCaughtUp(shard);
    }
  }

  @Test
  void nodeThatFailsInTheMiddleHasWhatItHadOrAll() {
    int before = 0;
    int after = 0;
    for (Operation operation :
        List.of(
            Operation.OPEN,
            Operation.WRITE,
            Operation.FORCE,
            Operation.CLOSE,
            Operation.DELETE,
            Operation.MOVE,
            Operation.FORCE_DIRECTORY)) {
      boolean isReached = true;
      for (int nth = 1; isReached; nth++) {
        try (SimulatedShard shard = withoutC(100 + nth)) {
          shard.start("c");
          long counted = shard.disk("c").count(operation);
          shard.disk("c").fail(operation, nth);
          settleOrFail(shard);
          isReached = shard.disk("c").count(operation) - counted >= nth;
          shard.losePower("c");
          shard.disk("c").heal();
          shard.start("c");
          if (shard.replica("c").appliedIndex().orElse(0) < shard.log().dropped()) {
            before++;
            assertThat(shard.records("c")).as("%s %d", operation, nth).hasSize(3);
          } else {
            after++;
            assertThat(shard.records("c").size()).isBetween(RECORDS, RECORDS + 1);
          }
          shard.log().settle();
          assertCaughtUp(shard);
        }
      }
    }
    assertThat(before).isGreaterThan(30);
    assertThat(after).isGreaterThan(5);
  }

  /** A file that can be read is not durable because of that. */
  @Test
  void segmentWhoseSyncFailedIsNotTakenForADurableOne() {
    int retried = 0;
    for (int nth = 1; nth <= 8; nth++) {
      try (SimulatedShard shard = withoutC(200 + nth)) {
        shard.start("c");
        shard.disk("c").fail(Operation.FORCE, nth);
        settleOrFail(shard);
        shard.disk("c").heal();
        if (shard.replica("c").failure() == null) {
          retried++;
          shard.log().settle();
        }
        shard.losePower("c");
        shard.start("c");
        shard.log().settle();
        assertCaughtUp(shard);
      }
    }
    assertThat(retried).isPositive();
  }

  private static void settleOrFail(SimulatedShard shard) {
    try {
      shard.log().settle();
    } catch (HoldfastException e) {
      assertThat(shard.replica("c").failure()).isNull(); // it is tried again
    }
  }

  @Test
  void whatDoesNotContinueTheCopyIsRefused() {
    List<UnaryOperator<ReplicaSource>> distortions =
        List.of(
            // bytes
            source -> reads(source, bytes -> flipped(bytes, 4200)), // the first group
            source -> reads(source, bytes -> flipped(bytes, 20)), // the header
            source -> reads(source, bytes -> new byte[0]),
            source -> swapped(source),
            // words
            source -> says(source, s -> changed(s, s.journalId() + 1, s.index(), s.lastPosition())),
            source -> says(source, s -> changed(s, s.journalId(), 3, s.lastPosition())),
            source -> says(source, s -> changed(s, s.journalId(), 8, s.lastPosition())), // too low
            source -> says(source, s -> changed(s, s.journalId(), s.index(), 2)),
            source -> says(source, s -> changed(s, s.journalId(), s.index(), s.lastPosition() - 1)),
            source -> says(source, s -> changed(s, s.journalId(), s.index(), s.lastPosition() + 1)),
            source -> says(source, s -> placed(s, s.salt() + 1, s.segmentBytes(), s.endOffset())),
            source -> says(source, s -> placed(s, s.salt(), s.segmentBytes() * 2, s.endOffset())),
            source -> says(source, s -> placed(s, s.salt(), s.segmentBytes(), s.endOffset() + 8)),
            source -> says(source, s -> placed(s, s.salt(), s.segmentBytes(), s.endOffset() - 8)),
            source -> says(source, s -> without(s, 0)),
            source -> says(source, s -> without(s, 1)),
            source -> says(source, s -> without(s, s.segments().size() - 1)),
            source -> says(source, s -> without(s, -1)));
    for (int i = 0; i < distortions.size(); i++) {
      try (SimulatedShard shard = withoutC(3)) {
        shard.start("c");
        shard.distort(distortions.get(i));

        assertThatThrownBy(() -> shard.log().settle())
            .as("distortion %d", i)
            .isInstanceOf(HoldfastException.class);

        assertThat(shard.replica("c").failure()).isNull();
        assertThat(shard.records("c")).hasSize(3);
        shard.distort(UnaryOperator.identity());
        shard.log().settle();
        assertCaughtUp(shard);
      }
    }
  }

  private static ReplicaSource reads(ReplicaSource source, UnaryOperator<byte[]> change) {
    return of(source, UnaryOperator.identity(), change);
  }

  private static ReplicaSource says(ReplicaSource source, UnaryOperator<ReplicaState> change) {
    return of(source, change, UnaryOperator.identity());
  }

  private static ReplicaSource of(
      ReplicaSource source, UnaryOperator<ReplicaState> said, UnaryOperator<byte[]> read) {
    return new ReplicaSource() {
      @Override
      public ReplicaState state(long segment) {
        return said.apply(source.state(segment));
      }

      @Override
      public byte[] read(long segment, long offset) {
        return read.apply(source.read(segment, offset));
      }
    };
  }

  /** Another segment than the one that is asked for. */
  private static ReplicaSource swapped(ReplicaSource source) {
    return new ReplicaSource() {
      @Override
      public ReplicaState state(long segment) {
        return source.state(segment);
      }

      @Override
      public byte[] read(long segment, long offset) {
        List<Long> all = source.state(0).segments();
        return source.read(segment == 1 ? all.get(1) : 1, offset);
      }
    };
  }

  private static byte[] flipped(byte[] bytes, int at) {
    byte[] other = bytes.clone();
    other[at] ^= 1;
    return other;
  }

  private static ReplicaState changed(
      ReplicaState state, long journalId, long index, long lastPosition) {
    return new ReplicaState(
        journalId,
        index,
        state.term(),
        state.epoch(),
        state.owner(),
        lastPosition,
        state.segment(),
        state.salt(),
        state.segmentBytes(),
        state.endOffset(),
        state.historyFrom(),
        state.leaseMillis(),
        state.purged(),
        state.segments());
  }

  private static ReplicaState placed(
      ReplicaState state, long salt, long segmentBytes, long endOffset) {
    return new ReplicaState(
        state.journalId(),
        state.index(),
        state.term(),
        state.epoch(),
        state.owner(),
        state.lastPosition(),
        state.segment(),
        salt,
        segmentBytes,
        endOffset,
        state.historyFrom(),
        state.leaseMillis(),
        state.purged(),
        state.segments());
  }

  /** The state without one of its segments; without all of them if it is -1. */
  private static ReplicaState without(ReplicaState state, int i) {
    List<Long> segments = state.segments();
    List<Long> fewer =
        i < 0
            ? List.of()
            : Stream.concat(
                    segments.subList(0, i).stream(),
                    segments.subList(i + 1, segments.size()).stream())
                .toList();
    return new ReplicaState(
        state.journalId(),
        state.index(),
        state.term(),
        state.epoch(),
        state.owner(),
        state.lastPosition(),
        state.segment(),
        state.salt(),
        state.segmentBytes(),
        state.endOffset(),
        state.historyFrom(),
        state.leaseMillis(),
        state.purged(),
        fewer);
  }

  @Test
  void segmentsThatWereFetchedAreNotFetchedAgain() {
    try (SimulatedShard shard = withoutC(4)) {
      shard.start("c");
      AtomicInteger reads = new AtomicInteger();
      shard.distort(
          source ->
              reads(
                  source,
                  bytes -> {
                    if (reads.incrementAndGet() == 3) {
                      throw new IllegalStateException("the connection of the test is lost");
                    }
                    return bytes;
                  }));
      assertThatThrownBy(() -> shard.log().settle()).hasMessageContaining("connection");
      assertThat(shard.files("c")).anyMatch(name -> name.endsWith(".fetched"));
      shard.losePower("c");
      shard.start("c");
      int segments = shard.replica("a").source().state(1).segments().size();

      shard.log().settle();

      // They fit into one read each, and the beginnings of those that are there are compared.
      assertThat(reads.get() - 3).isEqualTo(segments);
      assertCaughtUp(shard);
    }
  }

  /** Those of the one that was read last may be void by now: it is in the middle of a purge. */
  @Test
  void nodeThatIsBehindTheGiverDoesNotAnswerForIt() {
    try (SimulatedShard shard = withoutC(7)) {
      shard.start("c");
      AtomicInteger asked = new AtomicInteger();
      shard.distort(
          source ->
              says(
                  source,
                  state ->
                      asked.incrementAndGet() == 2
                          ? changed(
                              state, state.journalId(), state.index() - 1, state.lastPosition())
                          : state));

      assertThatThrownBy(() -> shard.log().settle()).hasMessageContaining("meanwhile");

      assertThat(shard.records("c")).hasSize(3);
      shard.log().settle();
      assertCaughtUp(shard);
    }
  }
}
