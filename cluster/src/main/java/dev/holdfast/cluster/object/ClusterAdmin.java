package dev.holdfast.cluster.object;

import dev.holdfast.ObjectAdmin;
import dev.holdfast.ObjectId;
import dev.holdfast.TimeSource;
import dev.holdfast.cluster.shard.OpenShards;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.event.ConsumerStart;
import dev.holdfast.event.ConsumerStatus;
import dev.holdfast.migration.MigrationOptions;
import dev.holdfast.migration.MigrationReport;
import dev.holdfast.statistics.ExecutionStatus;
import dev.holdfast.storage.ListOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Administers the objects of all shards. Thread-safe. */
public final class ClusterAdmin implements ObjectAdmin {

  private final ClusterOperations operations;
  private final Function<String, ClusterNamespace<?>> namespaces;
  private final OpenShards open;
  private final OwnerPolling polling;

  /**
   * Creates it for a node.
   *
   * @param operations of every shard
   * @param namespaces finds a namespace, or throws
   * @param open the shards of this node
   * @param time says when to ask again
   */
  public ClusterAdmin(
      ClusterOperations operations,
      Function<String, ClusterNamespace<?>> namespaces,
      OpenShards open,
      TimeSource time) {
    this.operations = operations;
    this.namespaces = namespaces;
    this.open = open;
    this.polling = new OwnerPolling(time, Thread::startVirtualThread);
  }

  /** Refuses an id of another namespace before it is asked for in the wrong shard. */
  private ShardOperations shard(String namespace, ObjectId id) {
    namespaces.apply(namespace).registered().check(id);
    return operations.of(id);
  }

  @Override
  public boolean exists(String namespace, ObjectId id) {
    return shard(namespace, id).exists(namespace, id);
  }

  @Override
  public long size(String namespace, ObjectId id) {
    return shard(namespace, id).size(namespace, id);
  }

  @Override
  public List<String> keys(String namespace, ObjectId id, ListOptions options) {
    return shard(namespace, id).keys(namespace, id, options);
  }

  @Override
  public List<String> tables(String namespace, ObjectId id) {
    return shard(namespace, id).tables(namespace, id);
  }

  @Override
  public SequencedMap<String, Long> versions(String namespace) {
    Map<String, Long> counts = new HashMap<>();
    List<String> order = new ArrayList<>();
    for (Map<String, Long> each : operations.inAll(shard -> shard.versions(namespace))) {
      each.forEach((version, objects) -> counts.merge(version, objects, Long::sum));
      merge(each.keySet(), order);
    }
    SequencedMap<String, Long> all = new LinkedHashMap<>();
    order.forEach(version -> all.put(version, counts.getOrDefault(version, 0L)));
    return all;
  }

  /** Merges the order of some steps into that of others. */
  private static void merge(Collection<String> some, List<String> order) {
    int place = 0;
    for (String each : some) {
      int known = order.indexOf(each);
      if (known < 0) {
        order.add(place++, each);
      } else {
        place = known + 1;
      }
    }
  }

  @Override
  public MigrationReport migrateAll(String namespace, MigrationOptions options) {
    MigrationPlace place =
        options
            .cursor()
            .map(text -> MigrationPlace.parse(text, operations.shards()))
            .orElse(new MigrationPlace(0, Optional.empty()));
    MigrationReport all = new MigrationReport(0, 0, 0, List.of(), Optional.of(place.text()));
    while (place.shard() < operations.shards()) {
      MigrationReport some;
      try {
        some =
            operations.of(place.shard()).migrateSome(namespace, options.dryRun(), place.cursor());
      } catch (CallInterruptedException e) {
        return all; // the next run visits the objects in hand again
      }
      place =
          some.cursor().isPresent()
              ? new MigrationPlace(place.shard(), some.cursor())
              : new MigrationPlace(place.shard() + 1, Optional.empty());
      boolean isLast = place.shard() == operations.shards();
      all = sum(all, some, isLast ? Optional.empty() : Optional.of(place.text()));
      if (Thread.currentThread().isInterrupted()) {
        return all;
      }
      options.progress().accept(all);
    }
    return all;
  }

  private static MigrationReport sum(
      MigrationReport one, MigrationReport other, Optional<String> cursor) {
    List<MigrationReport.Failure> failures = new ArrayList<>(one.failures());
    failures.addAll(other.failures());
    return new MigrationReport(
        one.migrated() + other.migrated(),
        one.current() + other.current(),
        one.failed() + other.failed(),
        failures.subList(0, Math.min(failures.size(), MigrationReport.FAILURES_MAX)),
        cursor);
  }

