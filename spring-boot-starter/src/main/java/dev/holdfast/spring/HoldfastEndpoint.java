package dev.holdfast.spring;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.health.HealthReason;
import dev.holdfast.statistics.AlarmStatistics;
import dev.holdfast.statistics.BusyBy;
import dev.holdfast.statistics.BusyObject;
import dev.holdfast.statistics.CallStatistics;
import dev.holdfast.statistics.HistogramSnapshot;
import dev.holdfast.statistics.NamespaceStatistics;
import dev.holdfast.statistics.RuntimeStatistics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** {@code /actuator/holdfast}: what an operator asks first. Never values of objects. */
@Endpoint(id = "holdfast")
public final class HoldfastEndpoint {

  private static final int BUSIEST = 10;
  private static final double P99 = 99;

  private final ObjectRuntime runtime;

  HoldfastEndpoint(ObjectRuntime runtime) {
    this.runtime = runtime;
  }

  /**
   * The answer.
   *
   * @param state opening, open, stalled, failed, closing or closed
   * @param uptime since the opening
   * @param health UP, DEGRADED or DOWN
   * @param reasons why the health is not UP
   * @param lastPosition the last position of the journal
   * @param durablePosition the last durable position
   * @param syncMicros99 the 99th percentile of a sync
   * @param openDatabases SQLite databases that are open
   * @param namespaces by name
   * @param busiest the objects with most calls lately
   */
  public record Overview(
      String state,
      Duration uptime,
      String health,
      List<HealthReason> reasons,
      long lastPosition,
      long durablePosition,
      long syncMicros99,
      long openDatabases,
      Map<String, Namespace> namespaces,
      List<BusyObject> busiest) {}

  /**
   * One namespace.
   *
   * @param live instances in memory
   * @param queued calls that wait
   * @param calls by outcome, since the opening
   * @param turns since the opening
   * @param activations since the opening
   * @param alarmsPending alarms that are set
   * @param alarmsFailed tries that failed
   * @param alarmsGivenUp alarms that are no longer tried
   */
  public record Namespace(
      long live,
      long queued,
      CallStatistics calls,
      long turns,
      long activations,
      long alarmsPending,
      long alarmsFailed,
      long alarmsGivenUp) {

    private static Namespace of(NamespaceStatistics statistics) {
      AlarmStatistics alarms = statistics.alarms();
      return new Namespace(
          statistics.live(),
          statistics.queued(),
          statistics.calls(),
          statistics.turns(),
          statistics.activations(),
          alarms.pending(),
          alarms.failed(),
          alarms.givenUp());
    }
  }

  /** {@return the state of the runtime} */
  @ReadOperation
  public Overview overview() {
    RuntimeStatistics statistics = runtime.statistics();
    dev.holdfast.health.Health health = runtime.health();
    Map<String, Namespace> namespaces = new TreeMap<>();
    statistics.namespaces().forEach((name, each) -> namespaces.put(name, Namespace.of(each)));
    HistogramSnapshot syncs = statistics.journal().syncNanos();
    return new Overview(
        statistics.state().name(),
        Duration.ofNanos(statistics.uptimeNanos()),
        health.state().name(),
        health.reasons(),
        statistics.journal().lastPosition(),
        statistics.journal().durablePosition(),
        TimeUnit.NANOSECONDS.toMicros(syncs.percentile(P99)),
        statistics.databases().open(),
        namespaces,
        runtime.busiest(BUSIEST, BusyBy.CALLS));
  }
}
