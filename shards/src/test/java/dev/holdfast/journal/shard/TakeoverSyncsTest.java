package dev.holdfast.journal.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.faults.FaultyDisk;
import dev.holdfast.faults.FaultyDisk.Operation;
import dev.holdfast.spi.log.NodeId;
import java.time.Duration;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a node that takes a shard makes durable before callers wait for it, and after that. */
final class TakeoverSyncsTest {

  private final SimulatedShard shard =
      new SimulatedShard(RandomGeneratorFactory.of("L64X128MixRandom").create(1));

  private FaultyDisk disk;
  private long before;

  @BeforeEach
  void write() {
    append("a", "one");
    disk = shard.disk("b");
    disk.affectOnly(path -> path.getFileName().toString().startsWith("bases"));
    before = disk.count(Operation.MOVE);
  }

  @AfterEach
  void close() {
    shard.close();
  }

  private void append(String owner, String text) {
    ShardJournal journal = shard.owned(owner);
    journal.whenDurable(SimulatedShard.append(journal, text), _ -> {});
    shard.log().settle();
  }

  private long written() {
    return disk.count(Operation.MOVE) - before;
  }

  @Test
  void openingFindsWhatTheClaimHasWritten() {
    shard.replica("b").claim();
    assertThat(written()).isEqualTo(1);
    shard.log().settle();
    assertThat(shard.lastOwned("b").recoveryLog().firstPosition()).isPositive();
    assertThat(written()).isEqualTo(1);
  }

  @Test
  void openingRepeatsWhatTheClaimCouldNotWrite() {
    disk.fail(Operation.WRITE, 1);
    shard.replica("b").claim();
    assertThat(written()).isZero();
    shard.log().settle();
    assertThat(shard.lastOwned("b").recoveryLog().firstPosition()).isPositive();
    assertThat(written()).isEqualTo(1);
  }

  @Test
  void openingFailsWhileItCannotBeWritten() {
    disk.fail(Operation.WRITE, 1);
    disk.fail(Operation.WRITE, 2);
    shard.replica("b").claim();
    shard.log().settle();
    assertThatThrownBy(() -> shard.lastOwned("b").recoveryLog())
        .isInstanceOf(DataDirectoryException.class);
  }

  /** The groups of the owner may come before the claim, which knows less then. */
  @Test
  void openingWritesWhatTheClaimDidNotKnow() {
    shard.replica("b").claim();
    ShardJournal owner = shard.lastOwned("a");
    owner.whenDurable(SimulatedShard.append(owner, "two"), _ -> {});
    shard.log().order(new NodeId("a"));
    shard.log().settle();
    assertThat(shard.lastOwned("b").recoveryLog().firstPosition()).isPositive();
    assertThat(written()).isEqualTo(2);
  }

  @Test
  void nothingIsSavedWhileTheFirstCallersCome() {
    shard.clock().advance(Duration.ofSeconds(2)); // replicas save
    shard.replica("b").claim();
    shard.log().settle();
    disk.affectOnly(_ -> true);
    long syncs = disk.count(Operation.FORCE);
    shard.objects("b");
    assertThat(disk.count(Operation.FORCE)).isEqualTo(syncs);
    shard.clock().advance(Duration.ofSeconds(1));
    assertThat(disk.count(Operation.FORCE)).isGreaterThan(syncs);
  }

  @Test
  void claimWithoutEffectLetsRoundsWaitForOneRecord() {
    shard.replica("b").claim();
    shard.log().giveUp(new NodeId("b"));
    shard.log().settle();
    assertThat(shard.follow("b")).isFalse();
    append("a", "two");
    assertThat(shard.follow("b")).isTrue();
    shard.owned("b");
    assertThat(shard.objects("b").texts()).containsExactly("one", "two");
  }
}
