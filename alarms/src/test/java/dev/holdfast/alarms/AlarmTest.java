package dev.holdfast.alarms;

import static dev.holdfast.alarms.AlarmHost.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.errors.AlarmException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The alarm API of an object: rows of table 7.1 of the reference. */
final class AlarmTest {

  private AlarmHost host = new AlarmHost();

  @AfterEach
  void close() {
    host.close();
  }

  @Test
  void alarmThatWasNeverSetIsEmptyAndMayBeDeleted() {
    assertThat(host.get("a")).isEmpty();
    host.call("a", context -> delete(context.storage()));
    assertThat(host.get("a")).isEmpty();
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
    host.set("sleeping beauty", 3_600 * 24 * 3);
    host.crash();

    host.advance(3_600 * 24 * 4);

    assertThat(host.takeFired()).containsExactly("sleeping beauty@259200");
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
    Instant last = Instant.ofEpochSecond(0, Long.MAX_VALUE);
    Instant first = Instant.ofEpochSecond(0, Long.MIN_VALUE);
    for (Instant time : List.of(Instant.EPOCH, first, Instant.ofEpochMilli(-1), Instant.MIN)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> setAt(time))
          .withMessage("setAlarm() cannot be called with an alarm time <= 0");
    }
    for (Instant time : List.of(last.plusNanos(1), Instant.MAX)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> setAt(time))
          .withMessage("This API doesn't support dates after 2262-04-11.");
    }
    assertThat(host.get("a")).isEmpty();
    setAt(last);
    assertThat(host.get("a")).contains(AlarmHost.seconds(last));
  }

  @Test
  void timesAreCutToMilliseconds() {
    setAt(at(60).plusNanos(1_999_999));
    Object millis =
        host.call("a", context -> context.storage().getAlarm().orElseThrow().toEpochMilli());
    assertThat(millis).isEqualTo(at(60).toEpochMilli() + 1);
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
