package dev.holdfast.alarms;

import static dev.holdfast.alarms.AlarmHost.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.filter.DeliveredCall;
import dev.holdfast.filter.Headers;
import dev.holdfast.storage.MissedRuns;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Filters around the runs of alarms, and the headers that an alarm keeps. */
final class AlarmFilterTest {

  private final AlarmHost host = new AlarmHost();
  private final List<String> seen = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    host.close();
  }

  /** Gives calls headers, one of which alarms keep, and records those of alarms. */
  private @Nullable Object recording(DeliveredCall call) throws Throwable {
    if (call.alarm().isEmpty()) {
      return call.proceed(Headers.of("tenant", "t").with("user", "u").keep("tenant"));
    }
    seen.add(call.alarm().get().name() + call.headers().asMap());
    return call.proceed();
  }

  @Test
  void filterRunsAroundTheHandler() {
    host.set("a", 60);
    host.filter =
        call -> {
          seen.add(call.operation() + call.arguments() + call.name().orElseThrow());
          seen.add(call.alarm().orElseThrow().scheduledTime().toString());
          Object result = call.proceed();
          seen.add("after " + host.fired);
          return result;
        };
    host.advance(60);

    assertThat(seen)
        .containsExactly(
            "alarm[AlarmInfo[name=, scheduledTime=" + at(60) + ", retryCount=0]]a",
            at(60).toString(),
            "after [a@60]");
  }

  @Test
  void writesOfAFilterAndTheRemovalOfTheAlarmAreOneBatch() {
    host.set("a", 60);
    host.filter =
        call -> {
          call.storage().put("audit", 1L);
          return call.proceed();
        };
    int before = host.journal.records().size();
    host.advance(60);

    assertThat(host.journal.records()).hasSize(before + 1);
    host.filter = DeliveredCall::proceed;
    assertThat(host.call("a", context -> context.storage().get("audit", Long.class)))
        .isEqualTo(Optional.of(1L));
    assertThat(host.get("a")).isEmpty();
  }

  @Test
  void alarmKeepsMarkedHeadersAcrossACrash() {
    host.filter = this::recording;
    host.set("a", 60);
    host.crash();
    host.advance(60);

    assertThat(seen).containsExactly("{tenant=t}");
  }

  @Test
  void eachTryHasTheHeaders() {
    host.filter = this::recording;
    host.handler =
        (_, info) -> {
          if (!info.isRetry()) {
            throw new IllegalStateException("first try");
          }
        };
    host.set("a", 60);
    host.advance(60);
    host.crash();
    host.advance(60);

    assertThat(seen).containsExactly("{tenant=t}", "{tenant=t}");
  }

  @Test
  void eachRunOfAScheduleHasTheHeaders() {
    host.filter = this::recording;
    host.call(
        "a",
        context -> {
          context.storage().schedules().every("tick", Duration.ofSeconds(30), MissedRuns.ONCE);
          return null;
        });
    host.advance(60);
    host.downFor(300);
    host.advance(1);

    assertThat(seen).containsExactly("tick{tenant=t}", "tick{tenant=t}", "tick{tenant=t}");
  }

  @Test
  void alarmThatAHandlerSetsKeepsTheHeadersOfItsRun() {
    host.filter = this::recording;
    host.handler =
        (context, _) -> {
          if (host.fired.size() == 1) {
            context.storage().setAlarm(at(120));
          }
        };
    host.set("a", 60);
    host.advance(120);

    assertThat(seen).containsExactly("{tenant=t}", "{tenant=t}");
  }

  @Test
  void alarmThatAnOperatorArmsAgainHasItsHeaders() {
    host.filter = this::recording;
    host.handler =
        (_, _) -> {
          throw new dev.holdfast.alarm.AbandonAlarmException("useless", null);
        };
    host.set("a", 60);
    host.advance(60);
    host.handler = (_, _) -> {};
    host.sleepers().alarms().rearm(host.sleepers().idFromName("a"), "", at(70));
    host.advance(10);

    assertThat(seen).containsExactly("{tenant=t}", "{tenant=t}");
  }

  @Test
  void alarmWithoutMarkedHeadersHasNone() {
    host.filter =
        call -> {
          seen.add(call.operation() + call.headers().asMap());
          return call.proceed(Headers.of("user", "u"));
        };
    host.set("a", 60);
    host.advance(60);

    assertThat(seen).containsExactly("run{}", "alarm{}");
  }

  @Test
  void exceptionOfAFilterIsAFailureOfTheHandler() {
    host.set("a", 60);
    host.set("b", 60);
    host.filter =
        call -> {
          if (call.name().orElseThrow().equals("a") && seen.isEmpty()) {
            seen.add("refused");
            throw new SecurityException("refused");
          }
          return call.proceed();
        };
    host.advance(60);
    assertThat(host.events).containsExactly("failed a#1");
    assertThat(host.takeFired()).containsExactly("b@60");

    host.advance(60);

    assertThat(host.takeFired()).containsExactly("a@60#1");
  }

  @Test
  void alarmWhoseFilterDoesNotProceedCountsAsHandled() {
    host.set("a", 60);
    host.filter = call -> call.alarm().isPresent() ? "ignored" : call.proceed();
    host.advance(600);

    assertThat(host.takeFired()).isEmpty();
    assertThat(host.get("a")).isEmpty();
    assertThat(host.events).isEmpty();
  }

  /** An alarm begins a trace of its own, which names the one that set it. */
  @Test
  void traceOfAnAlarmIsLinkedToTheOneThatHasSetIt() {
    host.filter =
        call -> {
          String trace = "trace-" + (seen.size() + 1);
          seen.add(trace + call.headers().get("trace").map(set -> " set by " + set).orElse(""));
          return call.proceed(call.headers().with("trace", trace).keep("trace"));
        };
    host.handler =
        (context, _) -> {
          if (host.fired.size() == 1) {
            context.storage().setAlarm(at(120));
          }
        };
    host.set("a", 60);
    host.advance(120);

    assertThat(seen).containsExactly("trace-1", "trace-2 set by trace-1", "trace-3 set by trace-2");
  }
}
