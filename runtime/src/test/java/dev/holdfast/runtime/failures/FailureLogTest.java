package dev.holdfast.runtime.failures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.LogRecords;
import dev.holdfast.runtime.internal.report.FailureLog;
import dev.holdfast.runtime.internal.report.FailureLog.Kind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Failures that no caller gets are logged, with the name of the object, and not without bound. */
class FailureLogTest {

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
        .startsWith("WARNING: A task of things/" + host.id("Otto") + " \"Otto\" failed")
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

    assertThat(host.log.awaitOne()).startsWith("WARNING: An asynchronous call of things/");
  }

  @Test
  void manyFailuresOfAMinuteAreCounted() throws Exception {
    LogRecords records = new LogRecords();
    FailureLog failures = new FailureLog(records, host.clock);
    for (int i = 0; i < 10_000; i++) {
      failures.warn(Kind.ALARM, "things", "failed.", new IllegalStateException("broken"));
    }
    failures.warn(Kind.ALARM, "others", "failed.", new IllegalStateException("broken"));
    failures.warn(Kind.ALARM_GIVEN_UP, "things", "given up.", new IllegalStateException("broken"));

    for (int i = 0; i < 9; i++) {
      assertThat(records.awaitOne()).startsWith("WARNING: failed.: ");
    }
    assertThat(records.awaitOne()).contains("only counted");
    assertThat(records.awaitOne()).startsWith("WARNING: failed.: ");
    assertThat(records.awaitOne()).startsWith("WARNING: given up.: ");
    assertThat(records.isEmpty()).isTrue();

    host.clock.advance(Duration.ofMinutes(1));
    failures.warn(Kind.ALARM, "things", "failed.", new IllegalStateException("broken"));
    assertThat(records.awaitOne()).contains("9990 earlier");
  }
}
