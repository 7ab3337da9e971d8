package dev.holdfast.runtime.failures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.LogRecords;
import dev.holdfast.runtime.internal.report.EventLog;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.ObjectKey;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Failures that no caller gets are logged, with the name of the object, and not without bound. */
class EventLogTest {

  private final Host host = Host.open();

  @AfterEach
  void close() {
    host.close();
  }

  private void failingTask(String name) throws Exception {
    host.call(
        name,
        (_, context) -> {
          context.async(
              () -> {
                throw new IllegalStateException("broken task");
              });
          return 0;
        });
  }

  @Test
  void taskThatFailsWithoutAWaiterIsLoggedWithTheNameOfItsObject() throws Exception {
    failingTask("Otto");

    assertThat(host.log.awaitOne())
        .startsWith(
            "WARNING: task-failed: A task of things/" + host.id("Otto") + " \"Otto\" failed")
        .contains("broken task");
  }

  @Test
  void failureThatTheObjectWaitsForIsNotLogged() {
    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, context) -> {
                      CompletableFuture<Object> task =
                          context.async(
                              () -> {
                                throw new IllegalStateException("broken task");
                              });
                      return context.await(task);
                    }))
        .hasMessage("broken task");

    assertThat(host.log.isEmpty()).as(host.log.toString()).isTrue();
  }

  @Test
  void asynchronousCallThatFailsWithoutAWaiterIsLogged() throws Exception {
    host.stub("a")
        .async(
            _ -> {
              throw new IllegalStateException("broken call");
            });

    assertThat(host.log.awaitOne())
        .startsWith("WARNING: call-failed: An asynchronous call of things/");
  }

  @Test
  void manyFailuresOfAMinuteAreCounted() throws Exception {
    LogRecords records = new LogRecords();
    EventLog failures = new EventLog(records, host.clock);
    ObjectKey others = new ObjectKey("others", host.id("a"));
    for (int i = 0; i < 10_000; i++) {
      failures.log(LogEvent.ALARM_FAILED, host.key("a"), () -> "failed.", null);
    }
    failures.log(LogEvent.ALARM_FAILED, others, () -> "failed.", null);
    failures.log(LogEvent.ALARM_GIVEN_UP, host.key("a"), () -> "given up.", null);

    for (int i = 0; i < 9; i++) {
      assertThat(records.awaitOne()).isEqualTo("WARNING: alarm-failed: failed.");
    }
    assertThat(records.awaitOne()).contains("only counted");
    assertThat(records.awaitOne()).isEqualTo("WARNING: alarm-failed: failed.");
    assertThat(records.awaitOne()).isEqualTo("WARNING: alarm-given-up: given up.");
    assertThat(records.isEmpty()).isTrue();

    host.clock.advance(Duration.ofMinutes(1));
    failures.log(LogEvent.ALARM_FAILED, host.key("a"), () -> "failed.", null);
    assertThat(records.awaitOne()).contains("9990 earlier");
  }
}
