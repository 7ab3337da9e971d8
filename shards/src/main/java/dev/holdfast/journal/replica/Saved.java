package dev.holdfast.journal.replica;

import dev.holdfast.spi.log.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * What a replica has durably in its own files.
 *
 * @param point how far it has applied the log
 * @param incarnation distinguishes it from earlier copies of the same node
 * @param lowWaterMark the first position that the views of the node need
 * @param owned which records it has appended itself
 * @param owner the node that owns the shard; null if none
 */
public record Saved(
    SavedPoint point,
    long incarnation,
    long lowWaterMark,
    OwnedPositions owned,
    @Nullable NodeId owner) {

  /** {@return the position before which the replica needs nothing, once this is durable} */
  public long removable() {
    return Math.min(point.historyFrom(), lowWaterMark);
  }

  /** {@return the state of a replica that has nothing} */
  public static Saved empty(long incarnation) {
    return new Saved(SavedPoint.NONE, incarnation, 1, OwnedPositions.NONE, null);
  }
}
