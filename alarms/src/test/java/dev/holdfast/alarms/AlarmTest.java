package dev.holdfast.alarms;

import static dev.holdfast.alarms.AlarmHost.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.AbandonAlarmException;
import dev.holdfast.AlarmException;
import dev.holdfast.AlarmOptions;
import dev.holdfast.AlarmPolicy;
import dev.holdfast.AlarmStatus;
import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectPage;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.testkit.InMemoryBackend.Operation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Alarms as an object sees them: rows of table 7.1 of the reference, retries, restarts. */
final class AlarmTest {

  private AlarmHost host = new AlarmHost();

  @AfterEach
  void close() {
    host.close();
  }

  @Test
  void alarmFiresAtItsTimeAndIsGoneThen() {
    host.set("a", 60);
    assertThat(host.get("a")).contains(60L);
    host.advance(59);
    assertThat(host.fired).isEmpty();

    host.advance(1);

    assertThat(host.takeFired()).containsExactly("a@60");
    assertThat(host.get("a")).isEmpty();
    host.advance(100_000);
    assertThat(host.takeFired()).isEmpty();
  }

  @Test
  void alarmOfAnObjectThatWasNeverLoadedWakesItWithItsName() {
    host.set("sleeping beauty", 3_600 * 24 * 30);
    host.crash();

    host.advance(3_600 * 24 * 31);

    assertThat(host.takeFired()).containsExactly("sleeping beauty@2592000");
  }

  @Test
  void timeInThePastFiresAtOnceAndReadsAsNow() {
    host.advance(50);
    host.set("a", 10);
    assertThat(host.takeFired()).containsExactly("a@50");
  }

  @Test
  void laterAlarmReplacesTheEarlierOne() {
    host.set("a", 60);
    host.set("a", 30);
    host.set("a", 90);
    host.advance(89);
    assertThat(host.fired).isEmpty();
    host.advance(1);
    assertThat(host.takeFired()).containsExactly("a@90");
  }

  @Test
  void deletedAlarmDoesNotFire() {
    host.set("a", 60);
    host.call("a", context -> delete(context.storage()));
    assertThat(host.get("a")).isEmpty();
    host.advance(100);
    assertThat(host.fired).isEmpty();
  }

  @Test
  void deleteAllKeepsTheAlarm() {
    host.call(
        "a",
        context -> {
          context.storage().put("key", 1L);
          context.storage().setAlarm(at(60));
          context.storage().deleteAll();
          return null;
        });
    assertThat(host.get("a")).contains(60L);
    host.advance(60);
    assertThat(host.takeFired()).containsExactly("a@60");
  }

  @Test
  void alarmsFireInDueOrder() {
    for (int number : List.of(5, 1, 4, 2, 3)) {
      host.set("o" + number, 10 * number);
    }
    host.advance(60);
    assertThat(host.takeFired()).containsExactly("o1@10", "o2@20", "o3@30", "o4@40", "o5@50");
  }

  // ---- Inside the handler ------------------------------------------------------------------

  @Test
  void handlerSeesNoAlarmAndSetsTheNextOne() {
    List<Object> seen = new ArrayList<>();
    host.handler =
        (context, info) -> {
          seen.add(context.storage().getAlarm());
          if (seen.size() == 1) {
            context.storage().setAlarm(info.scheduledTime().plusSeconds(40));
            seen.add(context.storage().getAlarm());
          }
        };
    host.set("a", 60);
    host.advance(60);
    assertThat(seen).containsExactly(Optional.empty(), Optional.of(at(100)));
    assertThat(host.get("a")).contains(100L);

    host.advance(40);

    assertThat(host.takeFired()).containsExactly("a@60", "a@100");
    assertThat(host.get("a")).isEmpty();
  }

  @Test
  void handlerThatSetsTheSameTimeAgainIsRunAgain() {
    host.handler =
        (context, info) -> {
          if (host.fired.size() == 1) {
            context.storage().setAlarm(info.scheduledTime());
          }
        };
    host.set("a", 60);
    host.advance(60);
    assertThat(host.takeFired()).containsExactly("a@60", "a@60");
  }

