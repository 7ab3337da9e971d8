package dev.holdfast.testkit;

import static dev.holdfast.testkit.Records.append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

final class InMemoryJournalTest {

  private final List<String> log = new ArrayList<>();

  @Test
  void positionsAscendFromOne() {
    InMemoryJournal journal = new InMemoryJournal();

    assertThat(journal.lastPosition()).isEqualTo(Journal.START);
    assertThat(append(journal, "a")).isEqualTo(1);
    assertThat(append(journal, "b")).isEqualTo(2);
    assertThat(journal.lastPosition()).isEqualTo(2);
  }

  @Test
  void oneWaitMakesEverythingAppendedDurableWithOneSync() {
    InMemoryJournal journal = new InMemoryJournal(Durability.ON_WAIT);
    append(journal, "a");
    append(journal, "b");
    assertThat(journal.durablePosition()).isZero();

    journal.awaitDurable(1);

    assertThat(journal.durablePosition()).isEqualTo(2);
    assertThat(journal.syncCount()).isEqualTo(1);
    journal.awaitDurable(2);
    assertThat(journal.syncCount()).isEqualTo(1);
  }

  @Test
  void appendIsDurableAtOnceWhenAskedFor() {
    InMemoryJournal journal = new InMemoryJournal(Durability.ON_APPEND);

    append(journal, "a");

    assertThat(journal.durablePosition()).isEqualTo(1);
  }

  @Test
  void manualWaiterWaitsForTheTest() throws Exception {
    InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL);
    append(journal, "a");
    append(journal, "b");
    FutureTask<String> waiter = new FutureTask<>(() -> journal.awaitDurable(2), "durable");
    Thread.ofVirtual().start(waiter);
    journal.awaitWaiters(1);

    journal.makeDurable(1);
    assertThat(waiter.isDone()).isFalse();
    journal.makeDurable(2);

