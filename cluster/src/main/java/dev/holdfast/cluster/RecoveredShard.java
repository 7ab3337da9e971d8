package dev.holdfast.cluster;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a copy of a shard had when a cluster of one was made from it. What was acknowledged later
 * than its last record is lost.
 *
 * @param shard the number of the shard
 * @param lastPosition the position of its last record; 0 if there is none
 * @param lastWritten when that was written, by the clock of its owner; null if there is none
 */
public record RecoveredShard(int shard, long lastPosition, @Nullable Instant lastWritten) {}
