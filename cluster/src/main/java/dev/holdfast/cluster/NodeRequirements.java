package dev.holdfast.cluster;

import dev.holdfast.Consistency;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.cluster.call.CallEndpoint;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.member.MemberBook;
import dev.holdfast.cluster.member.NodeFile;
import dev.holdfast.cluster.member.ShardMembers;
import dev.holdfast.journal.HistoryOptions;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.spi.log.NodeId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a node requires of its options and its registration, and what follows from them. Stateless.
 */
final class NodeRequirements {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private NodeRequirements() {}

  static void requireOffered(EngineBuilder engine) {
    if (!engine.operations().isEmpty()) {
      throw unsupported(
          "operation", "the operator's socket of a node has no operations of the application");
    }
  }

  /** Before the directory is touched; the parts that use an address check it again. */
  static void requirePlaintextAllowed(ClusterOptions options) {
    if (options.tls() != null || options.plaintextOnAnyNetwork()) {
      return;
    }
    options.addresses().forEach(CallEndpoint::requireOfThisMachine);
  }

  /** What the first opening is given cannot be changed by a later one. */
  static void requireFirstMembers(ClusterOptions options, NodeFile file) {
    if (file.hasBegun() || file.isAdded()) {
      return;
    }
    int count = options.addresses().size();
    if (file.lineage() != 0 && count != 1) {
      throw new ClusterException(
          Reason.MEMBERS,
          "This directory was adopted, recovered or restored: its node is the only one of its"
              + " cluster. Give it a list of members with "
              + options.self()
              + " alone, and add the others with ./holdfast cluster add.",
          null);
    }
    if ((count != 1 && count < ShardMembers.MEMBERS_MIN)
        || count > MemberBook.nodesMax(options.shards())) {
      throw new ClusterException(
          Reason.MEMBER_COUNT,
          "A cluster begins with 3 members or more, or with 1 that others are added to, and with at"
              + " most "
              + MemberBook.nodesMax(options.shards())
              + " with "
              + options.shards()
              + " shards: "
              + options.addresses().keySet(),
          null);
    }
  }

  /** Members are changed by the cluster; a list that was corrected later changes nothing. */
  static void warnOfStrangers(ClusterOptions options, NodeFile file, MemberBook book) {
    if (file.hasJoined()) {
      List<NodeId> strangers =
          options.addresses().keySet().stream()
              .filter(node -> !book.nodes().contains(node))
              .toList();
      if (!strangers.isEmpty()) {
        LOG.log(
            Level.WARNING,
            "Node {0} is opened with {1} in its list, and the cluster has the members {2}, as far"
                + " as this node has heard. If one is missing, add it with ./holdfast cluster add.",
            options.self(),
            strangers,
            book.nodes());
      }
    }
  }

  /**
   * {@return where and how the shards are archived; null for nowhere} The registration is called
   * again for each shard, but the store is opened and closed once.
   */
  static @Nullable ArchiveOptions archive(EngineBuilder engine, Consumer<ObjectRegistrar> objects) {
    ArchiveOptions asked = engine.options().archive();
    ArchiveOptions again = asked == null ? null : new EngineBuilder(objects).options().archive();
    if (asked != null && !asked.equals(again)) {
      asked.store().close();
      if (again != null) {
        again.store().close();
      }
      throw new IllegalArgumentException(
          "The registration gives other ArchiveOptions each time it is called, or another"
              + " ArchiveStore in them. It is called whenever this node takes a shard: make both"
              + " once, before the node is opened");
    }
    return asked;
  }

  /**
   * A shard keeps what the namespace with the longest window needs. Without a cap of the
   * application it has none: the free space of one node says nothing about that of the others.
   */
  static HistoryOptions history(EngineBuilder engine, int shards) {
    long windowMillis =
        engine.recoveryWindows().values().stream().mapToLong(Duration::toMillis).max().orElse(0);
    long bytesMax = engine.options().historyBytesMax();
    boolean isCapped = bytesMax != RuntimeOptions.HISTORY_BY_DISK && bytesMax != Long.MAX_VALUE;
    return new HistoryOptions(windowMillis, isCapped ? bytesMax / shards : Long.MAX_VALUE);
  }

  private static ClusterException unsupported(String option, String why) {
    return new ClusterException(
        Reason.UNSUPPORTED,
        "The option " + option + " has no effect in a cluster: " + why + ". Do not set it.",
        null);
  }

  /** Without a namespace that uses it there is no lease, and no owner is waited for. */
  static Duration leaseOf(Collection<NamespaceOptions> namespaces, ClusterOptions options) {
    return namespaces.stream().anyMatch(each -> each.consistency() == Consistency.LEASE)
        ? options.lease()
        : Duration.ZERO;
  }
}
