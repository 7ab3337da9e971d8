package dev.holdfast.cluster.member;

import dev.holdfast.spi.log.NodeId;
import java.util.HashMap;
import java.util.Map;

/**
 * How long other first members have been away, while a cluster is made. One that is started a
 * little later than this node may know of a cluster that has begun. Guarded by its owner.
 */
final class AwayMembers {

  private final long enoughNanos;
  private final Map<NodeId, Absence> absences = new HashMap<>();

  /**
   * Since when nothing was heard of a node.
   *
   * @param since by the monotonic clock
   * @param isEnough whether that is long
   */
  private record Absence(long since, boolean isEnough) {}

  /**
   * Knows of no node.
   *
   * @param enoughNanos how long one must be away
   */
  AwayMembers(long enoughNanos) {
    this.enoughNanos = enoughNanos;
  }

  /**
   * An attempt has found nothing at the address of a node.
   *
   * @param node the node
   * @param now by the monotonic clock
   */
  void unreachable(NodeId node, long now) {
    Absence last = absences.get(node);
    long since = last == null ? now : last.since();
    absences.put(node, new Absence(since, now - since >= enoughNanos));
  }

  /** A node has answered, whatever it has said. */
  void answered(NodeId node) {
    absences.remove(node);
  }

  /** {@return whether a node was away for long enough, and is} */
  boolean isAwayLong(NodeId node) {
    Absence found = absences.get(node);
    return found != null && found.isEnough();
  }

  /** {@return how long that is, as text} */
  String enough() {
    return enoughNanos / 1_000_000_000 + " s";
  }
}
