package dev.holdfast.alarms;

import static dev.holdfast.alarms.AlarmHost.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.AlarmOptions;
import dev.holdfast.alarm.AlarmPolicy;
import dev.holdfast.storage.MissedRuns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When alarms fire: after a downtime, when the clock jumps, many, at a bounded rate. */
final class AlarmDispatchTest {

  private AlarmHost host = new AlarmHost();

  @AfterEach
  void close() {
    host.close();
  }

  @Test
  void overdueAlarmsFireInDueOrderAfterDowntime() {
    for (int number : List.of(3, 1, 2)) {
      host.set("o" + number, 100L * number);
    }
    host.downFor(10_000);
    assertThat(host.takeFired()).containsExactly("o1@100", "o2@200", "o3@300");
  }

  @Test
  void clockThatJumpsForwardFiresWithinTenSeconds() {
    host.set("a", 3_600);
    host.clock.setWallClock(at(4_000));
    host.advance(10);
    assertThat(host.takeFired()).containsExactly("a@3600");
  }

  @Test
  void clockThatJumpsBackNeverFiresEarly() {
    host.set("a", 60);
    host.advance(59);
    host.clock.setWallClock(at(0));
    host.advance(59);
    assertThat(host.takeFired()).isEmpty();
    host.advance(1);
    assertThat(host.takeFired()).containsExactly("a@60");
  }

  @Test
  void moreAlarmsThanFitInMemoryAllFireOnceAndInOrder() {
    List<String> expected = new ArrayList<>();
    for (int number = 0; number < 10_000; number++) {
      String name = String.format("n%05d", number);
      host.set(name, 1_000 + number / 100);
      expected.add(name + "@" + (1_000 + number / 100));
    }
    host.advance(2_000);
    List<String> fired = host.takeFired();
    assertThat(fired).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(fired.stream().map(text -> text.substring(7)).toList()).isSorted();
  }

  @Test
  void rateIsBounded() {
    host.close();
    host = new AlarmHost(AlarmPolicy.DEFAULT, AlarmOptions.DEFAULT.withStartsPerSecondMax(10));
    for (int number = 0; number < 100; number++) {
      host.set("n" + number, 1);
    }
    host.downFor(100);
    host.advance(5);
    assertThat(host.fired.size()).isBetween(45, 55);
    host.advance(5);
    assertThat(host.takeFired()).hasSize(100);
  }

  @Test
  void handlersThatWaitDoNotDelayOthers() {
    CompletableFuture<Long> answer = new CompletableFuture<>();
    host.handler =
        (context, _) -> {
          if (context.id().name().orElseThrow().startsWith("slow")) {
            context.await(answer);
          }
        };
    for (int number = 0; number < 20; number++) {
      host.set("slow" + number, 60);
    }
    host.set("quick", 61);

    host.advance(70);

    assertThat(host.takeFired()).hasSize(21).contains("quick@61");
    answer.complete(1L);
    host.advance(1);
    // None was run twice, and all have ended.
    assertThat(host.get("slow1")).isEmpty();
    assertThat(host.takeFired()).isEmpty();
  }

  @Test
  void handlersThatTakeLongAreBoundedToo() {
    host.close();
    host =
        new AlarmHost(
            AlarmPolicy.DEFAULT.withJitter(0), AlarmOptions.DEFAULT.withLongRunningMax(2));
    CompletableFuture<Long> answer = new CompletableFuture<>();
    host.handler = (context, _) -> context.await(answer);
    for (int number = 0; number < 9; number++) {
      host.set("slow" + number, 60);
    }

    host.advance(70);

    // Two long handlers, and the only slot of a test clock.
    assertThat(host.takeFired()).hasSize(3);
    answer.complete(1L);
    // The handlers end on their own threads.
    while (host.fired.size() < 6) {
      host.advance(1);
    }
    assertThat(host.takeFired()).hasSize(6);
  }

  @Test
  void clockStandsAlsoWhileAHandlerGoesOnAfterItsWait() {
    host.handler =
        (context, _) -> {
          CompletableFuture<Object> later = new CompletableFuture<>();
          host.clock.schedule(Duration.ofSeconds(5).toNanos(), () -> later.complete("x"));
          context.await(later);
        };
    host.call(
        "a",
        context -> {
          context.storage().schedules().every("tick", Duration.ofSeconds(60), MissedRuns.SKIP);
          return null;
        });
    host.advance(1_030);
    assertThat(host.takeFired()).hasSize(17).last().isEqualTo("a:tick@1020");
  }

  /** No thread advances the clock while the thread that would advance it closes the runtime. */
  @Test
  @Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void runtimeOnAVirtualClockIsClosedWhileAHandlerAwaitsWhatNeverComes() {
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    host.handler = (context, _) -> noting(failure, () -> context.await(new CompletableFuture<>()));
    host.set("a", 60);
    host.advance(60);
    host.close();
    assertThat(failure.join()).isNotNull();
  }

  /** The clock stands still while a handler runs, so the thread that advances it waits as well. */
  @Test
  @Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void runtimeOnAVirtualClockIsClosedWhileAHandlerIsStuck() throws Exception {
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    CountDownLatch stuck = new CountDownLatch(1);
    host.handler =
        (_, _) -> {
          stuck.countDown();
          noting(failure, () -> new CompletableFuture<>().get());
        };
    host.set("a", 60);
    Thread advancing = Thread.ofVirtual().start(() -> host.advance(60));
    stuck.await();
    host.close();
    assertThat(failure.join()).isInstanceOf(InterruptedException.class);
    advancing.join();
  }

  private static void noting(CompletableFuture<Throwable> failure, Callable<@Nullable Object> code)
      throws Exception {
    try {
      code.call();
    } catch (Throwable e) {
      failure.complete(e);
      throw e;
    }
  }
}
