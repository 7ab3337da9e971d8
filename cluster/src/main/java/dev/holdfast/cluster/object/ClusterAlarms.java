package dev.holdfast.cluster.object;

import dev.holdfast.AlarmStatus;
import dev.holdfast.NamespaceAlarms;
import dev.holdfast.ObjectId;
import dev.holdfast.Page;
import dev.holdfast.runtime.PageCursors;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;

/**
 * The alarms of a namespace in all shards. Thread-safe.
 *
 * @param namespace its name
 * @param operations of the shards
 */
public record ClusterAlarms(ClusterNamespace<?> namespace, ClusterOperations operations)
    implements NamespaceAlarms {

  private static final Comparator<AlarmStatus> ORDER =
      Comparator.comparing(AlarmStatus::dueTime)
          .thenComparing(alarm -> alarm.id().toString())
          .thenComparing(
              alarm -> alarm.name().getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

  @Override
  public Page<AlarmStatus> pending(Optional<String> cursor, int limit) {
    return MergedPage.of(
        operations.inAll(shard -> shard.pending(namespace.name(), cursor, limit)),
        limit,
        ORDER,
        PageCursors::after);
  }

  @Override
  public Page<AlarmStatus> abandoned(Optional<String> cursor, int limit) {
    return MergedPage.of(
        operations.inAll(shard -> shard.abandoned(namespace.name(), cursor, limit)),
        limit,
        ORDER,
        PageCursors::after);
  }

  @Override
  public boolean rearm(ObjectId id, String name, Instant time) {
    namespace.registered().check(id);
    return operations.of(id).rearm(namespace.name(), id, name, time);
  }

  @Override
  public boolean discard(ObjectId id, String name) {
    namespace.registered().check(id);
    return operations.of(id).discard(namespace.name(), id, name);
  }
}