  /** Where a migration of all objects goes on: in a shard, and there after an object. */
  private record MigrationPlace(int shard, Optional<String> cursor) {

    static MigrationPlace parse(String text, int shards) {
      int colon = text.indexOf(':');
      try {
        String cursor = text.substring(colon + 1);
        return new MigrationPlace(
            Objects.checkIndex(
                Integer.parseUnsignedInt(text.substring(0, Math.max(0, colon))), shards),
            cursor.isEmpty() ? Optional.empty() : Optional.of(cursor));
      } catch (NumberFormatException | IndexOutOfBoundsException e) {
        throw new IllegalArgumentException(
            "Not a cursor of a migration in a cluster; begin without one: " + text, e);
      }
    }

    String text() {
      return shard + ":" + cursor.orElse("");
    }
  }

  @Override
  public CompletableFuture<Void> purgeHistory(String namespace, ObjectId id) {
    shard(namespace, id).purgeHistory(namespace, id);
    return polling
        .askLater(() -> shard(namespace, id).isPurging(namespace, id) ? null : true)
        .thenApply(_ -> null);
  }

  /**
   * Completes with the lowest first position of a shard. The first failure of a shard ends it, and
   * the other shards go on.
   */
  @Override
  public CompletableFuture<Long> purgeArchive() {
    List<CompletableFuture<Long>> shards = new ArrayList<>();
    for (int shard = 0; shard < operations.shards(); shard++) {
      shards.add(purgeArchive(operations.of(shard)));
    }
    return OwnerPolling.allOf(shards)
        .thenApply(_ -> shards.stream().mapToLong(CompletableFuture::join).min().orElse(0));
  }

  private CompletableFuture<Long> purgeArchive(ShardOperations shard) {
    long number = operations.newNumber();
    try {
      return polling.ask(
          () -> {
            long first = shard.purgeArchive(number);
            return first > 0 ? first : null;
          });
    } catch (ArchiveException | IllegalStateException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public boolean evict(String namespace, ObjectId id) {
    return shard(namespace, id).evict(namespace, id);
  }

  @Override
  public boolean reset(String namespace, ObjectId id) {
    return shard(namespace, id).reset(namespace, id);
  }

  @Override
  public String restoreNow(String namespace, ObjectId id, String bookmark) {
    return shard(namespace, id).restoreNow(namespace, id, bookmark);
  }

  @Override
  public boolean delete(String namespace, ObjectId id) {
    return shard(namespace, id).delete(namespace, id);
  }

  @Override
  public List<ConsumerStatus> consumers() {
    return merged(operations.inAll(ShardOperations::consumers));
  }

  /**
   * Sums up what the shards say of their consumers.
   *
   * @param shards the consumers of each shard
   * @return one entry for each consumer, by topic and name
   */
  public static List<ConsumerStatus> merged(List<List<ConsumerStatus>> shards) {
    TreeMap<String, ConsumerStatus> all = new TreeMap<>();
    shards.forEach(
        consumers ->
            consumers.forEach(
                each -> all.merge(each.topic() + '\0' + each.name(), each, ClusterAdmin::sum)));
    return List.copyOf(all.values());
  }

  private static ConsumerStatus sum(ConsumerStatus one, ConsumerStatus other) {
    return new ConsumerStatus(
        one.topic(),
        one.name(),
        Math.min(one.position(), other.position()),
        one.lagRecords() + other.lagRecords(),
        Math.max(one.lagMillis(), other.lagMillis()),
        one.handledEvents() + other.handledEvents(),
        one.failedDeliveries() + other.failedDeliveries(),
        one.isRunning() && other.isRunning(),
        one.isCutOff() || other.isCutOff());
  }

  @Override
  public void resetConsumer(String topic, String consumer, ConsumerStart start) {
    ofConsumers().reset(topic, consumer, start);
  }

  @Override
  public boolean removeConsumer(String topic, String consumer) {
    return ofConsumers().remove(topic, consumer);
  }

  private ShardConsumers ofConsumers() {
    return new ShardConsumers(operations.inAll(shard -> shard));
  }

  @Override
  public List<ExecutionStatus> executions(Duration age, boolean withStacks) {
    return open.runtimes().stream()
        .flatMap(each -> each.admin().executions(age, withStacks).stream())
        .sorted(Comparator.comparing(ExecutionStatus::age).reversed())
        .toList();
  }

  @Override
  public void startAlarms() {
    open.begin(
        runtime -> {
          runtime.admin().startAlarms();
          return () -> {};
        });
  }
}
