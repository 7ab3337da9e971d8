package dev.holdfast.system.mistakes;

import dev.holdfast.storage.MissedRuns;
import dev.holdfast.storage.ObjectSchedules;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Consumer;

/** Alarms and schedules. */
final class AlarmMistakes {

  private AlarmMistakes() {}

  static List<Mistake> all() {
    return List.of(
        Mistake.of(
            "an alarm without a handler",
            host -> host.storage(storage -> storage.setAlarm(host.clock.now()))),
        Mistake.of(
            "an alarm before 1970",
            host -> host.storage(Host.SLEEPERS, storage -> storage.setAlarm(Instant.EPOCH))),
        Mistake.of(
            "an alarm after 2262",
            host ->
                host.storage(
                    Host.SLEEPERS,
                    storage -> storage.setAlarm(Instant.parse("2300-01-01T00:00:00Z")))),
        schedules(
            "a schedule without a name",
            each -> each.at("", Instant.parse("2030-01-01T00:00:00Z"))),
        schedules(
            "a schedule of less than a second",
            each -> each.every("tick", Duration.ofMillis(10), MissedRuns.SKIP)),
        schedules(
            "a cron expression without its library",
            each -> each.cron("nightly", "0 3 * * *", ZoneOffset.UTC, MissedRuns.SKIP)),
        schedules(
            "too many schedules",
            each -> {
              for (int i = 0; i <= ObjectSchedules.SCHEDULES_MAX; i++) {
                each.every("schedule-" + i, Duration.ofHours(1), MissedRuns.SKIP);
              }
            }),
        Mistake.of(
            "the alarms of an object of another namespace",
            host -> {
              var probes = host.runtime().namespace(Host.PROBES, Host.Probe.class);
              var sleepers = host.runtime().namespace(Host.SLEEPERS, Host.Probe.class);
              sleepers.alarms().discard(probes.idFromName("one"), "");
            }));
  }

  private static Mistake schedules(String title, Consumer<ObjectSchedules> use) {
    return Mistake.of(
        title, host -> host.storage(Host.SLEEPERS, storage -> use.accept(storage.schedules())));
  }
}
