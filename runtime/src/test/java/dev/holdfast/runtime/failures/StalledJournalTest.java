package dev.holdfast.runtime.failures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectStub;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.errors.ObjectCallTimeoutException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.Recorded;
import dev.holdfast.runtime.Thing;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.statistics.RuntimeState;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A disk that neither completes its operations nor fails. */
final class StalledJournalTest {

  private static final Duration WARNING = Duration.ofSeconds(5);

  /** A runtime whose journal the test controls. */
  private static final class Stall {

    final DeterministicScheduler scheduler;
    final InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL);
    final Host host;

    Stall(DeterministicScheduler scheduler) {
      this.scheduler = scheduler;
      this.host = Host.with().scheduler(scheduler).journal(journal).open();
    }

    AtomicReference<Object> increment(String name) {
      return increment(host.stub(name));
    }

    AtomicReference<Object> increment(ObjectStub<Thing> stub) {
      AtomicReference<Object> reply = new AtomicReference<>();
      scheduler.start(
          "caller",
          () -> {
            try {
              reply.set(host.call(stub, (_, context) -> increment(context)));
            } catch (ObjectCallTimeoutException | InstanceResetException e) {
              reply.set(e);
            }
          });
      return reply;
    }

    private static Object increment(ObjectContext context) {
      long value = context.storage().get("count", Long.class).orElse(0L) + 1;
      context.storage().put("count", value);
      return value;
    }

    RuntimeState state() {
      return host.runtime.statistics().state();
    }

    void makeAllDurable() {
      journal.makeAllDurable();
      scheduler.runUntilIdle();
    }
  }

  /** A scenario for many schedules. */
  private interface Check {
    void run(Stall stall) throws Exception;
  }

  private static void explore(Check check) {
    DeterministicScheduler.explore(
        20,
        scheduler -> {
          Stall stall = new Stall(scheduler);
          check.run(stall);
          stall.makeAllDurable();
          scheduler.run(stall.host::close);
        });
  }

  @Test
  void callerWithATimeOutLearnsThatItsWriteMayHaveHappened() {
    explore(
        stall -> {
          AtomicReference<Object> reply =
              stall.increment(stall.host.stub("a").withTimeout(Duration.ofSeconds(30)));
          stall.scheduler.advance(Duration.ofSeconds(29));
          assertThat(reply).hasNullValue();
          stall.scheduler.advance(Duration.ofSeconds(1));

          assertThat(reply.get())
              .isInstanceOfSatisfying(
                  ObjectCallTimeoutException.class, late -> assertThat(late.delivered()).isTrue());
          AtomicReference<Object> next = stall.increment("a");
          stall.scheduler.runUntilIdle();
          stall.makeAllDurable();
          assertThat(next).as("the write happened after all").hasValue(2L);
        });
  }

  @Test
  void callerWithoutATimeOutGetsItsReplyHoweverLongItTakes() {
    explore(
        stall -> {
          AtomicReference<Object> reply = stall.increment("a");
          stall.scheduler.advance(Duration.ofHours(1));
          assertThat(reply).hasNullValue();
          stall.makeAllDurable();

          assertThat(reply).hasValue(1L);
        });
  }

  @Test
  void standstillIsReportedOnce() {
    explore(
        stall -> {
          stall.increment("a");
          stall.increment("b");
          stall.scheduler.advance(WARNING);
          assertThat(stall.host.log.isEmpty()).isTrue();
          stall.scheduler.advance(Duration.ofMinutes(1));
          assertThat(stall.host.log.awaitOne())
              .contains("made nothing durable for more than PT5S")
              .contains("positions 1 to 2 wait for the disk");
          assertThat(stall.host.log.isEmpty()).as("one report").isTrue();

          stall.makeAllDurable();
          stall.scheduler.advance(Duration.ofMinutes(1));
          assertThat(stall.host.log.isEmpty()).as("no report of a journal at rest").isTrue();
          stall.increment("a");
          stall.scheduler.advance(Duration.ofMinutes(1));
          assertThat(stall.host.log.awaitOne()).contains("positions 3 to 3 wait for the disk");
        });
  }

  @Test
  void slowDiskThatMakesHeadwayIsNotReported() {
    explore(
        stall -> {
          stall.increment("a");
          for (int i = 1; i <= 20; i++) {
            stall.increment("a");
            stall.scheduler.advance(Duration.ofSeconds(4));
            stall.journal.makeDurable(i);
          }

          assertThat(stall.host.log.isEmpty()).isTrue();
        });
  }

  @Test
  void stateIsStalledUntilTheJournalMoves() {
    explore(
        stall -> {
          assertThat(stall.state()).isEqualTo(RuntimeState.OPEN);
          stall.increment("a");
          stall.scheduler.advance(WARNING);
          assertThat(stall.state()).as("before the limit").isEqualTo(RuntimeState.OPEN);
          stall.scheduler.advance(Duration.ofMinutes(1));
          assertThat(stall.state()).isEqualTo(RuntimeState.STALLED);

          stall.makeAllDurable();
          assertThat(stall.state()).as("at once").isEqualTo(RuntimeState.OPEN);
          stall.scheduler.advance(Duration.ofMinutes(1));
          assertThat(stall.state()).isEqualTo(RuntimeState.OPEN);
        });
  }

  private static void explore(String end, Check check) {
    DeterministicScheduler.explore(
        1,
        scheduler -> {
          Stall stall = new Stall(scheduler);
          try (Recorded recorded = Recorded.events("JournalStall")) {
            stall.increment("a");
            stall.increment("b");
            stall.scheduler.advance(Duration.ofMinutes(1));
            check.run(stall);
            assertThat(recorded.all())
                .singleElement()
                .satisfies(
                    event -> {
                      assertThat(event.getLong("firstPosition")).isEqualTo(1);
                      assertThat(event.getLong("lastPosition")).isEqualTo(2);
                      assertThat(event.getString("endedBy")).isEqualTo(end);
                      assertThat(event.getDuration()).isPositive();
                    });
          }
        });
  }

  @Test
  void standstillIsRecordedWhenTheJournalMoves() {
    explore(
        "MOVED",
        stall -> {
          stall.makeAllDurable();
          stall.scheduler.advance(Duration.ofMinutes(1));
          stall.scheduler.run(stall.host::close);
        });
  }

  @Test
  void standstillIsRecordedWhenTheRuntimeIsClosed() {
    explore("CLOSED", stall -> stall.scheduler.run(stall.host::close));
  }

  @Test
  void standstillIsRecordedWhenTheJournalFails() {
    explore(
        "FAILED",
        stall -> {
          stall.journal.fail(new JournalFailedException("planned", null));
          stall.scheduler.advance(Duration.ofMinutes(1));
          assertThat(stall.state()).isEqualTo(RuntimeState.FAILED);
          stall.scheduler.run(stall.host::close);
        });
  }

  @Test
  void journalThatMovesIsNotRecorded() {
    DeterministicScheduler.explore(
        1,
        scheduler -> {
          Stall stall = new Stall(scheduler);
          try (Recorded recorded = Recorded.events("JournalStall")) {
            stall.increment("a");
            stall.scheduler.advance(WARNING);
            stall.makeAllDurable();
            scheduler.run(stall.host::close);
            assertThat(recorded.all()).isEmpty();
          }
        });
  }
}
