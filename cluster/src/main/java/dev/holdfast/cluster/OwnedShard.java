package dev.holdfast.cluster;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.journal.shard.ShardJournal;
import dev.holdfast.spi.Journal;

/**
 * One ownership of a shard by this node, while its objects are open.
 *
 * @param runtime has the objects
 * @param journal the ownership
 */
record OwnedShard(ObjectRuntime runtime, ShardJournal journal) {

  /**
   * Blocks until it is known that no other node had taken the shard before this was called.
   *
   * @throws dev.holdfast.errors.JournalFailedException if one had
   */
  void awaitProven() {
    journal.awaitProven(Journal.START);
  }
}
