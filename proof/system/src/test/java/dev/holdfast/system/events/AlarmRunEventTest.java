package dev.holdfast.system.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.statistics.AlarmStatistics;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The runs of alarms, as Java Flight Recorder and the statistics show them. */
class AlarmRunEventTest {

  @TempDir private Path directory;

  private final VirtualClock clock = new VirtualClock();

  /** An object with an alarm. */
  public interface Sleeper {

    /** Sets the alarm. */
    void wakeInAMinute();
  }

  /** Fails three times: by an exception, by an abort, and because its writes are refused. */
  private final class SleeperObject implements Sleeper, AlarmHandler {
    private final ObjectContext context;

    SleeperObject(ObjectContext context) {
      this.context = context;
    }

    @Override
    public void wakeInAMinute() {
      context.storage().setAlarm(clock.now().plusSeconds(60));
    }

    @Override
    public void alarm(AlarmInfo info) {
      switch (info.retryCount()) {
        case 0 -> throw new IllegalStateException("planned");
        case 1 -> throw context.abort("planned");
        case 2 -> {
          exec("CREATE TABLE p (id INTEGER PRIMARY KEY)");
          exec("CREATE TABLE c (p REFERENCES p (id) DEFERRABLE INITIALLY DEFERRED)");
          exec("INSERT INTO c VALUES (5)");
        }
        default -> {}
      }
    }

    private void exec(String statement) {
      context.storage().sql().exec(statement);
    }
  }

  @Test
  void runsAreCountedAndRecordedWithTheirOutcome() throws Exception {
    Path file = directory.resolve("alarms.jfr");
    AlarmStatistics counted;
    try (ObjectRuntime runtime =
            Holdfast.open(
                directory.resolve("data"),
                clock,
                objects -> objects.namespace("sleepers", Sleeper.class, SleeperObject::new));
        Recording recording = new Recording()) {
      recording.enable("dev.holdfast.AlarmRun");
      recording.start();
      runtime.namespace("sleepers", Sleeper.class).getByName("a").wakeInAMinute();
      clock.advance(Duration.ofDays(1));
      recording.stop();
      recording.dump(file);
      counted = runtime.statistics().namespaces().get("sleepers").alarms();
    }

    List<RecordedEvent> events =
        RecordingFile.readAllEvents(file).stream()
            .filter(each -> each.getEventType().getName().equals("dev.holdfast.AlarmRun"))
            .toList();
    assertThat(events)
        .extracting(
            each -> each.getString("namespace"),
            each -> each.getString("objectName"),
            each -> each.getString("alarm"),
            each -> each.getInt("retryCount"),
            each -> each.getBoolean("failed"))
        .containsExactlyInAnyOrder(
            tuple("sleepers", "a", "", 0, true),
            tuple("sleepers", "a", "", 1, true),
            tuple("sleepers", "a", "", 2, true),
            tuple("sleepers", "a", "", 3, false));
    assertThat(events)
        .allSatisfy(
            each ->
                assertThat(each.getDuration("lateBy"))
                    .isBetween(Duration.ZERO, Duration.ofSeconds(1)));
    assertThat(counted.ran()).isEqualTo(1);
    assertThat(counted.failed()).isEqualTo(3);
    assertThat(counted.running()).isZero();
  }
}
