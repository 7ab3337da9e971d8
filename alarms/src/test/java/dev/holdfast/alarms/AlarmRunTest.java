package dev.holdfast.alarms;

import static dev.holdfast.alarms.AlarmHost.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.InstanceResetException;
import dev.holdfast.alarm.AbandonAlarmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The handler: its inputs and effects, and that its writes and the end of the alarm are one batch.
 */
final class AlarmRunTest {

  private AlarmHost host = new AlarmHost();

  @AfterEach
  void close() {
    host.close();
  }

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

  /** Nothing has changed in the store then, so no change is reported. */
  @Test
  void handlerThatSetsTheSameTimeAgainAndFailsIsRunAgain() {
    host.handler =
        (context, info) -> {
          if (host.fired.size() == 1) {
            context.storage().setAlarm(info.scheduledTime());
            throw new IllegalStateException("after that");
          }
        };
    host.set("a", 60);
    host.advance(60);

    assertThat(host.takeFired()).containsExactly("a@60", "a@60");
    assertThat(host.get("a")).isEmpty();
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
  void alarmThatItsHandlerDeletesIsNotTriedAgainWhenTheHandlerFails() {
    host.handler =
        (context, _) -> {
          delete(context.storage());
          throw new IllegalStateException("after that");
        };
    host.set("a", 60);
    host.advance(1_000);
    assertThat(host.takeFired()).containsExactly("a@60");
    assertThat(host.get("a")).isEmpty();
  }

  @Test
  void crashDoesNotBringBackAnAlarmThatItsHandlerHasDeleted() {
    host.handler =
        (context, _) -> {
          delete(context.storage());
          context.storage().sync();
          throw context.abort("as a crash would");
        };
    host.set("a", 60);
    host.advance(60);
    host.crash();
    host.advance(100);
    assertThat(host.takeFired()).containsExactly("a@60");
    assertThat(host.get("a")).isEmpty();
  }

  @Test
  void deletionThatIsRolledBackInTheHandlerLeavesTheRetry() {
    host.handler =
        (context, info) -> {
          context
              .storage()
              .transaction(
                  transaction -> {
                    transaction.deleteAlarm();
                    transaction.rollback();
                    return null;
                  });
          if (!info.isRetry()) {
            throw new IllegalStateException("no");
          }
        };
    host.set("a", 60);
    host.advance(100);
    assertThat(host.takeFired()).containsExactly("a@60", "a@60#1");
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

  @Test
  void failureShowsTheAlarmAgainUntilTheNextTry() {
    host.handler =
        (_, info) -> {
          if (!info.isRetry()) {
            throw new IllegalStateException("no");
          }
        };
    host.set("a", 60);
    host.advance(61);

    assertThat(host.get("a")).contains(60L);

    host.advance(1);
    assertThat(host.takeFired()).containsExactly("a@60", "a@60#1");
    assertThat(host.get("a")).isEmpty();
  }

  @Test
  void alarmThatTheHandlerSetsBeforeItGivesUpIsKept() {
    host.handler =
        (context, info) -> {
          if (info.scheduledTime().equals(at(60))) {
            context.storage().setAlarm(at(90));
            throw new AbandonAlarmException("useless", null);
          }
        };
    host.set("a", 60);
    host.advance(61);

    assertThat(host.get("a")).contains(90L);
    host.crash();
    assertThat(host.get("a")).contains(90L);
    host.advance(100);
    assertThat(host.takeFired()).containsExactly("a@60", "a@90");
    assertThat(host.sleepers().alarms().abandoned(Optional.empty(), 10).items()).isEmpty();
  }

  @Test
  void alarmSetInATransactionOfTheHandlerThatCommitsIsKept() {
    host.handler =
        (context, info) -> {
          if (info.scheduledTime().equals(at(60))) {
            context
                .storage()
                .transaction(
                    transaction -> {
                      transaction.setAlarm(at(90));
                      return null;
                    });
          }
        };
    host.set("a", 60);
    host.advance(61);

    assertThat(host.get("a")).contains(90L);
    host.advance(100);
    assertThat(host.takeFired()).containsExactly("a@60", "a@90");
  }

  @Test
  void alarmOfAClassThatHasLostItsHandlerIsDropped() {
    host.set("a", 60);
    host.hears = false;
    host.downFor(100);
    assertThat(host.takeFired()).isEmpty();
    assertThat(host.get("a")).isEmpty();

    host.hears = true;
    host.downFor(100_000);
    assertThat(host.takeFired()).isEmpty();
  }

  private static @org.jspecify.annotations.Nullable Object delete(
      dev.holdfast.storage.ObjectStorage storage) {
    storage.deleteAlarm();
    return null;
  }
}
