package dev.holdfast.journal.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.journal.replica.LogEntry;
import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.OwnershipLostException;
import dev.holdfast.spi.log.Replica;
import dev.holdfast.spi.log.ReplicatedLog;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The journal of a shard on one node and on two, whose log does what the test says. */
final class ShardJournalTest {

  private final SimulatedShard shard =
      new SimulatedShard(RandomGeneratorFactory.of("L64X128MixRandom").create(1));

  @AfterEach
  void close() {
    shard.close();
  }

  @Test
  void recordIsDurableWhenTheReplicaHasAppliedIt() {
    ShardJournal journal = shard.owned("a");
    List<String> heard = new ArrayList<>();
    long position = SimulatedShard.append(journal, "one");
    journal.whenDurable(position, failure -> heard.add("durable " + failure));
    assertThat(position).isEqualTo(1);
    assertThat(journal.lastPosition()).isEqualTo(1);
    assertThat(journal.durablePosition()).isZero();
    assertThat(heard).isEmpty();
    shard.log().settle();
    assertThat(heard).containsExactly("durable null");
    assertThat(journal.durablePosition()).isEqualTo(1);
    assertThat(shard.records("a")).containsExactly("1 one");
  }

  @Test
  void recordsGatherWhileTwoGroupsAreInFlight() {
    ShardJournal journal = shard.owned("a");
    long before = shard.log().lastIndex();
    for (int i = 1; i <= 10; i++) {
      journal.whenDurable(SimulatedShard.append(journal, "r" + i), _ -> {});
    }
    shard.log().settle();
    assertThat(journal.durablePosition()).isEqualTo(10);
    assertThat(shard.log().lastIndex()).isEqualTo(before + 3); // 1, 2, 3 to 10
  }

  @Test
  void journalOfTheNextOwnerContinues() {
    ShardJournal first = shard.owned("a");
    SimulatedShard.append(first, "one");
    first.whenDurable(1, _ -> {});
    shard.log().settle();
    ShardJournal second = shard.owned("b");
    assertThat(second.lastPosition()).isEqualTo(1);
    second.whenDurable(SimulatedShard.append(second, "two"), _ -> {});
    shard.log().settle();
    assertThat(shard.records("a")).containsExactly("1 one", "2 two");
    assertThat(shard.records("b")).containsExactly("1 one", "2 two");
  }

  @Test
  void groupThatIsOrderedAfterAnotherOpenIsSkippedAndItsWaitersAreTold() {
    ShardJournal first = shard.owned("a");
    List<String> heard = new ArrayList<>();
    shard.replica("b").claim();
    shard.log().order(new NodeId("b"));
    first.whenDurable(
        SimulatedShard.append(first, "late"), failure -> heard.add(String.valueOf(failure)));
    shard.log().settle();
    assertThat(heard).singleElement().asString().contains("Node b has opened the shard");
    assertThat(shard.records("a")).isEmpty();
    assertThat(shard.records("b")).isEmpty();
    assertThat(first.failure()).hasCauseInstanceOf(OwnershipLostException.class);
    assertThatThrownBy(() -> SimulatedShard.append(first, "later"))
        .isInstanceOf(JournalFailedException.class);
    assertThatThrownBy(first::requireOwnership).isInstanceOf(JournalFailedException.class);
  }

