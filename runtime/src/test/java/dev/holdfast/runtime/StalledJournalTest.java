package dev.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectCallTimeoutException;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectStub;
import dev.holdfast.testkit.DeterministicScheduler;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A disk that neither does its work nor fails. */
final class StalledJournalTest {

  private static final Duration WARNING = Duration.ofSeconds(5);

  private final DeterministicScheduler scheduler = new DeterministicScheduler(1);
  private final InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL);
  private final Host host = Host.with().scheduler(scheduler).journal(journal).open();

  @AfterEach
  void close() {
    journal.makeAllDurable();
    scheduler.run(host::close);
  }

  private static Object increment(ObjectContext context) {
    long value = context.storage().get("count", Long.class).orElse(0L) + 1;
    context.storage().put("count", value);
    return value;
  }

  private AtomicReference<Object> increment(ObjectStub<Thing> stub) {
    AtomicReference<Object> reply = new AtomicReference<>();
    scheduler.start(
        "caller",
        () -> {
          try {
            reply.set(host.call(stub, (_, context) -> increment(context)));
          } catch (ObjectCallTimeoutException e) {
            reply.set(e);
          }
        });
    return reply;
  }

  @Test
  void callerWithATimeOutIsToldThatItsWriteMayHaveHappened() {
    AtomicReference<Object> reply = increment(host.stub("a").withTimeout(Duration.ofSeconds(30)));
    scheduler.advance(Duration.ofSeconds(29));
    assertThat(reply).hasNullValue();
    scheduler.advance(Duration.ofSeconds(1));

    assertThat(reply.get())
        .isInstanceOfSatisfying(
            ObjectCallTimeoutException.class, late -> assertThat(late.delivered()).isTrue());
    AtomicReference<Object> next = increment(host.stub("a"));
    journal.makeAllDurable();
    scheduler.runUntilIdle();
    journal.makeAllDurable();
    scheduler.runUntilIdle();
    assertThat(next).as("the write happened after all").hasValue(2L);
  }

  @Test
  void callerWithoutATimeOutGetsItsReplyHoweverLongItTakes() {
    AtomicReference<Object> reply = increment(host.stub("a"));
    scheduler.advance(Duration.ofDays(1));
    assertThat(reply).hasNullValue();
    journal.makeAllDurable();
    scheduler.runUntilIdle();

    assertThat(reply).hasValue(1L);
  }

  @Test
  void standstillIsReportedOnce() throws Exception {
    increment(host.stub("a"));
    increment(host.stub("b"));
    scheduler.advance(WARNING);
    assertThat(host.log.isEmpty()).isTrue();
    scheduler.advance(Duration.ofMinutes(1));
    assertThat(host.log.awaitOne())
        .contains("made nothing durable for more than PT5S")
        .contains("positions 1 to 2 wait for the disk");
    assertThat(host.log.isEmpty()).as("one report").isTrue();

    journal.makeAllDurable();
    scheduler.advance(Duration.ofMinutes(1));
    assertThat(host.log.isEmpty()).as("no report of a journal at rest").isTrue();
    increment(host.stub("a"));
    scheduler.advance(Duration.ofMinutes(1));
    assertThat(host.log.awaitOne()).contains("positions 3 to 3 wait for the disk");
  }

  @Test
  void slowDiskThatMakesHeadwayIsNotReported() {
    increment(host.stub("a"));
    for (int i = 1; i <= 20; i++) {
      increment(host.stub("a"));
      scheduler.advance(Duration.ofSeconds(4));
      journal.makeDurable(i);
    }

    assertThat(host.log.isEmpty()).isTrue();
  }
}
