package dev.holdfast.cluster.shard;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.journal.shard.ShardJournal;
import dev.holdfast.journal.shard.ShardReplica;
import org.jspecify.annotations.Nullable;

/** The objects of a shard, as the node has them. */
public interface ShardObjects {

  /** Opens them for an ownership. */
  ObjectRuntime open(ShardJournal journal);

  /**
   * {@return whether their files have all that was read of the shard, which another node owns; null
   * if there was nothing to do}
   */
  @Nullable Boolean follow(ShardReplica replica, long bytesMax);
}