  @Test
  void proofIsAnEntryWithoutRecordsThatManyShare() {
    ShardJournal journal = shard.owned("a");
    long before = shard.log().lastIndex();
    List<String> heard = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      journal.whenProven(failure -> heard.add("proven " + failure));
    }
    assertThat(heard).isEmpty();
    shard.log().settle();
    assertThat(heard).hasSize(10).containsOnly("proven null");
    assertThat(shard.log().lastIndex()).isEqualTo(before + 3); // two in flight, the rest share
    assertThat(journal.lastPosition()).isZero();
    journal.whenDurable(SimulatedShard.append(journal, "after"), _ -> {});
    shard.log().settle();
    assertThat(shard.records("b")).containsExactly("1 after");
  }

  @Test
  void deposedOwnerGetsNoProof() {
    ShardJournal first = shard.owned("a");
    shard.replica("b").claim();
    shard.log().order(new NodeId("b"));
    assertThat(first.failure()).isNull(); // it does not know yet
    List<String> heard = new ArrayList<>();
    first.whenProven(failure -> heard.add(failure == null ? "proven" : "failed"));
    shard.log().settle();
    assertThat(heard).containsExactly("failed");
  }

  @Test
  void proofIsNotTakenFromAGroupInFlight() {
    ShardJournal first = shard.owned("a");
    first.whenDurable(SimulatedShard.append(first, "before"), _ -> {});
    shard.log().order(new NodeId("a"));
    shard.replica("b").claim();
    shard.log().order(new NodeId("b"));
    List<String> heard = new ArrayList<>();
    first.whenProven(failure -> heard.add(failure == null ? "proven" : "failed"));
    shard.log().settle();
    assertThat(first.durablePosition()).isEqualTo(1);
    assertThat(heard).containsExactly("failed");
  }

  @Test
  void proofThatIsAskedForAfterTheReleaseFailsAtOnce() {
    ShardJournal journal = shard.owned("a");
    journal.close();
    List<String> heard = new ArrayList<>();

    journal.whenProven(failure -> heard.add(failure == null ? "proven" : "failed"));

    assertThat(heard).containsExactly("failed");
    assertThatThrownBy(() -> journal.awaitProven(0)).isInstanceOf(JournalFailedException.class);
  }

  @Test
  void proofThatWasAskedForBeforeTheReleaseIsGiven() throws Exception {
    ShardJournal journal = shard.owned("a");
    List<String> heard = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 3; i++) { // two are in flight, the third gathers
      journal.whenProven(failure -> heard.add(failure == null ? "proven" : "failed"));
    }
    Thread closing = Thread.ofPlatform().start(journal::close);
    while (closing.isAlive()) {
      shard.log().settle();
      Thread.onSpinWait();
    }
    assertThat(heard).containsExactly("proven", "proven", "proven");
  }

  @Test
  void groupThatTheLogGivesUpEndsTheOwnership() {
    ShardJournal journal = shard.owned("a");
    List<String> heard = new ArrayList<>();
    journal.whenDurable(
        SimulatedShard.append(journal, "lost"), failure -> heard.add(String.valueOf(failure)));
    shard.log().giveUp(new NodeId("a"));
    assertThat(heard).singleElement().asString().contains("gave up a group");
    assertThat(journal.failure()).hasCauseInstanceOf(OwnershipLostException.class);
    assertThat(shard.replica("a").failure()).isNull();
    assertThat(shard.owned("a").lastPosition()).isZero();
  }

  @Test
  void groupAfterTheReleaseOfItsEpochIsSkipped() {
    ShardJournal journal = shard.owned("a");
    ReplicatedLog other = shard.log().on(new NodeId("c"));
    other.start(new IdleReplica());
    other.propose(new LogEntry.Release(journal.epoch()).encode(), () -> {});
    shard.log().order(new NodeId("c"));
    journal.whenDurable(SimulatedShard.append(journal, "late"), _ -> {});
    shard.log().settle();
    assertThat(shard.records("a")).isEmpty();
    assertThat(shard.records("b")).isEmpty();
    assertThat(journal.failure()).hasCauseInstanceOf(OwnershipLostException.class);
  }

  private static final class IdleReplica implements Replica {

    @Override
    public OptionalLong appliedIndex() {
      return OptionalLong.empty();
    }

    @Override
    public void apply(long index, ByteBuffer entry) {}

    @Override
    public void mayLead(boolean yes) {}
  }

  @Test
  void recordLongerThanAnEntryComesInParts() {
    ShardJournal journal = shard.owned("a");
    shard.owned("b").close();
    shard.log().settle();
    ShardJournal again = shard.owned("a");
    assertThat(journal.failure()).isNotNull();
    String text = "long ".repeat(400_000);
    Thread appender =
        Thread.ofPlatform()
            .start(
                () -> {
                  SimulatedShard.append(again, "short");
                  SimulatedShard.append(again, text);
                });
    while (appender.isAlive()) {
      shard.log().settle();
      Thread.onSpinWait();
    }
    assertThat(shard.records("a")).containsExactly("1 short", "2 " + text);
    assertThat(shard.records("b")).containsExactly("1 short", "2 " + text);
  }

  @Test
  void replicaThatIsOpenedAgainHasEverythingOnce() {
    ShardJournal journal = shard.owned("a");
    for (int i = 1; i <= 300; i++) {
      journal.whenDurable(SimulatedShard.append(journal, "record " + i), _ -> {});
      shard.log().settle();
      if (i % 70 == 0) {
        shard.losePower("b");
        shard.start("b");
      }
    }
    shard.log().settle();
    assertThat(shard.records("b")).hasSize(300).isEqualTo(shard.records("a"));
    assertThat(shard.segments("b")).isEqualTo(shard.segments("a")).hasSizeGreaterThan(1);
  }

  @Test
  void checkpointOfAnotherNodeIsNotSeenByRecovery() {
    ShardJournal first = shard.owned("a");
    checkpoint(first, "files of a");
    first.whenDurable(SimulatedShard.append(first, "batch"), _ -> {});
    shard.log().settle();
    ShardJournal second = shard.owned("b");
    checkpoint(second, "files of b");
    second.append(
        RecordKind.CHECKPOINT, Journal.EVENTS_VIEW_ID, SimulatedShard.KEY, bytes("event"));
    second.whenDurable(second.lastPosition(), _ -> {});
    shard.log().settle();

    ShardJournal again = shard.owned("a");
    assertThat(texts(again)).containsExactly("files of a", "batch", "event");
    assertThat(past(again)).containsExactly("event", "batch", "files of a");
    checkpoint(again, "files of a again");
    assertThat(past(again)).startsWith("files of a again", "event");
    assertThat(texts(shard.owned("b"))).containsExactly("batch", "files of b", "event");
  }

  @Test
  void ownCheckpointsAreKnownAfterACrashAndUnknownToANewCopy() {
    checkpoint(shard.owned("a"), "files");
    shard.log().settle();
    shard.losePower("a");
    shard.start("a");
    assertThat(texts(shard.owned("a"))).containsExactly("files");
    shard.losePower("a");
    shard.loseDisk("a");
    shard.start("a");
    assertThat(texts(shard.owned("a"))).isEmpty();
  }

  @Test
  void replicaKnowsTheOwnerAfterItIsOpenedAgain() {
    shard.owned("b");
    shard.clock().advance(Duration.ofSeconds(2)); // saved
    shard.losePower("a");
    shard.start("a");
    assertThat(shard.replica("a").owner()).hasToString("b");
  }

  @Test
  void recoveryBeginsWhereTheViewsSaid() {
    ShardJournal first = shard.owned("a");
    View view = new View();
    first.start(List.of(view));
    for (int i = 1; i <= 4; i++) {
      first.whenDurable(SimulatedShard.append(first, "r" + i), _ -> {});
    }
    shard.log().settle();
    view.needed = 3;
    first.close();
    shard.log().settle();
    assertThat(texts(shard.owned("a"))).containsExactly("r3", "r4");
    assertThat(texts(shard.owned("b"))).hasSize(4); // whose views have nothing
  }

  @Test
  void markWaitsForTheRecordsThatTheViewsHadAppended() {
    ShardJournal first = shard.owned("a");
    View view = new View();
    first.start(List.of(view));
    first.whenDurable(SimulatedShard.append(first, "r1"), _ -> {});
    shard.log().settle();
    checkpoint(first, "allows the mark"); // in flight
    view.needed = Long.MAX_VALUE;
    first.review();
    view.needed = 1; // not asked again before that
    shard.log().giveUp(new NodeId("a"));
    shard.losePower("a");
    shard.start("a");
    assertThat(texts(shard.owned("a"))).containsExactly("r1");
  }

  private static void checkpoint(ShardJournal journal, String text) {
    long position = journal.append(RecordKind.CHECKPOINT, 1, SimulatedShard.KEY, bytes(text));
    journal.whenDurable(position, _ -> {});
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static List<String> texts(ShardJournal journal) {
    List<String> texts = new ArrayList<>();
    journal
        .recoveryLog()
        .forEach(record -> texts.add(StandardCharsets.UTF_8.decode(record.payload()).toString()));
    return texts;
  }

  /** {@return what a view that repairs its files finds, newest first} */
  private List<String> past(ShardJournal journal) {
    shard.log().settle();
    List<String> texts = new ArrayList<>();
    try (HistoryCursor cursor =
        journal.ownHistory().newestFirst(SimulatedShard.KEY, Long.MAX_VALUE)) {
      while (cursor.next()) {
        texts.add(StandardCharsets.UTF_8.decode(cursor.read().payload()).toString());
      }
    }
    return texts;
  }

  private static class View implements JournalView {
    private long needed = 1;

    @Override
    public int viewId() {
      return 1;
    }

    @Override
    public void recover(RecoveryLog log) {}

    @Override
    public long lowWaterMark() {
      return needed;
    }

    @Override
    public void checkpointBefore(long position) {}
  }

  @Test
  void viewThatIsAskedForACheckpointWhileTheShardIsGivenUpStopsNobody() {
    ShardJournal journal = shard.owned("a");
    List<Long> asked = new ArrayList<>();
    journal.start(
        List.of(
            new View() {
              @Override
              public void checkpointBefore(long position) {
                asked.add(position);
                checkpoint(journal, "place");
              }
            }));
    for (int i = 0; asked.isEmpty(); i++) { // until it holds back too many segments
      journal.whenDurable(SimulatedShard.append(journal, i + "r".repeat(8000)), _ -> {});
      shard.log().settle();
      journal.review();
    }
    shard.log().settle();
    asked.clear();
    journal.close();
    journal.review(); // of a save, before the release is applied

    assertThat(asked).isNotEmpty();
    shard.log().settle();
    assertThat(shard.replica("a").failure()).isNull();
  }

  @Test
  void closeGivesTheShardUp() {
    ShardJournal journal = shard.owned("a");
    assertThat(shard.replica("b").owner()).hasToString("a");
    journal.close();
    journal.close();
    shard.log().settle();
    assertThat(shard.replica("b").owner()).isNull();
    assertThatThrownBy(() -> SimulatedShard.append(journal, "later"))
        .isInstanceOf(JournalFailedException.class);
  }
}
