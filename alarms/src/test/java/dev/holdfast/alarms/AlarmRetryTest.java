package dev.holdfast.alarms;

import static dev.holdfast.alarms.AlarmHost.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.AlarmOptions;
import dev.holdfast.AlarmStatus;
import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectId;
import dev.holdfast.alarm.AbandonAlarmException;
import dev.holdfast.alarm.AlarmPolicy;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.storage.MissedRuns;
import dev.holdfast.testkit.InMemoryBackend.Operation;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Failures: retries, abandoned alarms, and failures that do not count. */
final class AlarmRetryTest {

  private AlarmHost host = new AlarmHost();

  @AfterEach
  void close() {
    host.close();
  }

  @Test
  void failedHandlerIsRetriedSixTimesWithDoublingDelaysAndThenGivenUp() {
    List<Long> times = new ArrayList<>();
    host.handler =
        (context, _) -> {
          times.add(AlarmHost.seconds(host.clock.now()));
          context.storage().put("tries", (long) times.size());
          throw new IllegalStateException("no");
        };
    host.set("a", 60);
    host.advance(3);
    assertThat(host.get("a")).contains(60L);
    host.advance(100_000);

    assertThat(times).containsExactly(60L, 62L, 66L, 74L, 90L, 122L, 186L);
    assertThat(host.takeFired()).last().isEqualTo("a@60#6");
    assertThat(host.events)
        .containsExactly(
            "failed a#1",
            "failed a#2",
            "failed a#3",
            "failed a#4",
            "failed a#5",
            "failed a#6",
            "abandoned a#7");
    assertThat(host.get("a")).isEmpty();
    assertThat(host.call("a", context -> context.storage().get("tries", Long.class).orElse(0L)))
        .isEqualTo(7L);
  }

  @Test
  void eachFailureIsLoggedWithTheObjectItsAttemptAndTheNextTry() {
    host.handler =
        (_, _) -> {
          throw new IllegalStateException("no");
        };
    host.set("a", 60);
    host.advance(63);

    assertThat(host.warnings)
        .hasSize(2)
        .allSatisfy(each -> assertThat(each).contains(AlarmHost.SLEEPERS + "/", " \"a\" failed"))
        .allSatisfy(each -> assertThat(each).endsWith("java.lang.IllegalStateException: no"));
    assertThat(host.warnings.getFirst())
        .contains("in attempt 1; it is tried again at 2026-01-01T00:01:02");
    assertThat(host.warnings.getLast())
        .contains("in attempt 2; it is tried again at 2026-01-01T00:01:06");
    host.advance(100_000);
    assertThat(host.warnings).last().asString().contains("in attempt 7; it was given up.");
  }

  @Test
  void handlersThatFailForManyObjectsDoNotFloodTheLog() {
    host.handler =
        (_, _) -> {
          throw new IllegalStateException("no");
        };
    for (int object = 0; object < 200; object++) {
      host.set("object " + object, 60);
    }
    host.advance(61);

    assertThat(host.events).hasSize(200);
    assertThat(host.warnings).hasSize(10);
    assertThat(host.warnings.getLast()).contains("only counted");
  }

  @Test
  void abandonedAlarmIsListedAndCanBeArmedAgain() {
    host.handler =
        (_, _) -> {
          throw new AbandonAlarmException("useless", null);
        };
    host.set("a", 60);
    host.advance(61);
    assertThat(host.events).containsExactly("abandoned a#1");
    ObjectId id = host.sleepers().idFromName("a");
    assertThat(host.sleepers().alarms().pending(Optional.empty(), 10).items()).isEmpty();
    assertThat(host.sleepers().alarms().abandoned(Optional.empty(), 10).items())
        .containsExactly(new AlarmStatus(id, "", at(60), at(60), 1));
    requireAbandonedInHealth();
    host.crash();
    requireAbandonedInHealth();

    host.handler = (_, _) -> {};
    assertThat(host.sleepers().alarms().rearm(id, "", at(200))).isTrue();
    assertThat(host.health().state()).isEqualTo(HealthState.UP);
    assertThat(host.sleepers().alarms().rearm(id, "", at(200))).isFalse();
    assertThat(host.get("a")).contains(200L);
    host.advance(200);

    assertThat(host.takeFired()).containsExactly("a@60", "a@200");
    assertThat(host.sleepers().alarms().abandoned(Optional.empty(), 10).items()).isEmpty();
  }

