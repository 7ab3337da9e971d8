package dev.holdfast.log.ratis;

import dev.holdfast.spi.log.NodeId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Which members a leader brings nothing to, as it looks again and again. Thread-safe. */
final class FedMembers {

  /**
   * @param committed the last entry that the member knows to be accepted
   * @param sinceNanos since when it is that one
   */
  private record Behind(long committed, long sinceNanos) {}

  private final Map<NodeId, Behind> behind = new HashMap<>(); // guarded by this

  /**
   * Returns the members that were behind all the time without having come any further.
   *
   * @param committed what each of them knows to be accepted
   * @param last what the leader knows to be accepted
   * @param nowNanos the monotonic clock
   * @param nanosMax how long one may stay where it is
   */
  synchronized Set<NodeId> stalled(
      Map<NodeId, Long> committed, long last, long nowNanos, long nanosMax) {
    behind.keySet().retainAll(committed.keySet());
    Set<NodeId> stalled = new TreeSet<>(Comparator.comparing(NodeId::name));
    committed.forEach(
        (node, index) -> {
          @Nullable Behind before = behind.get(node);
          if (index >= last) {
            behind.remove(node);
          } else if (before == null || before.committed() != index) {
            behind.put(node, new Behind(index, nowNanos));
          } else if (nowNanos - before.sinceNanos() > nanosMax) {
            stalled.add(node);
          }
        });
    return stalled;
  }
}
