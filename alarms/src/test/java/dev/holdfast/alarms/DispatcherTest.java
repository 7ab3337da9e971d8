package dev.holdfast.alarms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.AlarmOptions;
import dev.holdfast.AlarmPolicy;
import dev.holdfast.ObjectId;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmTarget;
import dev.holdfast.spi.AlarmTarget.Outcome;
import dev.holdfast.spi.ObjectCatalog;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** What becomes of alarms that the engine could not run. */
final class DispatcherTest {

  private static final String NAMESPACE = "n";
  private static final ObjectKey KEY =
      new ObjectKey(NAMESPACE, ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null));

  private final VirtualClock clock = new VirtualClock();
  private final List<Long> firedAfterSeconds = Collections.synchronizedList(new ArrayList<>());

  /** An index with one alarm, which is due after a second. */
  private final class OneAlarm implements ObjectCatalog {

    private final long dueMillis = clock.wallMillis() + 1_000;

    @Override
    public List<ObjectId> objects(ObjectQuery query) {
      return List.of(KEY.id());
    }

    @Override
    public List<AlarmEntry> alarms(AlarmQuery query) {
      return query.after() == null
          ? List.of(new AlarmEntry(KEY, AlarmRecord.once("", dueMillis)))
          : List.of();
    }

    @Override
    public void onAlarmsChanged(AlarmsListener listener) {}
  }

  /** Fires the alarm; the n-th attempt ends as is said. */
  private void fire(IntFunction<Outcome> outcomes) {
    long startMillis = clock.wallMillis();
    Alarms alarms =
        new Alarms(
            new Alarms.Host(
                new InMemoryJournal(),
                clock,
                Thread.ofVirtual().factory(),
                new SplittableRandom(1)),
            Map.of(
                NAMESPACE, new Alarms.Namespace(new OneAlarm(), AlarmPolicy.DEFAULT.withJitter(0))),
            AlarmOptions.DEFAULT);
    try (alarms) {
      AlarmTarget target =
          _ -> {
            firedAfterSeconds.add((clock.wallMillis() - startMillis) / 1_000);
            return outcomes.apply(firedAfterSeconds.size());
          };
      alarms.start(target);
      clock.advance(Duration.ofHours(1));
    }
  }

  @Test
  void alarmThatWasNotDueForAMomentIsRunAllTheSame() {
    // The clock was set back before the engine looked, and forward again after that.
    fire(attempt -> attempt < 3 ? Outcome.NOT_DUE : Outcome.DONE);
    assertThat(firedAfterSeconds).containsExactly(1L, 1L, 1L);
  }

  @Test
  void alarmThatCouldNotBeRunIsTriedAgainInTheRhythmOfRetriesWithoutEnd() {
    fire(attempt -> attempt < 10 ? Outcome.UNAVAILABLE : Outcome.DONE);
    assertThat(firedAfterSeconds)
        .containsExactly(1L, 3L, 7L, 15L, 31L, 63L, 127L, 255L, 511L, 1_023L);
  }

  @Test
  void alarmThatIsGoneIsNotTriedAgain() {
    fire(_ -> Outcome.GONE);
    assertThat(firedAfterSeconds).containsExactly(1L);
  }
}
