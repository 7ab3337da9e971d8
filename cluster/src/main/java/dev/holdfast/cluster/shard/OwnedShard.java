package dev.holdfast.cluster.shard;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.cluster.member.ShardMembers;
import dev.holdfast.journal.shard.ShardJournal;
import dev.holdfast.operator.Operations;
import dev.holdfast.operator.OperatorService;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.inspect.Inspectable;
import dev.holdfast.spi.log.NodeId;
import java.util.function.Function;

/**
 * One ownership of a shard by this node, while its objects are open.
 *
 * @param runtime has the objects
 * @param journal the ownership
 * @param mover moves the shard to a node, and waits for that; gives the name of the node that has
 *     taken it, empty if none has in time
 * @param members changes which nodes keep the shard
 * @param operations those for operators on the runtime
 * @param archive purges the archive of the shard
 */
public record OwnedShard(
    ObjectRuntime runtime,
    ShardJournal journal,
    Function<NodeId, String> mover,
    ShardMembers members,
    OperatorService operations,
    ArchivePurges archive) {

  /**
   * Begins to serve operators as well.
   *
   * @param runtime has the objects
   * @param journal the ownership
   * @param mover moves the shard to a node
   * @param members changes which nodes keep the shard
   */
  OwnedShard(
      ObjectRuntime runtime,
      ShardJournal journal,
      Function<NodeId, String> mover,
      ShardMembers members) {
    this(
        runtime,
        journal,
        mover,
        members,
        new Operations(((Inspectable) runtime).inspected()),
        new ArchivePurges(runtime.admin()::purgeArchive));
  }

  /**
   * Blocks until it is known that no other node had taken the shard before this was called.
   *
   * @throws dev.holdfast.errors.JournalFailedException if one had
   */
  public void awaitProven() {
    journal.awaitProven(Journal.START);
  }
}
