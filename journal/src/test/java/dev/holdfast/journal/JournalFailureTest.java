package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.TimeSource;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.faults.FaultyDisk;
import dev.holdfast.faults.FaultyDisk.Operation;
import dev.holdfast.journal.file.Uninterruptibly;
import dev.holdfast.journal.group.Failure;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.VirtualClock;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** After a write or sync error the journal has failed permanently. */
final class JournalFailureTest {

  @TempDir Path directory;

  private final FaultyDisk disk = new FaultyDisk(new FileDisk());
  private FileJournal journal;

  @BeforeEach
  void open() {
    journal = Journals.open(directory, Journals.SMALL.withSegmentBytes(1 << 20).withDisk(disk));
    Journals.write(journal, "durable");
    disk.affectOnly(file -> file.toString().endsWith(".log"));
  }

  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      names = {"WRITE", "FORCE"})
  void failureIsFinalEvenIfTheDiskWorksAgain(Operation operation) {
    disk.fail(operation, 1);
    long position = Journals.append(journal, "lost");
    assertThatThrownBy(() -> journal.awaitDurable(position))
        .isInstanceOf(JournalFailedException.class)
        .hasMessageContaining("after position 1");
    assertThat(journal.failure()).isInstanceOf(JournalFailedException.class);
    assertThatThrownBy(() -> journal.awaitDurable(position))
        .isInstanceOf(JournalFailedException.class);
    assertThatThrownBy(() -> Journals.append(journal, "more"))
        .isInstanceOf(JournalFailedException.class);
    assertThat(journal.durablePosition()).isEqualTo(1);
    journal.close();
  }

  @Test
  void everyWaiterIsNotifiedOnce() {
    disk.fail(Operation.FORCE, 1);
    AtomicInteger failed = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      Runnable write =
          () -> {
            try {
              Journals.write(journal, "x");
            } catch (JournalFailedException e) {
              failed.incrementAndGet();
            }
          };
      threads.add(i % 8 == 0 ? Thread.ofPlatform().start(write) : Thread.startVirtualThread(write));
    }
    threads.forEach(Uninterruptibly::join);
    assertThat(failed).hasValue(200);
    assertThat(journal.durablePosition()).isEqualTo(1);
    journal.close();
  }

  @Test
  void listenersLearnOfTheFailureBeforeAndAfter() {
    disk.fail(Operation.FORCE, 1);
    CompletableFuture<RuntimeException> early = new CompletableFuture<>();
    CompletableFuture<RuntimeException> late = new CompletableFuture<>();
    long position = Journals.append(journal, "lost");
    journal.whenDurable(position, early::complete);
    assertThat(early.join()).isInstanceOf(JournalFailedException.class);
    journal.whenDurable(position, late::complete);
    assertThat(late.join()).isInstanceOf(JournalFailedException.class);
    journal.whenDurable(1, failure -> assertThat(failure).as("what was durable stays so").isNull());
    journal.close();
  }

  @Test
  void closeReportsTheFailureOfItsOwnSync() {
    disk.fail(Operation.FORCE, 1);
    Journals.append(journal, "lost");
    long threads = threads();
    assertThatThrownBy(journal::close).isInstanceOf(JournalFailedException.class);
    assertThat(threads()).as("flusher and notifier have ended").isLessThanOrEqualTo(threads - 2);
    assertThat(Journals.reopened(directory)).startsWith("durable");
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.matches("holdfast-journal-(flush|notify)"))
        .count();
  }

  @Test
  void appenderThatWaitsForRoomIsNotified() {
    disk.fail(Operation.FORCE, 1);
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 1000; i++) {
                Journals.append(journal, new byte[1000]);
              }
            })
        .isInstanceOf(JournalFailedException.class);
    journal.close();
  }

  @Test
  void failureToBeginASegmentIsFinal() {
    disk.affectOnly(file -> file.toString().endsWith(".spare"));
    disk.fail(Operation.FORCE, 1);
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 2000; i++) {
                Journals.append(journal, new byte[1000]);
              }
            })
        .isInstanceOf(JournalFailedException.class);
    long durable = journal.durablePosition();
    journal.close();
    assertThat(Journals.reopened(directory)).hasSize((int) durable);
  }

  /**
   * Too many open files, for example: like a full disk, it is the error of the append that needs
   * them.
   */
  @ParameterizedTest
  @ValueSource(strings = {".spare", ".log"})
  void segmentThatCannotBeOpenedRefusesTheAppendAndNoLaterOne(String suffix) {
    disk.affectOnly(file -> file.toString().endsWith(suffix));
    long appended = 1;
    boolean refused = false;
    for (int i = 0; i < 120; i++) {
      disk.fail(Operation.OPEN, 1);
      try {
        appended = Journals.append(journal, new byte[12_000]);
        journal.awaitDurable(appended);
      } catch (DataDirectoryException e) {
        refused = true;
        assertThat(e).hasMessageContaining("cannot be opened").hasMessageContaining("nothing was");
        assertThat(journal.failure()).isNull();
        disk.affectOnly(_ -> false);
        assertThat(Journals.write(journal, "after")).isEqualTo(++appended);
        disk.affectOnly(file -> file.toString().endsWith(suffix));
      }
    }
    assertThat(refused).isTrue();
    journal.close();
    assertThat(Journals.reopened(directory)).hasSize((int) appended).contains("after");
  }

  @Test
  void reasonSaysThatMemoryRanOut() {
    Throwable cause = new IllegalStateException("in the middle", new OutOfMemoryError("heap"));

    assertThat(new Failure().stop(7, cause))
        .hasMessageContaining("java.lang.OutOfMemoryError: heap")
        .hasMessageContaining("after position 7")
        .hasMessageContaining("Give it more memory");
  }

  /** No thread appends or waits. */
  @Test
  void listenersOfAFailureAreCalledOnceWhicheverThreadMeetsIt() {
    List<RuntimeException> notified = new CopyOnWriteArrayList<>();
    journal.onFailure(notified::add);
    disk.fail(Operation.FORCE, 1);
    long position = Journals.append(journal, "lost");
    assertThatThrownBy(() -> journal.awaitDurable(position))
        .isInstanceOf(JournalFailedException.class);
    journal.onFailure(notified::add);
    journal.close();

    assertThat(notified)
        .hasSize(2)
        .allSatisfy(each -> assertThat(each).isSameAs(journal.failure()));
  }

  @Test
  void partlyWrittenGroupIsCutOffWhenReopened() {
    disk.cutWrite(1, 100);
    long position = Journals.append(journal, "x".repeat(500));
    assertThatThrownBy(() -> journal.awaitDurable(position))
        .isInstanceOf(JournalFailedException.class);
    journal.close();
    assertThat(Journals.reopened(directory)).containsExactly("durable");
  }

  /**
   * An error in the middle of an append, above all for lack of memory, leaves half a record in the
   * group: nothing more may be written. Here the memory of the payload is freed at that moment.
   */
  @Test
  void appendThatEndsInTheMiddleOfARecordStopsTheJournal(@TempDir Path other) {
    AtomicReference<Arena> payload = new AtomicReference<>();
    TimeSource clock = new ClosingClock(payload);
    FileJournal stopped = FileJournal.open(other, clock, Journals.SMALL);
    Journals.write(stopped, "durable");
    payload.set(Arena.ofShared());
    ByteBuffer bytes = payload.get().allocate(100).asByteBuffer();

    assertThatThrownBy(
            () -> stopped.append(RecordKind.BATCH, 1, Journals.KEY, ChainLink.FIRST, bytes))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(() -> Journals.append(stopped, "more"))
        .isInstanceOf(JournalFailedException.class);
    assertThat(stopped.failure())
        .cause()
        .hasMessage("An append has ended in the middle of a record.")
        .hasCauseInstanceOf(IllegalStateException.class);
    assertThat(stopped.durablePosition()).isEqualTo(1);
    stopped.close();
    assertThat(Journals.reopened(other)).containsExactly("durable");
  }

  /** Frees the memory of a payload when a record is stamped with the time. */
  private static final class ClosingClock implements TimeSource {

    private final VirtualClock clock = new VirtualClock();
    private final AtomicReference<Arena> memory;

    ClosingClock(AtomicReference<Arena> memory) {
      this.memory = memory;
    }

    @Override
    public long wallMillis() {
      Arena taken = memory.getAndSet(null);
      if (taken != null) {
        taken.close();
      }
      return clock.wallMillis();
    }

    @Override
    public long monotonicNanos() {
      return clock.monotonicNanos();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
      return clock.schedule(delayNanos, task);
    }
  }
}