  @Test
  void deleteAlarmInTheHandlerRemovesOnlyANewOne() {
    host.handler =
        (context, _) -> {
          delete(context.storage());
          context.storage().setAlarm(at(200));
          delete(context.storage());
          assertThat(context.storage().getAlarm()).isEmpty();
        };
    host.set("a", 60);
    host.advance(1_000);
    assertThat(host.takeFired()).containsExactly("a@60");
    assertThat(host.get("a")).isEmpty();
  }

  @Test
  void rolledBackTransactionInTheHandlerHidesTheAlarmAgain() {
    List<Object> seen = new ArrayList<>();
    host.handler =
        (context, _) -> {
          context
              .storage()
              .transaction(
                  transaction -> {
                    seen.add(transaction.getAlarm());
                    transaction.setAlarm(at(500));
                    seen.add(transaction.getAlarm());
                    transaction.rollback();
                    return null;
                  });
          seen.add(context.storage().getAlarm());
        };
    host.set("a", 60);
    host.advance(1_000);
    assertThat(seen).containsExactly(Optional.empty(), Optional.of(at(500)), Optional.empty());
    assertThat(host.takeFired()).containsExactly("a@60");
    assertThat(host.get("a")).isEmpty();
  }

  @Test
  void rollbackOutsideOfTheHandlerRestoresTheAlarm() {
    host.set("a", 60);
    host.call(
        "a",
        context ->
            context
                .storage()
                .transaction(
                    transaction -> {
                      transaction.deleteAlarm();
                      transaction.rollback();
                      return null;
                    }));
    assertThat(host.get("a")).contains(60L);
  }

  @Test
  void writesOfTheHandlerAndTheRemovalOfTheAlarmAreOneBatch() {
    host.handler = (context, _) -> context.storage().put("ran", true);
    host.set("a", 60);
    long before = host.journal.lastPosition();

    host.advance(60);

    assertThat(host.journal.lastPosition()).isEqualTo(before + 1);
  }

  @Test
  void crashBeforeTheRemovalIsDurableFiresAgain() {
    host.handler =
        (context, _) -> {
          if (host.fired.size() == 1) {
            context.storage().put("half", 1L);
            context.storage().sync();
            throw context.abort("as a crash would");
          }
        };
    host.set("a", 60);
    host.advance(60);
    host.crash();
    host.advance(100);
    assertThat(host.takeFired()).containsExactly("a@60", "a@60#1");
  }

  // ---- Refusals ----------------------------------------------------------------------------

  @Test
  void objectWithoutAHandlerCannotSetAlarms() {
    assertThatExceptionOfType(AlarmException.class)
        .isThrownBy(
            () ->
                host.call(
                    AlarmHost.DEAF,
                    "a",
                    context -> {
                      context.storage().deleteAlarm();
                      assertThat(context.storage().getAlarm()).isEmpty();
                      context.storage().setAlarm(at(1));
                      return null;
                    }))
        .withMessageContaining("must implement AlarmHandler in order to call setAlarm()");
  }

