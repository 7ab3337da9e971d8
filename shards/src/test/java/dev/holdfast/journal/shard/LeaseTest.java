package dev.holdfast.journal.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.SimulatedLog;
import dev.holdfast.spi.log.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Leases of owners, and how the next owner waits for them. */
final class LeaseTest {

  private static final Duration LEASE = Duration.ofMillis(500);

  private final SimulatedShard shard =
      new SimulatedShard(
          RandomGeneratorFactory.of("L64X128MixRandom").create(1),
          SimulatedLog.Faults.NONE,
          List.of("a", "b", "c"));

  private final List<String> heard = new ArrayList<>();

  @BeforeEach
  void lend() {
    shard.lend(LEASE);
  }

  @AfterEach
  void close() {
    shard.close();
  }

  private void pass(long millis) {
    shard.clock().advance(Duration.ofMillis(millis));
  }

  /** Lets the log do what is to do, and its owner hear of it. */
  private ShardJournal proven(String name) {
    ShardJournal journal = shard.owned(name);
    journal.whenProven(_ -> {});
    shard.log().settle();
    return journal;
  }

  private void write(ShardJournal journal) {
    journal.whenDurable(
        SimulatedShard.append(journal, "text"),
        failure -> heard.add(failure == null ? "durable" : "lost"));
    shard.log().settle();
  }

  private void read(ShardJournal journal) {
    journal.whenProven(failure -> heard.add(failure == null ? "proven" : "lost"));
    shard.log().settle();
  }

  @Test
  void leaseRunsFromTheProposalOfAnAcceptedGroup() {
    ShardJournal owner = shard.owned("a");
    assertThat(owner.isLeased()).isFalse();
    owner.whenProven(_ -> {});
    pass(200);
    assertThat(owner.isLeased()).as("a group that is not accepted").isFalse();
    shard.log().settle();
    assertThat(owner.isLeased()).isTrue();
    pass(299);
    assertThat(owner.isLeased()).isTrue();
    pass(1);
    assertThat(owner.isLeased()).isFalse();
  }

  @Test
  void recordsExtendTheLease() {
    ShardJournal owner = shard.owned("a");
    for (int i = 0; i < 10; i++) {
      write(owner);
      pass(240);
      long before = shard.log().lastIndex();
      assertThat(owner.isLeased()).isTrue();
      assertThat(shard.log().lastIndex()).isEqualTo(before);
      shard.log().settle();
      assertThat(shard.log().lastIndex()).as("no proof is asked for").isEqualTo(before);
    }
  }

  @Test
  void leaseGoesOnWhileItIsUsedAndCostsAGroupEveryHalf() {
    ShardJournal owner = proven("a");
    long before = shard.log().lastIndex();
    for (int millis = 0; millis < 5_000; millis += 10) {
      pass(10);
      assertThat(owner.isLeased()).as("after %s ms", millis).isTrue();
      assertThat(owner.isLeased()).isTrue();
      shard.log().settle();
    }
    assertThat(shard.log().lastIndex() - before).isBetween(18L, 20L);
    assertThat(owner.lastPosition()).isZero();
  }

  @Test
  void idleOwnerProposesNothing() {
    ShardJournal owner = proven("a");
    long before = shard.log().lastIndex();
    pass(60_000);
    shard.log().settle();
    assertThat(shard.log().lastIndex()).isEqualTo(before);
    assertThat(owner.isLeased()).isFalse();
    shard.log().settle();
    assertThat(shard.log().lastIndex()).as("who asks waits for a proof").isEqualTo(before);
  }

  @Test
  void ownerWithoutALeaseAsksForProofs() {
    shard.lend(Duration.ZERO);
    assertThat(proven("a").isLeased()).isFalse();
    ShardJournal next = shard.owned("b");
    write(next);
    read(next);
    assertThat(heard).containsExactly("durable", "proven");
  }

  @Test
  void nextOwnerAcknowledgesNothingBeforeTheLeaseIsOver() {
    ShardJournal deposed = proven("a");
    shard.replica("b").claim();
    shard.log().order(new NodeId("b"));
    assertThat(deposed.isLeased()).as("it has not heard of it").isTrue();
    shard.log().settle();
    assertThat(deposed.isLeased()).isFalse();
    ShardJournal next = shard.lastOwned("b");

    write(next);
    read(next);
    assertThat(shard.records("b")).as("it works meanwhile").hasSize(1);
    pass(549);
    shard.log().settle();
    assertThat(heard).isEmpty();
    assertThat(next.durablePosition()).isZero();
    assertThat(next.isLeased()).isFalse();

    pass(1);
    assertThat(heard).containsExactly("durable", "proven");
    assertThat(next.durablePosition()).isEqualTo(1);
    assertThat(next.isLeased()).as("its groups are older than the lease").isFalse();
    write(next);
    assertThat(next.isLeased()).isTrue();
  }

