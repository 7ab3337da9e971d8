package dev.holdfast.cluster.shard;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.journal.shard.ShardJournal;
import dev.holdfast.journal.shard.ShardReplica;
import org.jspecify.annotations.Nullable;

/** The objects of a shard, as the node has them. */
public interface ShardObjects {

  /**
   * Opens them for an ownership.
   *
   * @param journal the ownership
   * @return the runtime that has them
   */
  ObjectRuntime open(ShardJournal journal);

  /**
   * Brings their files forward while another node owns the shard. Blocks.
   *
   * @param replica the copy of the shard
   * @param bytesMax about how much of the journal is read
   * @return whether the files have all that was read; null if there was nothing to do
   * @throws dev.holdfast.errors.DataDirectoryException if a file cannot be read or written
   * @throws dev.holdfast.errors.JournalCorruptException if a segment is damaged
   * @throws dev.holdfast.errors.JournalFailedException if the end of the round cannot be recorded
   */
  @Nullable Boolean follow(ShardReplica replica, long bytesMax);
}
