package dev.holdfast.system.mistakes;

import dev.holdfast.AlarmOptions;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.alarm.AlarmPolicy;
import dev.holdfast.health.HealthOptions;
import dev.holdfast.sql.SqlLimits;
import dev.holdfast.statistics.BusyBy;
import java.time.Duration;
import java.util.List;

/** Options. */
final class ConfigurationMistakes {

  private ConfigurationMistakes() {}

  static List<Mistake> all() {
    return List.of(
        Mistake.of("no open databases", _ -> RuntimeOptions.DEFAULT.withOpenDatabasesMax(0)),
        Mistake.of(
            "a close before it begins",
            _ -> RuntimeOptions.DEFAULT.withCloseTimeout(Duration.ofSeconds(-1))),
        Mistake.of(
            "a warning of each turn", _ -> RuntimeOptions.DEFAULT.withTurnWarning(Duration.ZERO)),
        Mistake.of(
            "a cache of less than nothing", _ -> RuntimeOptions.DEFAULT.withValueCacheBytesMax(-1)),
        Mistake.of(
            "a RocksDB of 64 MiB given in MiB",
            _ -> RuntimeOptions.DEFAULT.withRocksDbMemoryBytesMax(64)),
        Mistake.of(
            "a history of less than nothing", _ -> RuntimeOptions.DEFAULT.withHistoryBytesMax(-2)),
        Mistake.of("a queue without a place", _ -> NamespaceOptions.DEFAULT.withQueueLengthMax(0)),
        Mistake.of(
            "an eviction at once", _ -> NamespaceOptions.DEFAULT.withIdleTimeout(Duration.ZERO)),
        Mistake.of(
            "a recovery window to come",
            _ -> NamespaceOptions.DEFAULT.withRecoveryWindow(Duration.ofDays(-1))),
        Mistake.of(
            "a statement without time", _ -> SqlLimits.DEFAULT.withStatementTimeMax(Duration.ZERO)),
        Mistake.of("alarms that never run", _ -> AlarmOptions.DEFAULT.withRunningMax(0)),
        Mistake.of("a retry at once", _ -> AlarmPolicy.DEFAULT.withRetryDelay(Duration.ZERO)),
        Mistake.of("a jitter in per cent", _ -> AlarmPolicy.DEFAULT.withJitter(20)),
        Mistake.of(
            "a share of the disk in per cent", _ -> HealthOptions.DEFAULT.withDiskFreeMin(10, 0)),
        Mistake.of("a page without objects", _ -> ObjectListOptions.ALL.withLimit(0)),
        Mistake.of("the busiest of none", host -> host.runtime().busiest(0, BusyBy.CALLS)));
  }
}
