package dev.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.event.ConsumerStatus;
import dev.holdfast.health.Health;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.statistics.ArchiveStatistics;
import dev.holdfast.statistics.ClusterStatistics;
import dev.holdfast.statistics.HistogramSnapshot;
import dev.holdfast.statistics.NamespaceStatistics;
import dev.holdfast.statistics.ResetReason;
import dev.holdfast.statistics.RuntimeStatistics;
import dev.holdfast.testkit.VirtualClock;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The meters of a runtime in a registry. */
final class HoldfastMetricsTest {

  private static final Tags BASKETS = Tags.of("namespace", Basket.NAMESPACE);

  private final VirtualClock time = new VirtualClock();
  private final MockClock clock = new MockClock();
  private final MeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);

  private ObjectRuntime runtime;
  private SeenRuntime snapshots;

  @BeforeEach
  void open(@TempDir Path directory) {
    snapshots = new SeenRuntime(Holdfast.open(directory, time, Basket::register));
    runtime = snapshots.seen;
  }

  @AfterEach
  void close() {
    runtime.close();
  }

  private Basket basket(String name) {
    return runtime.namespace(Basket.NAMESPACE, Basket.class).getByName(name);
  }

  private double value(String meter, Tags tags) {
    clock.add(Duration.ofSeconds(1));
    return registry.get(meter).tags(tags).meter().measure().iterator().next().getValue();
  }

  private NamespaceStatistics baskets() {
    return runtime.statistics().namespaces().get(Basket.NAMESPACE);
  }

  @Test
  void callsAreCountedByOutcome() {
    new HoldfastMetrics(runtime).bindTo(registry);
    basket("a").add("pear");
    basket("b").add("plum");
    assertThatIllegalStateException().isThrownBy(basket("a")::fail);
    assertThatExceptionOfType(InstanceResetException.class).isThrownBy(basket("a")::abort);

    assertThat(value("holdfast.calls", BASKETS.and("outcome", "returned"))).isEqualTo(2);
    assertThat(value("holdfast.calls", BASKETS.and("outcome", "threw"))).isEqualTo(1);
    assertThat(value("holdfast.calls", BASKETS.and("outcome", "reset"))).isEqualTo(1);
    assertThat(value("holdfast.calls", BASKETS.and("outcome", "timed_out"))).isZero();
    assertThat(value("holdfast.calls", BASKETS.and("outcome", "overloaded"))).isZero();
    assertThat(value("holdfast.activations", BASKETS)).isEqualTo(2);
    assertThat(value("holdfast.objects", BASKETS)).isEqualTo(1);
    assertThat(value("holdfast.batches", BASKETS)).isEqualTo(2);
    assertThat(value("holdfast.journal.records", Tags.empty())).isEqualTo(2);
  }

  @Test
  void everyReasonOfAResetHasAMeterBeforeItOccurs() {
    new HoldfastMetrics(runtime).bindTo(registry);

    assertThat(registry.get("holdfast.resets").meters()).hasSize(ResetReason.values().length);
    assertThat(value("holdfast.resets", BASKETS.and("reason", "aborted"))).isZero();
    assertThatExceptionOfType(InstanceResetException.class).isThrownBy(basket("a")::abort);
    assertThat(value("holdfast.resets", BASKETS.and("reason", "aborted"))).isEqualTo(1);
    assertThat(value("holdfast.resets", BASKETS.and("reason", "storage_failed"))).isZero();
  }

  @Test
  void alarmsAreCounted() {
    new HoldfastMetrics(runtime).bindTo(registry);
    basket("a").remind(time.now().plusSeconds(60));
    assertThat(value("holdfast.pending.alarms", BASKETS)).isEqualTo(1);
    assertThat(value("holdfast.due.alarms", BASKETS)).isZero();
    time.advance(Duration.ofSeconds(60));

    assertThat(value("holdfast.pending.alarms", BASKETS)).isZero();
    assertThat(value("holdfast.alarm.runs", BASKETS.and("outcome", "returned"))).isEqualTo(1);
    assertThat(value("holdfast.alarm.runs", BASKETS.and("outcome", "failed"))).isZero();
    assertThat(value("holdfast.running.alarms", BASKETS)).isZero();
    assertThat(value("holdfast.uptime", Tags.empty())).isGreaterThanOrEqualTo(60);
  }

  @Test
  void timerHasTheCountTheSumAndTheBucketsOfItsHistogram() {
    new HoldfastMetrics(runtime).bindTo(registry);
    basket("a").add("pear");
    basket("b").add("plum");
    HistogramSnapshot waits =
        new HistogramSnapshot(
            List.of(
                new HistogramSnapshot.Bucket(1_000, 1_023, 64),
                new HistogramSnapshot.Bucket(1_024, 1_055, 2),
                new HistogramSnapshot.Bucket(1L << 40, (1L << 40) + (1L << 35) - 1, 1)),
            5_000_000_000L,
            1L << 40,
            64);
    snapshots.change = statistics -> withTurns(statistics, waits);
    clock.add(Duration.ofSeconds(1));

    FunctionTimer timer = registry.get("holdfast.turn.time").functionTimer();
    assertThat(timer.count()).isEqualTo(67);
    assertThat(timer.totalTime(TimeUnit.SECONDS)).isEqualTo(5);
    assertThat(bucket("0.000001023")).isEqualTo(64);
    assertThat(bucket("0.000002047")).isEqualTo(66);
    assertThat(bucket("68.719476735")).isEqualTo(66);
    assertThat(bucket("+Inf")).isEqualTo(67);
  }

  private double bucket(String bound) {
    return value("holdfast.turn.time.histogram", BASKETS.and("le", bound));
  }

  private static RuntimeStatistics withTurns(RuntimeStatistics of, HistogramSnapshot turns) {
    NamespaceStatistics n = of.namespaces().get(Basket.NAMESPACE);
    return with(
        of,
        of.archive(),
        Map.of(
            Basket.NAMESPACE,
            new NamespaceStatistics(
                n.live(),
                n.queued(),
                n.calls(),
                n.turns(),
                n.activations(),
                n.evictions(),
                n.resets(),
                n.batches(),
                n.batchBytes(),
                n.activationNanos(),
                turns,
                n.inputGateNanos(),
                n.outputGateNanos(),
                n.alarms())));
  }

  static RuntimeStatistics withoutNamespaces(RuntimeStatistics of) {
    return with(of, of.archive(), Map.of());
  }

  private static RuntimeStatistics with(
      RuntimeStatistics of,
      ArchiveStatistics archive,
      Map<String, NamespaceStatistics> namespaces) {
    return new RuntimeStatistics(
        of.state(),
        of.uptimeNanos(),
        of.recovery(),
        of.journal(),
        of.databases(),
        of.rocksDb(),
        of.valueCache(),
        archive,
        of.cluster(),
        of.consumers(),
        namespaces);
  }

  @Test
  void archiveHasItsStateAndItsNumbers() {
    new HoldfastMetrics(runtime).bindTo(registry);
    assertThat(value("holdfast.archive.state", Tags.of("state", "none"))).isEqualTo(1);

    ArchiveStatistics archive =
        new ArchiveStatistics(
            ArchiveStatistics.State.RUNNING, 3, 100, 0, 5_000_000_000L, 7, 1_000, 2, null);
    snapshots.change = statistics -> with(statistics, archive, statistics.namespaces());
    assertThat(value("holdfast.archive.state", Tags.of("state", "running"))).isEqualTo(1);
    assertThat(value("holdfast.archive.state", Tags.of("state", "none"))).isZero();
    assertThat(value("holdfast.archive.delay", Tags.empty())).isEqualTo(5);
    assertThat(value("holdfast.archive.chunks", Tags.empty())).isEqualTo(7);
    assertThat(value("holdfast.archive.bytes", Tags.empty())).isEqualTo(1_000);
    assertThat(value("holdfast.archive.failures", Tags.empty())).isEqualTo(2);
  }

  @Test
  void nodeOfAClusterHasItsNumbers() {
    new HoldfastMetrics(runtime).bindTo(registry);
    assertThat(value("holdfast.cluster.disk.usable", Tags.empty())).isNaN();

    ClusterStatistics cluster =
        new ClusterStatistics(
            new ClusterStatistics.SentCalls(1, 2, 3, 4, 5, 6),
            new ClusterStatistics.ReceivedCalls(7, 8, 9, 10),
            new ClusterStatistics.Ownerships(11, 12, 13),
            HistogramSnapshot.EMPTY,
            14,
            18,
            15,
            16,
            Map.of("b", -2_000L, "c", 1_000L),
            17);
    snapshots.change = statistics -> withCluster(statistics, cluster);
    clock.add(Duration.ofSeconds(1));
    String sent = "holdfast.cluster.sent.calls";
    assertThat(value(sent, Tags.of("outcome", "returned"))).isEqualTo(1);
    assertThat(value(sent, Tags.of("outcome", "threw"))).isEqualTo(2);
    assertThat(value(sent, Tags.of("outcome", "not_delivered"))).isEqualTo(3);
    assertThat(value(sent, Tags.of("outcome", "unknown"))).isEqualTo(4);
    assertThat(value(sent, Tags.of("outcome", "given_up"))).isEqualTo(5);
    assertThat(value("holdfast.cluster.redirects", Tags.empty())).isEqualTo(6);
    String received = "holdfast.cluster.received.calls";
    assertThat(value(received, Tags.of("outcome", "returned"))).isEqualTo(7);
    assertThat(value(received, Tags.of("outcome", "threw"))).isEqualTo(8);
    assertThat(value(received, Tags.of("outcome", "redirected"))).isEqualTo(9);
    assertThat(value(received, Tags.of("outcome", "refused"))).isEqualTo(10);
    String ownerships = "holdfast.cluster.ownerships";
    assertThat(value(ownerships, Tags.of("change", "began"))).isEqualTo(11);
    assertThat(value(ownerships, Tags.of("change", "moved"))).isEqualTo(12);
    assertThat(value(ownerships, Tags.of("change", "lost"))).isEqualTo(13);
    assertThat(value("holdfast.cluster.fetched.bytes", Tags.empty())).isEqualTo(14);
    assertThat(value("holdfast.cluster.events.left.out", Tags.empty())).isEqualTo(18);
    assertThat(value("holdfast.cluster.lag.entries", Tags.empty())).isEqualTo(15);
    assertThat(value("holdfast.cluster.lag.size", Tags.empty())).isEqualTo(16);
    assertThat(value("holdfast.cluster.clock.difference", Tags.empty())).isEqualTo(2);
    assertThat(value("holdfast.cluster.disk.usable", Tags.empty())).isEqualTo(17);
  }

  @Test
  void consumerHasItsMetersWhileItExists() {
    Tags tags = Tags.of("topic", "orders", "consumer", "index");
    runtime.consume("orders", "index", String.class, _ -> {});
    new HoldfastMetrics(runtime).bindTo(registry);
    assertThat(value("holdfast.consumer.running", tags)).isEqualTo(1);
    assertThat(value("holdfast.consumer.cut.off", tags)).isZero();

    ConsumerStatus status = new ConsumerStatus("orders", "index", 7, 12, 3_000, 40, 2, false, true);
    snapshots.change = statistics -> withConsumers(statistics, List.of(status));
    clock.add(Duration.ofSeconds(1));
    assertThat(value("holdfast.consumer.lag.records", tags)).isEqualTo(12);
    assertThat(value("holdfast.consumer.lag", tags)).isEqualTo(3);
    assertThat(value("holdfast.consumer.events", tags)).isEqualTo(40);
    assertThat(value("holdfast.consumer.failures", tags)).isEqualTo(2);
    assertThat(value("holdfast.consumer.running", tags)).isZero();
    assertThat(value("holdfast.consumer.cut.off", tags)).isEqualTo(1);

    snapshots.change = statistics -> withConsumers(statistics, List.of());
    clock.add(Duration.ofSeconds(1));
    registry.get("holdfast.uptime").meter().measure().forEach(each -> each.getValue());
    assertThat(registry.find("holdfast.consumer.running").meters()).isEmpty();
    assertThat(registry.find("holdfast.consumer.events").meters()).isEmpty();
  }

  private static RuntimeStatistics withCluster(RuntimeStatistics of, ClusterStatistics cluster) {
    return with(of, cluster, of.consumers());
  }

  static RuntimeStatistics withConsumers(RuntimeStatistics of, List<ConsumerStatus> consumers) {
    return with(of, of.cluster(), consumers);
  }

  private static RuntimeStatistics with(
      RuntimeStatistics of, ClusterStatistics cluster, List<ConsumerStatus> consumers) {
    return new RuntimeStatistics(
        of.state(),
        of.uptimeNanos(),
        of.recovery(),
        of.journal(),
        of.databases(),
        of.rocksDb(),
        of.valueCache(),
        of.archive(),
        cluster,
        consumers,
        of.namespaces());
  }

  @Test
  void allMetersOfAScrapeShareOneSnapshot() {
    new HoldfastMetrics(runtime).bindTo(registry);
    clock.add(Duration.ofSeconds(1));
    snapshots.snapshots.set(0);

    scrape();
    assertThat(snapshots.snapshots).hasValue(1);
    clock.add(Duration.ofMillis(RuntimeSnapshots.VALID_MILLIS - 1));
    scrape();
    assertThat(snapshots.snapshots).hasValue(1);
    clock.add(Duration.ofMillis(1));
    scrape();
    assertThat(snapshots.snapshots).hasValue(2);
  }

  private void scrape() {
    registry.forEachMeter(meter -> meter.measure().forEach(each -> each.getValue()));
  }

  @Test
  void namespaceThatAppearsLaterGetsMeters() {
    snapshots.change = HoldfastMetricsTest::withoutNamespaces;
    new HoldfastMetrics(runtime).bindTo(registry);
    assertThat(registry.find("holdfast.calls").meters()).isEmpty();

    snapshots.change = UnaryOperator.identity();
    basket("a").add("pear");
    clock.add(Duration.ofSeconds(1));
    scrape();

    assertThat(value("holdfast.calls", BASKETS.and("outcome", "returned"))).isEqualTo(1);
  }

  @Test
  void healthIsAGaugeForEachReason() {
    new HoldfastMetrics(runtime).bindTo(registry);
    assertThat(reason(HealthReason.RUNTIME_CLOSED)).isZero();
    assertThat(value("holdfast.runtime.state", Tags.of("state", "open"))).isEqualTo(1);

    runtime.close();
    assertThat(reason(HealthReason.RUNTIME_CLOSED)).isEqualTo(1);
    assertThat(reason(HealthReason.JOURNAL_FAILED)).isZero();
    assertThat(value("holdfast.health", Tags.of("state", "down"))).isEqualTo(1);
    assertThat(value("holdfast.health", Tags.of("state", "up"))).isZero();
    assertThat(value("holdfast.runtime.state", Tags.of("state", "closed"))).isEqualTo(1);
    assertThat(value("holdfast.runtime.state", Tags.of("state", "open"))).isZero();
  }

  @Test
  void everyReasonOfTheHealthHasAMeterBeforeItHolds() throws IllegalAccessException {
    new HoldfastMetrics(runtime).bindTo(registry);

    for (Field constant : HealthReason.class.getFields()) {
      assertThat(reason(String.valueOf(constant.get(null)))).isZero();
    }
  }

  @Test
  void reasonOfALaterVersionGetsItsMeterWhenItHolds() {
    new HoldfastMetrics(runtime).bindTo(registry);
    snapshots.changeOfHealth =
        _ ->
            new Health(
                HealthState.DEGRADED,
                List.of(new HealthReason("new-reason", HealthState.DEGRADED, "Do something.")));
    clock.add(Duration.ofSeconds(1));
    scrape();

    assertThat(reason("new-reason")).isEqualTo(1);
    assertThat(value("holdfast.health", Tags.of("state", "degraded"))).isEqualTo(1);
  }

  private double reason(String code) {
    return value("holdfast.health.reason", Tags.of("reason", code));
  }

  @Test
  void metersLeaveWithTheirBinderAndThoseOfTheNextRuntimeTakeTheirPlace(@TempDir Path other) {
    HoldfastMetrics metrics = new HoldfastMetrics(runtime);
    metrics.bindTo(registry);
    basket("a").add("pear");
    metrics.close();
    assertThat(registry.getMeters()).isEmpty();

    try (ObjectRuntime next = Holdfast.open(other, time, Basket::register)) {
      new HoldfastMetrics(next).bindTo(registry);
      assertThat(value("holdfast.calls", BASKETS.and("outcome", "returned"))).isZero();
    }
  }

  @Test
  void runtimesOfOneRegistryDifferByTheirTags(@TempDir Path other) {
    new HoldfastMetrics(runtime, Tags.of("runtime", "one")).bindTo(registry);
    try (ObjectRuntime next = Holdfast.open(other, time, Basket::register)) {
      new HoldfastMetrics(next, Tags.of("runtime", "two")).bindTo(registry);
      basket("a").add("pear");

      Tags returned = BASKETS.and("outcome", "returned");
      assertThat(value("holdfast.calls", returned.and("runtime", "one"))).isEqualTo(1);
      assertThat(value("holdfast.calls", returned.and("runtime", "two"))).isZero();
    }
  }

  @Test
  void tagsNameNoObject() {
    new HoldfastMetrics(runtime).bindTo(registry);
    basket("a").add("pear");
    String id = runtime.namespace(Basket.NAMESPACE, Basket.class).idFromName("a").toDisplayString();

    assertThat(registry.getMeters().stream().map(Meter::getId).map(Object::toString))
        .isNotEmpty()
        .noneMatch(meter -> meter.contains(id) || meter.contains("\"a\""));
  }

  /** A clock of a registry that hangs, as a back end does, until a test lets it go on. */
  private static final class HangingClock implements Clock {
    final CountDownLatch asked = new CountDownLatch(1);
    final CountDownLatch released = new CountDownLatch(1);
    volatile boolean hangs;

    @Override
    public long wallTime() {
      return 0;
    }

    @Override
    public long monotonicTime() {
      if (hangs) {
        asked.countDown();
        try {
          released.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      return 0;
    }
  }

  @Test
  void registryThatHangsReachesNoCall() throws Exception {
    HangingClock hanging = new HangingClock();
    MeterRegistry slow = new SimpleMeterRegistry(SimpleConfig.DEFAULT, hanging);
    new HoldfastMetrics(runtime).bindTo(slow);
    hanging.hangs = true;
    Thread scrape = Thread.ofVirtual().start(() -> slow.get("holdfast.uptime").timeGauge().value());
    hanging.asked.await();

    basket("a").add("pear");
    assertThat(basket("a").size()).isEqualTo(1);
    assertThat(baskets().calls().returned()).isEqualTo(2);

    hanging.released.countDown();
    scrape.join();
  }
}
