package dev.holdfast.cluster;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A shard, as one node sees it.
 *
 * @param shard its number, from 0
 * @param owner the node that runs its objects; null if none is known
 * @param copies the nodes that keep the shard, sorted, as far as this node has heard
 * @param epoch the ownership: it grows with each one; 0 if there was none
 * @param isOpenHere whether its objects run on this node now
 * @param lastPosition the last record that this node has
 * @param lag how many entries of its log the copy that is furthest behind lacks, as far as this
 *     node knows; null if it has not heard of every copy
 * @param restorableSince from when on this node's copy has every change; null if it has none
 * @param failure why the copy of this node has stopped, or its objects cannot be opened here; null
 *     while it works
 * @param isCatchingUp whether this node's copy fetches from another one what its log does not have
 * @param agreedVersion the version of the entries that the owner writes: all copies read it; 0 on a
 *     client
 */
public record ShardStatus(
    int shard,
    @Nullable String owner,
    List<String> copies,
    long epoch,
    boolean isOpenHere,
    long lastPosition,
    @Nullable Long lag,
    @Nullable Instant restorableSince,
    @Nullable String failure,
    boolean isCatchingUp,
    int agreedVersion) {

  /** Copies the list. */
  public ShardStatus {
    copies = List.copyOf(copies);
  }
}