  @Test
  void nextOwnerDoesNotWaitAfterARelease() {
    proven("a").close();
    shard.log().settle();
    ShardJournal next = shard.owned("b");
    write(next);
    assertThat(heard).containsExactly("durable");
    assertThat(next.isLeased()).isTrue();
  }

  @Test
  void ownerThatClosesAnswersByItsLeaseNoLonger() {
    ShardJournal owner = proven("a");
    assertThat(owner.isLeased()).isTrue();
    owner.close();
    assertThat(owner.isLeased()).isFalse();
  }

  @Test
  void leaseOfTheOwnerBeforeTheLastIsWaitedFor() {
    proven("a");
    shard.lend(Duration.ofMillis(50));
    assertThat(shard.owned("b").epoch()).isPositive();
    ShardJournal last = shard.owned("c");
    write(last);
    pass(549);
    assertThat(heard).isEmpty();
    pass(1);
    assertThat(heard).containsExactly("durable");
  }

  @Test
  void ownerThatOpensTheShardAgainWaitsForItsOwnLease() {
    proven("a");
    ShardJournal again = shard.owned("a");
    write(again);
    pass(549);
    assertThat(heard).isEmpty();
    pass(1);
    assertThat(heard).containsExactly("durable");
  }

  @Test
  void nodeThatWasRestartedKnowsTheLeaseOfTheOwner() throws Exception {
    ShardJournal owner = proven("a");
    pass(2_000); // saved
    assertThat(shard.saved("b").point().leaseMillis()).isEqualTo(500);
    shard.losePower("b");
    shard.start("b");
    read(owner);
    assertThat(owner.isLeased()).isTrue();
    heard.clear();
    write(shard.owned("b"));
    pass(549);
    assertThat(heard).isEmpty();
    pass(1);
    assertThat(heard).containsExactly("durable");
  }

  @Test
  void copyThatIsFetchedKnowsTheLeaseOfTheOwner() throws Exception {
    shard.losePower("c");
    ShardJournal owner = shard.owned("a");
    write(owner);
    heard.clear();
    pass(2_000); // saved
    shard.log().drop();
    assertThat(shard.log().dropped()).isPositive();
    shard.start("c");
    shard.log().settle();
    assertThat(shard.fetches()).isPositive();
    assertThat(shard.saved("c").point().leaseMillis()).isEqualTo(500);
    write(shard.owned("c"));
    pass(549);
    assertThat(heard).isEmpty();
    pass(1);
    assertThat(heard).containsExactly("durable");
  }

  @Test
  void ownerThatClosesWhileItWaitsReleasesTheShardAfterThat() throws InterruptedException {
    proven("a");
    ShardJournal next = shard.owned("b");
    long before = shard.log().lastIndex();
    Thread closing = Thread.ofPlatform().start(next::close);
    while (closing.isAlive() && closing.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    shard.log().settle();
    assertThat(shard.log().lastIndex()).isEqualTo(before);
    assertThat(closing.isAlive()).isTrue();
    pass(550);
    closing.join();
    shard.log().settle();
    assertThat(shard.replica("a").owner()).isNull();
    ShardJournal last = shard.owned("c");
    write(last);
    assertThat(heard).containsExactly("durable");
  }

  @Test
  void ownerThatIsDeposedWhileItWaitsReleasesNothing() throws InterruptedException {
    proven("a");
    ShardJournal next = shard.owned("b");
    Thread closing =
        Thread.ofPlatform()
            .uncaughtExceptionHandler((_, thrown) -> heard.add(thrown.getClass().getSimpleName()))
            .start(next::close);
    while (closing.isAlive() && closing.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    shard.losePower("b"); // its own copy stops: the ownership itself has not ended
    closing.join();
    assertThat(heard).containsExactly("JournalFailedException");
    heard.clear();
    write(shard.owned("c"));
    assertThat(heard).isEmpty();
    pass(550);
    assertThat(heard).containsExactly("durable");
  }
}
