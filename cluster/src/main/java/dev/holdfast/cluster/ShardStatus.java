package dev.holdfast.cluster;

import org.jspecify.annotations.Nullable;

/**
 * A shard, as one node sees it.
 *
 * @param shard its number, from 0
 * @param owner the node that runs its objects; null if none is known
 * @param epoch the ownership: it grows with each one; 0 if there was none
 * @param isOpenHere whether its objects run on this node now
 * @param lastPosition the last record that this node has
 * @param failure why the copy of this node has stopped; null while it works
 */
public record ShardStatus(
    int shard,
    @Nullable String owner,
    long epoch,
    boolean isOpenHere,
    long lastPosition,
    @Nullable String failure) {}
