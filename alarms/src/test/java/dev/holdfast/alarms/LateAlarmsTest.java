package dev.holdfast.alarms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.health.Health;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The health of a runtime says that alarms are late, until they run. */
final class LateAlarmsTest {

  @Test
  void alarmThatWaitsForTheOnlySlotIsLateUntilItRuns() {
    List<Health> seen = new CopyOnWriteArrayList<>();
    try (AlarmHost host = new AlarmHost()) {
      host.handler =
          (context, _) -> {
            if (context.id().name().orElseThrow().equals("slow")) {
              seen.add(host.health());
              host.clock.setWallClock(host.clock.now().plus(Duration.ofSeconds(62)));
              seen.add(host.health());
            }
          };
      host.set("slow", 1);
      host.set("late", 2);
      host.advance(1);
      assertThat(host.takeFired()).containsExactly("slow@1", "late@2");

      assertThat(seen.getFirst().state()).isEqualTo(HealthState.UP);
      assertThat(seen.getLast().state()).isEqualTo(HealthState.DEGRADED);
      assertThat(seen.getLast().reasons())
          .singleElement()
          .extracting(HealthReason::code)
          .isEqualTo(HealthReason.ALARMS_LATE);
      assertThat(host.health().state()).isEqualTo(HealthState.UP);
    }
  }
}
