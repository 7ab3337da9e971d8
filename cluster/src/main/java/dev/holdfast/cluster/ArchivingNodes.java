package dev.holdfast.cluster;

import dev.holdfast.cluster.member.MemberBook;
import dev.holdfast.cluster.object.NodeService;
import dev.holdfast.cluster.object.ShardAnswers;
import dev.holdfast.cluster.shard.NodeArchive;
import dev.holdfast.spi.log.NodeId;
import java.util.Collection;
import java.util.function.Function;

/**
 * The nodes that may be adding to an archive. What each of them has heard of members counts, too:
 * one that has given its copy of a shard up is a member by other shards, of which this node may not
 * have heard yet. Thread-safe.
 *
 * @param self this node
 * @param book the members that it knows
 * @param nodes finds another node
 */
record ArchivingNodes(NodeId self, MemberBook book, Function<NodeId, NodeService> nodes)
    implements NodeArchive.Others {

  @Override
  public Collection<NodeId> members() {
    return book.nodes().stream().filter(each -> !each.equals(self)).toList();
  }

  @Override
  public boolean endAdditions(NodeId node, int shard, long epoch) {
    NodeService asked = nodes.apply(node);
    NodePlacement.configurations(ShardAnswers.members(asked.members()), book.shards())
        .forEach(book::configured);
    return asked.endAdditions(shard, epoch);
  }
}