  @Test
  void timesOutsideOfTheRangeAreRefused() {
    for (Instant time : List.of(Instant.EPOCH, Instant.MIN, Instant.ofEpochMilli(-1))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> setAt(time))
          .withMessage("setAlarm() cannot be called with an alarm time <= 0");
    }
    for (Instant time : List.of(Instant.parse("2189-01-01T00:00:00Z"), Instant.MAX)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> setAt(time))
          .withMessage("This API doesn't support dates after 2189.");
    }
    assertThat(host.get("a")).isEmpty();
  }

  @Test
  void timesAreCutToMilliseconds() {
    setAt(at(60).plusNanos(1_999_999));
    Object millis =
        host.call("a", context -> context.storage().getAlarm().orElseThrow().toEpochMilli());
    assertThat(millis).isEqualTo(at(60).toEpochMilli() + 1);
  }

  // ---- Retries -----------------------------------------------------------------------------

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
  void abandonedAlarmIsListedAndCanBeArmedAgain() {
    host.handler =
        (_, _) -> {
          throw new AbandonAlarmException("useless", null);
        };
    host.set("a", 60);
    host.advance(61);
    assertThat(host.events).containsExactly("abandoned a#1");
    ObjectId id = host.sleepers().idFromName("a");
    assertThat(host.sleepers().alarms().pending(Optional.empty(), 10).alarms()).isEmpty();
    assertThat(host.sleepers().alarms().abandoned(Optional.empty(), 10).alarms())
        .containsExactly(new AlarmStatus(id, "", at(60), at(60), 1));
    host.crash();

    host.handler = (_, _) -> {};
    assertThat(host.sleepers().alarms().rearm(id, "", at(200))).isTrue();
    assertThat(host.sleepers().alarms().rearm(id, "", at(200))).isFalse();
    assertThat(host.get("a")).contains(200L);
    host.advance(200);

    assertThat(host.takeFired()).containsExactly("a@60", "a@200");
    assertThat(host.sleepers().alarms().abandoned(Optional.empty(), 10).alarms()).isEmpty();
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
    assertThat(host.sleepers().alarms().abandoned(Optional.empty(), 10).alarms()).isEmpty();
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
    // The handler that was reset ends on its own thread, whenever that gets on.
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

  // ---- The clock and restarts --------------------------------------------------------------

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

    // Two that take long, and the only slot of a clock that is advanced.
    assertThat(host.takeFired()).hasSize(3);
    answer.complete(1L);
    // They end on their own threads.
    while (host.fired.size() < 6) {
      host.advance(1);
    }
    assertThat(host.takeFired()).hasSize(6);
  }

  // ---- Lists -------------------------------------------------------------------------------

  @Test
  void pendingAlarmsAreListedInPages() {
    for (int number = 0; number < 25; number++) {
      host.set("n" + number, 100 + number / 3);
    }
    List<AlarmStatus> all = host.sleepers().alarms().pending(Optional.empty(), 100).alarms();
    assertThat(all).hasSize(25).isSortedAccordingTo((a, b) -> a.dueTime().compareTo(b.dueTime()));
    List<AlarmStatus> paged = new ArrayList<>();
    Optional<String> cursor = Optional.empty();
    do {
      var page = host.sleepers().alarms().pending(cursor, 7);
      paged.addAll(page.alarms());
      cursor = page.nextCursor();
    } while (cursor.isPresent());
    assertThat(paged).isEqualTo(all);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> host.sleepers().alarms().pending(Optional.of("nonsense"), 7));
  }

  @Test
  void objectsAreListedInPages() {
    for (int number = 0; number < 25; number++) {
      host.set(String.format("n%02d", number), 100);
    }
    List<String> names = new ArrayList<>();
    ObjectListOptions options = ObjectListOptions.ALL.withPrefix("n1").withLimit(3);
    ObjectPage page = host.sleepers().list(options);
    while (true) {
      page.ids().forEach(id -> names.add(id.name().orElseThrow()));
      if (page.nextCursor().isEmpty()) {
        break;
      }
      page = host.sleepers().list(options.withCursor(page.nextCursor().get()));
    }
    assertThat(names)
        .containsExactly("n10", "n11", "n12", "n13", "n14", "n15", "n16", "n17", "n18", "n19");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> host.sleepers().list(ObjectListOptions.ALL.withCursor("x")));
  }

  @Test
  void callInFlightFailsWhenTheHandlerAborts() {
    host.handler =
        (context, _) -> {
          throw context.abort("over");
        };
    host.set("a", 1);
    host.advance(1);
    assertThat(host.get("a")).contains(1L);
    assertThatExceptionOfType(InstanceResetException.class)
        .isThrownBy(
            () ->
                host.call(
                    "a",
                    context -> {
                      throw context.abort("called");
                    }));
  }

  private void setAt(Instant time) {
    host.call(
        "a",
        context -> {
          context.storage().setAlarm(time);
          return null;
        });
  }

  private static @org.jspecify.annotations.Nullable Object delete(
      dev.holdfast.storage.ObjectStorage storage) {
    storage.deleteAlarm();
    return null;
  }
}
