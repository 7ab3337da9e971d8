package dev.holdfast.alarms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.AlarmStatus;
import dev.holdfast.InstanceResetException;
import dev.holdfast.alarm.AbandonAlarmException;
import dev.holdfast.spi.AlarmService;
import dev.holdfast.statistics.AlarmStatistics;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/** Each number of the alarms that are pending and due moves with its cause, and with no other. */
final class AlarmCountTest {

  private static void requireCounts(AlarmHost host, long pending, long due) {
    AlarmStatistics alarms = host.alarmStatistics();
    assertThat(new AlarmService.Counts(alarms.pending(), alarms.due()))
        .isEqualTo(new AlarmService.Counts(pending, due));
  }

  @Test
  void alarmIsPendingUntilItHasRunAndDueFromItsTimeOn() {
    List<AlarmStatistics> seen = new CopyOnWriteArrayList<>();
    try (AlarmHost host = new AlarmHost()) {
      host.handler = (_, _) -> seen.add(host.alarmStatistics());
      requireCounts(host, 0, 0);
      host.set("a", 10);
      host.set("b", 20);
      requireCounts(host, 2, 0);
      host.set("a", 15);
      requireCounts(host, 2, 0);

      host.advance(15);
      requireCounts(host, 1, 0);
      assertThat(seen).singleElement().extracting(AlarmStatistics::pending).isEqualTo(2L);
      assertThat(seen).singleElement().extracting(AlarmStatistics::due).isEqualTo(1L);

      host.call(
          "b",
          context -> {
            context.storage().deleteAlarm();
            return null;
          });
      requireCounts(host, 0, 0);
    }
  }

  @Test
  void alarmThatIsGivenUpIsNoLongerPending() {
    try (AlarmHost host = new AlarmHost()) {
      host.handler =
          (_, _) -> {
            throw new AbandonAlarmException("no use", null);
          };
      host.set("a", 1);
      host.advance(1);
      assertThat(host.sleepers().alarms().abandoned(Optional.empty(), 9).items()).hasSize(1);
      requireCounts(host, 0, 0);
      assertThat(host.alarmStatistics().givenUp()).isEqualTo(1);

      host.sleepers().alarms().rearm(host.sleepers().idFromName("a"), "", AlarmHost.at(100));
      requireCounts(host, 1, 0);
    }
  }

  @Test
  void alarmOfADiscardedTurnDoesNotCount() {
    try (AlarmHost host = new AlarmHost()) {
      host.set("a", 10);
      assertThatExceptionOfType(InstanceResetException.class)
          .isThrownBy(
              () ->
                  host.call(
                      "a",
                      context -> {
                        context.storage().deleteAlarm();
                        context.abort("the turn is discarded");
                        return null;
                      }));
      requireCounts(host, 1, 0);
    }
  }

  @Test
  void openingCountsWhatTheIndexHas() {
    try (AlarmHost host = new AlarmHost()) {
      host.handler = (context, _) -> context.await(new CompletableFuture<>());
      host.set("a", 10);
      host.set("b", 20);
      host.set("c", 100);
      host.downFor(50);
      host.advance(0);
      requireCounts(host, 3, 2);
    }
  }

  /** More than the dispatcher and the count keep in memory wait for one slot. */
  @Test
  void backlogIsCountedWhileItGrows() {
    int seconds = 10;
    int objects = 15 * seconds;
    int perSecond = 15 * 64;
    assertThat(seconds * perSecond).isGreaterThan(2 * AlarmBounds.PAGE);
    try (AlarmHost host = new AlarmHost()) {
      host.handler = (context, _) -> context.await(new CompletableFuture<>());
      for (int object = 0; object < objects; object++) {
        long second = 10 + object / 15;
        host.call(
            "n" + object,
            context -> {
              for (int number = 0; number < 64; number++) {
                context
                    .storage()
                    .schedules()
                    .at("alarm " + number, AlarmHost.at(second).plusMillis(number % 2 * 500));
              }
              return null;
            });
      }
      host.advance(9);
      requireCounts(host, seconds * perSecond, 0);
      for (int passed = 1; passed <= seconds; passed++) {
        host.advance(1);
        requireCounts(host, seconds * perSecond, passed * perSecond - perSecond / 2);
      }
      host.advance(1);
      requireCounts(host, seconds * perSecond, seconds * perSecond);
    }
  }

  @Test
  void clockThatIsSetBackMakesAlarmsUndue() {
    try (AlarmHost host = new AlarmHost()) {
      host.handler = (context, _) -> context.await(new CompletableFuture<>());
      host.set("a", 10);
      host.set("b", 11);
      host.set("c", 1_000);
      host.advance(20);
      requireCounts(host, 3, 2);

      host.clock.setWallClock(AlarmHost.at(10));
      host.advance(0);
      host.alarmStatistics(); // starts to count again
      host.advance(0);
      requireCounts(host, 3, 1);
    }
  }

  /**
   * Eight threads set and delete alarms while others run, fail and are reset; then all is quiet.
   */
  @Test
  void countsAreExactAtRest() throws Exception {
    LongAdder returned = new LongAdder();
    LongAdder failed = new LongAdder();
    AtomicInteger runs = new AtomicInteger();
    try (AlarmHost host = new AlarmHost()) {
      host.handler =
          (context, _) -> {
            switch (runs.getAndIncrement() % 4) {
              case 0 -> {
                failed.increment();
                throw new IllegalStateException("planned");
              }
              case 1 -> {
                failed.increment();
                throw context.abort("planned");
              }
              default -> returned.increment();
            }
          };
      for (int round = 0; round < 10; round++) {
        List<Future<?>> threads = new ArrayList<>();
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
          for (int thread = 0; thread < 8; thread++) {
            SplittableRandom random = new SplittableRandom(8 * round + thread);
            threads.add(callers.submit(() -> setAndDelete(host, random)));
          }
        }
        for (Future<?> thread : threads) {
          thread.get();
        }
        host.advance(round * 3);
        requireCountsOfTheIndex(host);
      }
      host.advance(100_000);

      AlarmStatistics now = host.alarmStatistics();
      assertThat(now.ran()).isEqualTo(returned.sum()).isPositive();
      assertThat(now.failed()).isEqualTo(failed.sum()).isPositive();
      assertThat(now.lateNanos().count()).isEqualTo(runs.get());
      assertThat(now.givenUp())
          .isEqualTo(host.events.stream().filter(each -> !each.startsWith("failed")).count());
      assertThat(now.running()).isZero();
      requireCounts(host, 0, 0);
    }
  }

  private static void setAndDelete(AlarmHost host, SplittableRandom random) {
    for (int step = 0; step < 30; step++) {
      String name = "o" + random.nextInt(20);
      long second = AlarmHost.seconds(host.clock.now()) + random.nextInt(20);
      boolean deletes = random.nextInt(4) == 0;
      try {
        host.call(
            name,
            context -> {
              if (deletes) {
                context.storage().deleteAlarm();
              } else {
                context.storage().setAlarm(AlarmHost.at(second));
              }
              return null;
            });
      } catch (InstanceResetException e) {
        continue; // a handler has aborted meanwhile
      }
    }
  }

  private static void requireCountsOfTheIndex(AlarmHost host) {
    List<AlarmStatus> pending = host.sleepers().alarms().pending(Optional.empty(), 1_000).items();
    Instant now = host.clock.now();
    requireCounts(
        host,
        pending.size(),
        pending.stream().filter(each -> !each.dueTime().isAfter(now)).count());
  }
}
