package dev.holdfast.micrometer;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.event.ConsumerStatus;
import dev.holdfast.health.HealthReason;
import dev.holdfast.micrometer.RuntimeSnapshots.Snapshot;
import dev.holdfast.statistics.NamespaceStatistics;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The meters of one runtime in one registry. Thread-safe. */
final class Binding {

  private final MeterRegistry registry;
  private final Meters<Snapshot> meters;
  private final RuntimeSnapshots snapshots;
  private final Set<Meter> registered = ConcurrentHashMap.newKeySet();
  private final Set<String> namespaces = ConcurrentHashMap.newKeySet();
  private final Set<String> reasons = ConcurrentHashMap.newKeySet();

  /** The meters of each consumer: a consumer can be removed, its meters then are, too. */
  private final Map<ConsumerKey, Set<Meter>> consumers = new ConcurrentHashMap<>();

  private volatile boolean removed;

  Binding(ObjectRuntime runtime, Tags tags, MeterRegistry registry) {
    this.registry = registry;
    snapshots = new RuntimeSnapshots(runtime, registry.config().clock(), this::registerNew);
    meters = new Meters<>(registry, snapshots::get, tags, this::keep);
  }

  private record ConsumerKey(String topic, String name) {

    static ConsumerKey of(ConsumerStatus status) {
      return new ConsumerKey(status.topic(), status.name());
    }
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
    Set<ConsumerKey> present =
        snapshot.statistics().consumers().stream().map(ConsumerKey::of).collect(Collectors.toSet());
    present.forEach(this::registerConsumer);
    for (ConsumerKey each : consumers.keySet()) {
      if (!present.contains(each)) {
        removeConsumer(each);
      }
    }
  }

  private void registerConsumer(ConsumerKey key) {
    Set<Meter> own = ConcurrentHashMap.newKeySet();
    if (consumers.putIfAbsent(key, own) != null) {
      return;
    }
    Meters<Snapshot> tagged = meters.with("topic", key.topic).with("consumer", key.name);
    ConsumerMeters.register(
        new Meters<>(
                registry,
                tagged.source(),
                tagged.tags(),
                meter -> {
                  own.add(meter);
                  keep(meter);
                })
            .of(read -> consumer(read, key)));
  }

  private void removeConsumer(ConsumerKey key) {
    Set<Meter> own = consumers.remove(key);
    if (own != null) {
      own.forEach(registry::remove);
      registered.removeAll(own);
    }
  }

  /** A consumer that was removed a moment ago has no numbers; its meters are removed, too. */
  private static ConsumerStatus consumer(Snapshot snapshot, ConsumerKey key) {
    for (ConsumerStatus each : snapshot.statistics().consumers()) {
      if (ConsumerKey.of(each).equals(key)) {
        return each;
      }
    }
    return new ConsumerStatus(key.topic, key.name, 0, 0, 0, 0, 0, false, false);
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