    assertThat(waiter.get()).isEqualTo("durable");
    assertThat(journal.syncCount()).isEqualTo(2);
  }

  @Test
  void syncTakesItsTimeAndLeavesOutWhatWasAppendedAfterItBegan() {
    VirtualClock clock = new VirtualClock();
    InMemoryJournal journal = InMemoryJournal.withSyncTime(clock, Duration.ofMillis(2));
    for (int position = 1; position <= 2; position++) {
      String text = "at %s of record " + append(journal, "x");
      journal.whenDurable(position, _ -> log.add(text.formatted(clock.monotonicNanos())));
      clock.advance(Duration.ofMillis(1));
    }

    clock.advance(Duration.ofMillis(5));

    assertThat(log).containsExactly("at 2000000 of record 1", "at 3000000 of record 2");
    assertThat(journal.syncCount()).isEqualTo(2);
    assertThat(clock.pendingTimers()).isZero();
  }

  @Test
  void syncThatIsUnderWayWhenTheJournalFailsMakesNothingDurable() {
    VirtualClock clock = new VirtualClock();
    InMemoryJournal journal = InMemoryJournal.withSyncTime(clock, Duration.ofMillis(1));
    append(journal, "a");
    journal.whenDurable(1, failure -> log.add(String.valueOf(failure)));

    journal.fail(new IOException("bad disk"));
    clock.advance(Duration.ofMillis(5));

    assertThat(log).singleElement().asString().contains("JournalFailedException");
    assertThat(journal.durablePosition()).isZero();
  }

  @Test
  void listenersAreCalledOnceInOrderOfPosition() {
    InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL);
    append(journal, "a");
    append(journal, "b");
    journal.whenDurable(2, failure -> log.add("second " + failure));
    journal.whenDurable(1, failure -> log.add("first " + failure));

    journal.makeDurable(1);
    assertThat(log).containsExactly("first null");
    journal.makeAllDurable();

    assertThat(log).containsExactly("first null", "second null");
    journal.whenDurable(2, failure -> log.add("known " + failure));
    assertThat(log).last().isEqualTo("known null");
  }

  @Test
  void failureReachesWaitersListenersAndAppends() throws Exception {
    InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL);
    append(journal, "a");
    FutureTask<String> waiter = new FutureTask<>(() -> journal.awaitDurable(1), "durable");
    Thread.ofVirtual().start(waiter);
    journal.awaitWaiters(1);
    journal.whenDurable(1, failure -> log.add(String.valueOf(failure)));

    journal.fail(new IOException("bad disk"));

    assertThat(log).hasSize(1).first().asString().contains("JournalFailedException");
    assertThat(journal.failure()).hasRootCauseMessage("bad disk");
    assertThatExceptionOfType(java.util.concurrent.ExecutionException.class)
        .isThrownBy(waiter::get)
        .withCauseInstanceOf(JournalFailedException.class);
    assertThatExceptionOfType(JournalFailedException.class).isThrownBy(() -> append(journal, "b"));
  }

  @Test
  void whatWasDurableStaysSoAfterAFailure() {
    InMemoryJournal journal = new InMemoryJournal();
    append(journal, "a");
    journal.awaitDurable(1);

    journal.fail(new IOException("bad disk"));

    journal.awaitDurable(1);
    journal.whenDurable(1, failure -> log.add(String.valueOf(failure)));
    assertThat(log).containsExactly("null");
  }

  @Test
  void refusedAppendLeavesTheJournalWorking() {
    InMemoryJournal journal = new InMemoryJournal();
    journal.refuseNextAppend(new DataDirectoryException(Path.of("data"), "full", null));

    assertThatExceptionOfType(DataDirectoryException.class).isThrownBy(() -> append(journal, "a"));

    assertThat(append(journal, "b")).isEqualTo(1);
    assertThat(journal.failure()).isNull();
  }

  @Test
  void crashLosesExactlyWhatWasNotDurable() {
    InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL);
    append(journal, "a");
    append(journal, "b");
    append(journal, "c");
    journal.makeDurable(2);

    InMemoryJournal reopened = journal.crash();

    assertThat(payloads(reopened)).containsExactly("1 a", "2 b");
    assertThat(append(reopened, "d")).isEqualTo(3);
    assertThatExceptionOfType(JournalFailedException.class).isThrownBy(() -> append(journal, "e"));
  }

  @Test
  void closeMakesEverythingDurable() {
    InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL);
    append(journal, "a");

    journal.close();

    assertThat(payloads(journal.crash())).containsExactly("1 a");
    assertThatExceptionOfType(JournalFailedException.class).isThrownBy(() -> append(journal, "b"));
  }

  @Test
  void prefixLeavesTheJournalAsItIs() {
    InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL);
    append(journal, "a");
    append(journal, "b");

    assertThat(payloads(journal.prefix(0))).isEmpty();
    assertThat(payloads(journal.prefix(1))).containsExactly("1 a");
    assertThat(payloads(journal.prefix(2))).containsExactly("1 a", "2 b");
    assertThat(append(journal, "c")).isEqualTo(3);
  }

  @Test
  void trimmedRecordsAreGoneAndPositionsGoOn() {
    InMemoryJournal journal = new InMemoryJournal(Durability.ON_APPEND);
    append(journal, "a");
    append(journal, "b");

    journal.trimBefore(2);

    assertThat(payloads(journal)).containsExactly("2 b");
    assertThat(append(journal, "c")).isEqualTo(3);
    assertThat(payloads(journal.crash())).containsExactly("2 b", "3 c");
  }

  @Test
  void recordsHaveTheTimeOfTheWallClockAlsoWhenItGoesBack() {
    VirtualClock clock = new VirtualClock();
    InMemoryJournal journal = new InMemoryJournal(Durability.ON_APPEND, clock);
    append(journal, "a");
    long start = clock.wallMillis();
    clock.setWallClock(clock.now().minus(Duration.ofDays(1)));
    append(journal, "b");

    assertThat(journal.records())
        .extracting(JournalRecord::wallMillis)
        .containsExactly(start, start - Duration.ofDays(1).toMillis());
  }

  @Test
  void payloadIsCopied() {
    InMemoryJournal journal = new InMemoryJournal(Durability.ON_APPEND);
    byte[] bytes = {1, 2, 3, 4};
    ByteBuffer payload = ByteBuffer.wrap(bytes, 1, 2);
    journal.append(RecordKind.BATCH, 1, Records.object(1), ChainLink.FIRST, payload);

    bytes[1] = 9;

    assertThat(journal.records().getFirst().payload())
        .isEqualTo(ByteBuffer.wrap(new byte[] {2, 3}));
  }

  @Test
  void forgetfulJournalKeepsPositionsOnly() {
    InMemoryJournal journal = new InMemoryJournal(Durability.ON_WAIT).forgetful();

    assertThat(append(journal, "a")).isEqualTo(1);
    journal.awaitDurable(1);

    assertThat(journal.durablePosition()).isEqualTo(1);
    assertThat(journal.lastPosition()).isEqualTo(1);
    assertThatIllegalStateException().isThrownBy(journal::crash);
  }

  @Test
  void positionThatWasNeverAppendedIsRefused() {
    InMemoryJournal journal = new InMemoryJournal();

    assertThatIllegalArgumentException().isThrownBy(() -> journal.awaitDurable(1));
    assertThatIllegalArgumentException().isThrownBy(() -> journal.prefix(-1));
  }

  private static List<String> payloads(RecoveryLog records) {
    List<String> texts = new ArrayList<>();
    records.forEach(
        record ->
            texts.add(record.position() + " " + StandardCharsets.UTF_8.decode(record.payload())));
    return texts;
  }
}