  private void requireAbandonedInHealth() {
    assertThat(host.health().state()).isEqualTo(HealthState.DEGRADED);
    assertThat(host.health().reasons())
        .singleElement()
        .satisfies(
            reason -> {
              assertThat(reason.code()).isEqualTo(HealthReason.ALARMS_ABANDONED);
              assertThat(reason.text()).contains("{sleepers=1}");
            });
  }

  @Test
  void armingAgainTakesAnyTimeThatIsSupported() {
    host.handler =
        (_, _) -> {
          throw new AbandonAlarmException("useless", null);
        };
    host.set("a", 60);
    host.advance(61);
    ObjectId id = host.sleepers().idFromName("a");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> host.sleepers().alarms().rearm(id, "", Instant.MAX));
    assertThat(host.sleepers().alarms().rearm(id, "", Instant.MIN)).isTrue();
    host.advance(1);
    assertThat(host.takeFired()).containsExactly("a@60", "a@61");
  }

  @Test
  void failureOfAHandlerThatHasSetItsAlarmIsReported() {
    host.handler =
        (context, info) -> {
          if (info.scheduledTime().equals(at(60))) {
            context.storage().setAlarm(at(200));
            throw new IllegalStateException("no");
          }
        };
    host.set("a", 60);
    host.advance(300);
    assertThat(host.takeFired()).containsExactly("a@60", "a@200");
    assertThat(host.events).containsExactly("superseded a@60");
  }

  @Test
  void failureOfAHandlerThatHasSetAndDeletedItsAlarmIsReported() {
    host.handler =
        (context, _) -> {
          context.storage().setAlarm(at(200));
          context.storage().deleteAlarm();
          throw new IllegalStateException("no");
        };
    host.set("a", 60);
    host.advance(300);
    assertThat(host.takeFired()).containsExactly("a@60");
    assertThat(host.events).containsExactly("superseded a@60");
  }

  @Test
  void resetOfAHandlerWhoseAlarmWasSetByAnotherTurnIsReported() {
    host.handler =
        (context, info) -> {
          if (info.scheduledTime().equals(at(60))) {
            context.storage().setAlarm(at(200));
            context.storage().sync();
            throw context.abort("no");
          }
        };
    host.set("a", 60);
    host.advance(300);
    assertThat(host.takeFired()).containsExactly("a@60", "a@200");
    assertThat(host.events).containsExactly("superseded a@60");
  }

  @Test
  void abandonedAlarmCanBeDiscardedAndReplaced() {
    host.handler =
        (_, _) -> {
          throw new AbandonAlarmException("useless", null);
        };
    host.set("a", 60);
    host.set("b", 60);
    host.advance(61);
    host.set("b", 100);

    assertThat(host.sleepers().alarms().discard(host.sleepers().idFromName("a"), "")).isTrue();

    assertThat(host.sleepers().alarms().discard(host.sleepers().idFromName("b"), "")).isFalse();
    assertThat(host.sleepers().alarms().abandoned(Optional.empty(), 10).items()).isEmpty();
    assertThat(host.get("b")).contains(100L);
  }

  @Test
  void retryCountSurvivesARestart() {
    host.handler =
        (_, _) -> {
          throw new IllegalStateException("no");
        };
    host.set("a", 60);
    host.advance(70);
    assertThat(host.takeFired()).containsExactly("a@60", "a@60#1", "a@60#2");

    host.downFor(10);

    assertThat(host.takeFired()).containsExactly("a@60#3");
  }

  @Test
  void alarmSetBetweenRetriesFiresAtItsOwnTimeWithFreshCounters() {
    host.handler =
        (_, info) -> {
          if (info.scheduledTime().equals(at(60))) {
            throw new IllegalStateException("no");
          }
        };
    host.set("a", 60);
    host.advance(80);
    assertThat(host.takeFired()).endsWith("a@60#3");
    host.set("a", 81);

    host.advance(1_000);

    assertThat(host.takeFired()).containsExactly("a@81");
  }

  @Test
  void deletingBetweenRetriesEndsThem() {
    host.handler =
        (_, _) -> {
          throw new IllegalStateException("no");
        };
    host.set("a", 60);
    host.advance(61);
    host.call("a", context -> delete(context.storage()));
    host.advance(1_000);
    assertThat(host.takeFired()).containsExactly("a@60");
  }

  @Test
  void abortInTheHandlerCountsAndDropsItsWrites() {
    host.handler =
        (context, info) -> {
          context.storage().put("tries", (long) info.retryCount());
          if (info.retryCount() < 2) {
            throw context.abort("again");
          }
        };
    host.set("a", 60);
    host.advance(1_000);
    assertThat(host.takeFired()).containsExactly("a@60", "a@60#1", "a@60#2");
    assertThat(host.call("a", context -> context.storage().get("tries", Long.class).orElse(-1L)))
        .isEqualTo(2L);
  }

  /** Otherwise a handler that never ends, and is reset for that, would be run for ever. */
  @Test
  void resetByAnOperatorInTheHandlerCountsAndDropsItsWrites() {
    host.handler =
        (context, info) -> {
          context.storage().put("tries", (long) info.retryCount());
          if (info.retryCount() < 2) {
            assertThat(host.reset("a")).isTrue();
            context.storage().put("behind the reset", 1L);
          }
        };
    host.set("a", 60);
    host.advance(1_000);
    assertThat(host.takeFired()).containsExactly("a@60", "a@60#1", "a@60#2");
    assertThat(host.call("a", context -> context.storage().get("tries", Long.class).orElse(-1L)))
        .isEqualTo(2L);
  }

  @Test
  void failingConstructorCounts() {
    host.set("a", 60);
    host.crash();
    host.creation =
        _ -> {
          throw new IllegalStateException("cannot start");
        };
    host.advance(63);
    host.creation = _ -> null;
    host.advance(1_000);
    assertThat(host.takeFired()).containsExactly("a@60#2");
  }

  @Test
  void storageFailureDoesNotCount() {
    host.set("a", 60);
    ObjectKey key = new ObjectKey(AlarmHost.SLEEPERS, host.sleepers().idFromName("a"));
    host.backend.failFrom(Operation.SEAL, key);
    host.advance(1_000);
    host.backend.heal();
    host.fired.clear();

    host.advance(2_000);

    assertThat(host.takeFired()).containsExactly("a@60");
    assertThat(host.events).isEmpty();
  }

  /** A runtime that closes refuses the calls of a handler that still runs. */
  @Test
  void failureWhileTheRuntimeClosesDoesNotCount() {
    Queue<Thread> closing = new ConcurrentLinkedQueue<>();
    host.handler =
        (context, _) -> {
          if (closing.isEmpty()) {
            closing.add(Thread.ofPlatform().start(host::close));
            while (host.health().state() == HealthState.UP) {
              Thread.onSpinWait();
            }
            context.await(host.sleepers().stub("b").async(sleeper -> sleeper.run(0)));
          }
        };
    host.set("a", 60);
    host.advance(60);
    host.downFor(1);

    host.advance(0);
    assertThat(host.takeFired()).containsExactly("a@60", "a@60");
    assertThat(host.events).isEmpty();
  }

  @Test
  void handlerThatTakesTooLongIsResetAndRetried() {
    host.close();
    host =
        new AlarmHost(
            AlarmPolicy.DEFAULT.withJitter(0).withTimeLimit(Duration.ofSeconds(5)),
            AlarmOptions.DEFAULT);
    host.handler =
        (context, info) -> {
          if (!info.isRetry()) {
            context.await(new CompletableFuture<>());
          }
        };
    host.set("a", 60);
    host.advance(66);
    // The handler that was reset ends on its own thread, at any time.
    while (host.fired.size() < 2) {
      host.advance(1);
    }
    assertThat(host.takeFired()).containsExactly("a@60", "a@60#1");
  }

  @Test
  void jitterIsAtMostAQuarter() {
    host.close();
    host = new AlarmHost(AlarmPolicy.DEFAULT, AlarmOptions.DEFAULT);
    List<Long> times = new ArrayList<>();
    host.handler =
        (_, _) -> {
          times.add(host.clock.wallMillis());
          throw new IllegalStateException("no");
        };
    host.set("a", 60);
    host.advance(100_000);
    for (int retry = 1; retry < times.size(); retry++) {
      long delay = 2_000L << (retry - 1);
      assertThat(times.get(retry) - times.get(retry - 1)).isBetween(delay, delay + delay / 4);
    }
    assertThat(times).hasSize(7);
  }

  private static @org.jspecify.annotations.Nullable Object delete(
      dev.holdfast.storage.ObjectStorage storage) {
    storage.deleteAlarm();
    return null;
  }

  @Test
  void retryAfterAnExceptionIsOfTheRunThatFailed() {
    retryIsOfTheRunThatFailed(
        (_, _) -> {
          throw new IllegalStateException("once");
        });
  }

  @Test
  void retryAfterAResetIsOfTheRunThatFailed() {
    retryIsOfTheRunThatFailed(
        (context, _) -> {
          throw context.abort("once");
        });
  }

  /** Runs a schedule whose stored run was missed, so that a later one is run in its place. */
  private void retryIsOfTheRunThatFailed(Sleeper.Handler failing) {
    host.handler =
        (context, info) -> {
          if (host.fired.size() == 1) {
            failing.alarm(context, info);
          }
        };
    host.call(
        "a",
        context -> {
          context.storage().schedules().every("s", Duration.ofHours(1), MissedRuns.SKIP);
          return null;
        });
    host.downFor(3 * 3_600 + 10);
    host.advance(100);

    assertThat(host.takeFired()).containsExactly("a:s@10800", "a:s@10800#1");
  }

  /** The reset notifies waiters, which runs application code, and all timers share one thread. */
  @Test
  void handlerThatTakesTooLongIsResetOnAThreadOfItsOwn() throws Exception {
    CompletableFuture<Object> handled = new CompletableFuture<>();
    CompletableFuture<Thread> told = new CompletableFuture<>();
    host.handler =
        (context, _) -> {
          if (!told.isDone()) {
            handled.complete("begun");
            context.await(new CompletableFuture<>());
          }
        };
    host.set("a", 60);
    host.advance(60);
    handled.get();
    CountDownLatch inTurn = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Thread holder =
        Thread.ofVirtual()
            .start(
                () ->
                    assertThatExceptionOfType(InstanceResetException.class)
                        .isThrownBy(
                            () -> host.call("a", context -> hold(context, inTurn, goOn, told))));
    inTurn.await();
    host.advance(15 * 60);
    holder.join();

    assertThat(told.get()).isNotSameAs(Thread.currentThread());
  }

  /** Holds the turn, with a task behind it that is notified of the reset. */
  private static @Nullable Object hold(
      ObjectContext context,
      CountDownLatch inTurn,
      CountDownLatch goOn,
      CompletableFuture<Thread> told)
      throws InterruptedException {
    var _ =
        context
            .async(() -> null)
            .whenComplete(
                (_, _) -> {
                  told.complete(Thread.currentThread());
                  goOn.countDown();
                });
    inTurn.countDown();
    goOn.await();
    return null;
  }

  @Test
  void timesMayBeEndless() {
    host.close();
    Duration endless = ChronoUnit.FOREVER.getDuration();
    AlarmPolicy policy = AlarmPolicy.DEFAULT.withJitter(1).withRetryDelayMax(endless);
    host = new AlarmHost(policy.withTimeLimit(endless), AlarmOptions.DEFAULT);
    host.handler =
        (_, _) -> {
          if (host.fired.size() < 3) {
            throw new IllegalStateException("again");
          }
        };
    host.set("a", 60);
    host.advance(1_000);

    assertThat(host.takeFired()).containsExactly("a@60", "a@60#1", "a@60#2");
  }

  @Test
  void retryAfterAnEndlessDelayIsPending() {
    host.close();
    Duration endless = ChronoUnit.FOREVER.getDuration();
    host = new AlarmHost(AlarmPolicy.DEFAULT.withRetryDelay(endless), AlarmOptions.DEFAULT);
    host.handler =
        (_, _) -> {
          throw new IllegalStateException("always");
        };
    host.set("a", 60);
    host.advance(1_000);

    assertThat(host.takeFired()).containsExactly("a@60");
    assertThat(host.get("a")).contains(60L);
  }
}
