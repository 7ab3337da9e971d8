package dev.holdfast.micrometer;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.health.HealthReason;
import dev.holdfast.micrometer.RuntimeSnapshots.Snapshot;
import dev.holdfast.statistics.NamespaceStatistics;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The meters of one runtime in one registry. Thread-safe. */
final class Binding {

  private final MeterRegistry registry;
  private final Meters<Snapshot> meters;
  private final RuntimeSnapshots snapshots;
  private final Set<Meter> registered = ConcurrentHashMap.newKeySet();
  private final Set<String> namespaces = ConcurrentHashMap.newKeySet();
  private final Set<String> reasons = ConcurrentHashMap.newKeySet();
  private volatile boolean removed;

  Binding(ObjectRuntime runtime, Tags tags, MeterRegistry registry) {
    this.registry = registry;
    snapshots = new RuntimeSnapshots(runtime, registry.config().clock(), this::registerNew);
    meters = new Meters<>(registry, snapshots::get, tags, this::keep);
  }

  void register() {
    RuntimeMeters.register(meters);
    RuntimeMeters.HEALTH_REASONS.forEach(this::registerReason);
    registerNew(snapshots.get());
  }

  /** Removes all meters; one that is read meanwhile adds none. */
  void remove() {
    removed = true;
    registered.forEach(registry::remove);
    registered.clear();
  }

  private void keep(Meter meter) {
    registered.add(meter);
    if (removed) {
      registry.remove(meter); // a thread that read a meter meanwhile has registered another one
    }
  }

  private void registerNew(Snapshot snapshot) {
    if (removed) {
      return;
    }
    snapshot.health().reasons().stream().map(HealthReason::code).forEach(this::registerReason);
    for (String name : snapshot.statistics().namespaces().keySet()) {
      if (namespaces.add(name)) {
        NamespaceMeters.register(meters.with("namespace", name).of(read -> namespace(read, name)));
      }
    }
  }

  private void registerReason(String code) {
    if (reasons.add(code)) {
      RuntimeMeters.registerReason(meters, code);
    }
  }

  private static NamespaceStatistics namespace(Snapshot snapshot, String name) {
    NamespaceStatistics found = snapshot.statistics().namespaces().get(name);
    if (found == null) {
      throw new IllegalStateException("The runtime has no namespace " + name + " any more");
    }
    return found;
  }
}
