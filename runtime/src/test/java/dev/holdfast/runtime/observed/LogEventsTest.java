package dev.holdfast.runtime.observed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.runtime.Host;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What operators find in the log: one line for each event, by its name, and no values. */
final class LogEventsTest {

  private static final String SECRET = "a value that no log may have";

  @Test
  void openingAndClosingAreLoggedOnce() {
    Host host = Host.open();
    host.clock.advance(Duration.ofMinutes(2));
    host.close();
    host.close();

    assertThat(host.log.of(LogEvent.RUNTIME_OPENED))
        .singleElement()
        .asString()
        .matches(
            "INFO: runtime-opened: Holdfast [0-9][^ ]* opened a runtime in memory with the"
                + " namespaces \\[things\\]; its recovery up to position 0 read 0 records in 0"
                + " ms\\.");
    assertThat(host.log.of(LogEvent.RUNTIME_CLOSED))
        .containsExactly("INFO: runtime-closed: Holdfast closed a runtime in memory after 120 s.");
  }

  @Test
  void resetThatAnOperatorRequestsIsInformation() throws Exception {
    try (Host host = Host.open()) {
      host.call("a", (_, _) -> 0);
      host.runtime.admin().reset(Host.THINGS, host.id("a"));

      assertThat(host.log.of(LogEvent.OBJECT_RESET))
          .containsExactly(
              "INFO: object-reset: The object " + host.key("a") + " was reset: ADMINISTRATION.");
    }
  }

  @Test
  void failureOfAnObjectIsLoggedWithoutWhatItsMessageQuotes() {
    try (Host host = Host.open()) {
      assertThatThrownBy(
              () ->
                  host.call(
                      "a",
                      (_, context) ->
                          context.blockConcurrencyWhile(
                              () -> {
                                throw new IllegalStateException(SECRET);
                              })))
          .isInstanceOf(Exception.class);

      assertThat(host.log.of(LogEvent.OBJECT_FAILED))
          .singleElement()
          .asString()
          .startsWith(
              "WARNING: object-failed: The object " + host.key("a") + " was reset: SECTION_FAILED")
          .contains("IllegalStateException")
          .doesNotContain(SECRET);
    }
  }

  @Test
  void resetsOfManyObjectsAreCounted() throws Exception {
    try (Host host = Host.open()) {
      for (int i = 0; i < 1_000; i++) {
        String name = "object " + i;
        assertThatThrownBy(
                () ->
                    host.call(
                        name,
                        (_, context) -> {
                          throw context.abort(SECRET);
                        }))
            .isInstanceOf(InstanceResetException.class);
      }
      List<String> lines = host.log.of(LogEvent.OBJECT_RESET);
      assertThat(lines).hasSize(10).noneMatch(each -> each.contains(SECRET));
      assertThat(lines.getLast()).contains("ABORTED").contains("only counted");

      host.clock.advance(Duration.ofMinutes(1));
      host.call("a", (_, _) -> 0);
      host.runtime.admin().reset(Host.THINGS, host.id("a"));
      assertThat(host.log.of(LogEvent.OBJECT_RESET).getLast()).contains("990 earlier events");
    }
  }

  @Test
  void journalThatMovesAgainIsLoggedOnce() {
    DeterministicScheduler.explore(
        5,
        scheduler -> {
          InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL);
          Host host = Host.with().scheduler(scheduler).journal(journal).open();
          scheduler.start(
              "caller",
              () ->
                  host.call(
                      "a",
                      (_, context) -> {
                        context.storage().put("key", SECRET);
                        return 0;
                      }));
          scheduler.advance(Duration.ofMinutes(1));
          assertThat(host.log.of(LogEvent.JOURNAL_STALLED)).hasSize(1);
          assertThat(host.log.of(LogEvent.JOURNAL_RESUMED)).isEmpty();

          journal.makeAllDurable();
          scheduler.advance(Duration.ofMinutes(1));
          assertThat(host.log.of(LogEvent.JOURNAL_STALLED)).hasSize(1);
          assertThat(host.log.of(LogEvent.JOURNAL_RESUMED)).hasSize(1);
          scheduler.run(host::close);
        });
  }

  @Test
  void failedJournalIsAnErrorAndItsObjectsAreInformation() throws Exception {
    InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL);
    Host host = Host.with().journal(journal).open();
    host.call("a", (_, _) -> 0);
    journal.fail(new IllegalStateException("the disk is gone"));

    assertThat(host.log.awaitOne()).startsWith("ERROR: journal-failed: The journal has failed");
    host.close();
    assertThat(host.log.of(LogEvent.JOURNAL_FAILED)).hasSize(1);
    assertThat(host.log.of(LogEvent.OBJECT_FAILED)).isEmpty();
    assertThat(host.log.of(LogEvent.RUNTIME_CLOSED)).hasSize(1);
  }
}
