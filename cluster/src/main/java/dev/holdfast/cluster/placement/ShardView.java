package dev.holdfast.cluster.placement;

import dev.holdfast.spi.log.NodeId;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A shard as a planner sees it.
 *
 * @param number its number
 * @param copies the members in the configuration of its log
 * @param owner the node that runs its objects, or null if none is known
 * @param isChanging whether a change of its members or a planned move of its owner is under way
 * @param behind the copies that have not caught up; also those of a leaving node that does not
 *     answer
 * @param bytes how much a copy stores
 */
public record ShardView(
    int number,
    List<NodeId> copies,
    @Nullable NodeId owner,
    boolean isChanging,
    Set<NodeId> behind,
    long bytes) {

  /** Copies the collections. */
  public ShardView {
    copies = List.copyOf(copies);
    behind = Set.copyOf(behind);
  }
}
