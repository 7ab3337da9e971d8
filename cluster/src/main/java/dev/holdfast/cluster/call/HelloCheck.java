package dev.holdfast.cluster.call;

import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.frame.Frame;
import dev.holdfast.cluster.frame.Frame.Hello;
import dev.holdfast.journal.replica.LogEntry;
import dev.holdfast.spi.log.NodeId;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Whether another node may be connected with this one, by its HELLO: the same cluster, a version
 * that both read, a member, with the directory that it had. Thread-safe.
 */
final class HelloCheck {

  /** What it has voted for and acknowledged may be missing, so it must not take part. */
  private static final String REMEDY =
      ". Give the node the directory back that it ran on last. If that is lost, let it return with"
          + " an empty one: ./holdfast cluster replace on a member.";

  private static final String REMEDY_BEFORE =
      ". Give the node the directory back that it ran on last. If that is lost, and the cluster has"
          + " never been ready, close all nodes, delete their directories, and begin again.";

  /** The first frame is short. */
  private static final int NAMES_LENGTH_MAX = 512;

  private final EndpointOptions options;
  private final Members members;

  HelloCheck(EndpointOptions options, Members members) {
    this.options = options;
    this.members = members;
  }

  long lineage() {
    return members.learntLineage().orElse(options.lineage());
  }

  /** {@return the names of the members, as HELLO has them: of many, a digest} */
  String memberNames() {
    List<NodeId> nodes = members.nodes();
    return shortened(Members.namesOf(nodes, members.replicas()), nodes.size());
  }

  private static String shortened(String names, int count) {
    if (names.length() <= NAMES_LENGTH_MAX) {
      return names;
    }
    CRC32C digest = new CRC32C();
    digest.update(names.getBytes(StandardCharsets.UTF_8));
    return count + " members (" + Long.toHexString(digest.getValue()) + ")";
  }

  void requireCaller(Hello hello, @Nullable Set<String> names, String where) {
    requireSameCluster(hello, where);
    if (!hello.isClient() && (names == null || names.contains(hello.node().name()))) {
      members.called(hello.node());
    }
    requireVersion(hello, where);
    requireSameLineage(hello, where);
    requireName(names, hello.node(), where);
    if (hello.isClient()) {
      requireClient(hello, where);
    } else {
      requireMember(hello, where);
    }
    requirePeer(hello);
    requireSameShape(hello, where);
    requireSameBeginning(hello, where);
    if (!hello.isClient()) {
      requireStarted();
      requireIncarnation(hello, where); // last, because it is remembered
    }
  }

  /** Nothing is recorded about a client, and any number of processes may have its name. */
  private void requireClient(Hello hello, String where) {
    if (members.waits()) {
      throw new ClusterException(
          Reason.NOT_A_MEMBER,
          "Node "
              + options.node()
              + " waits to be added to the cluster "
              + options.cluster()
              + ", and takes no clients before.",
          null);
    }
    if (members.wasRemoved(hello.node())) {
      throw refusal(
          Reason.REMOVED,
          hello,
          where,
          "has the name of a node that was removed from the cluster "
              + options.cluster()
              + ". Give the client another name, and a certificate of that name.");
    }
    if (members.addressOf(hello.node()).isPresent()) {
      throw refusal(
          Reason.INCARNATION,
          hello,
          where,
          "is a client with the name of a member of the cluster "
              + options.cluster()
              + ". Give the client another name, and a certificate of that name.");
    }
  }

  /** Also of a node that is called: one that is added again would never get a copy. */
  void requireNotRemoved(Hello hello, String where) {
    if (members.isRemoved(hello.node(), hello.incarnation())) {
      throw refusal(
          Reason.REMOVED,
          hello,
          where,
          "was removed from the cluster "
              + options.cluster()
              + ". Add another node, with another name and an empty directory.");
    }
  }

  private void requireMember(Hello hello, String where) {
    requireNotRemoved(hello, where);
    if (members.addressOf(hello.node()).isEmpty() && members.isBeingMade()) {
      throw refusal(
          Reason.MEMBERS,
          hello,
          where,
          "is not in the list of members of node "
              + options.node()
              + ", which has "
              + memberNames()
              + ". Give all nodes the same list of members.");
    }
    if (members.addressOf(hello.node()).isEmpty()
        && !members.waits()
        && hello.lineage() == Members.UNKNOWN_LINEAGE) {
      requireSameShards(hello, where); // it could never be added
      throw new ClusterException(
          Reason.NOT_A_MEMBER,
          "The node "
              + hello.node()
              + " waits to be added to the cluster "
              + options.cluster()
              + ". Add it with ./holdfast cluster add on a member.",
          new ConnectionErrors.WaitsToBeAdded());
    }
    if (members.addressOf(hello.node()).isEmpty() && !members.waits()) {
      throw new ClusterException(
          Reason.NOT_A_MEMBER,
          "The node "
              + hello.node()
              + " is not a member of the cluster "
              + options.cluster()
              + ", which has the members "
              + memberNames()
              + ". Add it with ./holdfast cluster add on a member. If it is a member where it runs,"
              + " these are two clusters of one name: close the nodes of the one that is not to go"
              + " on.",
          null);
    }
  }

  private void requirePeer(Hello hello) {
    if (!hello.peer().equals(options.node())) {
      throw new ClusterException(
          Reason.NODE_ID,
          "Node "
              + hello.node()
              + " expects node "
              + hello.peer()
              + " where "
              + options.node()
              + " is. Correct the address of "
              + hello.peer()
              + " in its list of members.",
          null);
    }
  }

  private void requireStarted() {
    if (members.isStarting()) {
      throw new ClusterException(
          Reason.STARTING,
          "Node "
              + options.node()
              + " waits to be added, and has not opened its logs yet. It does so when a member lets"
              + " it in; if it does not, its own log says why.",
          null);
    }
  }

  static void requireName(@Nullable Set<String> names, NodeId node, String where) {
    if (names != null && !names.contains(node.name())) {
      throw new ClusterException(
          Reason.CERTIFICATE_NAME,
          "The certificate that was shown for node "
              + node
              + " by "
              + where
              + " has the DNS names "
              + names
              + ". Give the node a certificate with the DNS name \""
              + node
              + "\".",
          null);
    }
  }

  void requireSameShape(Hello hello, String where) {
    if (hello.isClient()) {
      return; // it asks
    }
    requireSameShards(hello, where);
    if (!options.isClient() && members.isBeingMade() && !hello.members().equals(memberNames())) {
      throw refusal(
          Reason.MEMBERS,
          hello,
          where,
          "has the members "
              + hello.members()
              + ", node "
              + options.node()
              + " has "
              + memberNames()
              + ". Give all nodes the same list of members.");
    }
  }

  private void requireSameShards(Hello hello, String where) {
    int own = options.isClient() ? members.learnShards(hello.shards()) : options.shards();
    if (hello.shards() != own) {
      throw refusal(
          Reason.SHARDS,
          hello,
          where,
          "has "
              + hello.shards()
              + " shards, node "
              + options.node()
              + " has "
              + own
              + ". The number never changes: give the newer node the number of the others.");
    }
  }

  /** With another list it would invent other first copies of the shards, perhaps a majority. */
  private void requireSameBeginning(Hello hello, String where) {
    if (!hello.isFirst()) {
      return;
    }
    members
        .begunWith()
        .map(first -> shortened(first, first.split(",", -1).length))
        .filter(first -> !first.equals(hello.members()))
        .ifPresent(
            first -> {
              throw refusal(
                  Reason.NOT_A_MEMBER,
                  hello,
                  where,
                  "has begun no log, and has the members "
                      + hello.members()
                      + ", but the cluster "
                      + options.cluster()
                      + " has begun with "
                      + first
                      + ". Open it with that list, or add it with ./holdfast cluster add on a"
                      + " member.");
            });
  }

  /** A node that lets another one in with a different list is in a cluster that has begun. */
  void requireBegun(Hello hello, String where) {
    if (members.isBeingMade() && !hello.members().equals(memberNames())) {
      throw new ClusterException(
          Reason.NOT_A_MEMBER,
          "The cluster "
              + options.cluster()
              + " has the members "
              + hello.members()
              + " ("
              + where
              + "), and node "
              + options.node()
              + " has begun no log. Add it with ./holdfast cluster add on a member; if its"
              + " directory is lost, ./holdfast cluster replace.",
          null);
    }
  }

  void requireSameCluster(Hello hello, String where) {
    if (!hello.cluster().equals(options.cluster())) {
      throw refusal(
          Reason.CLUSTER_NAME,
          hello,
          where,
          "belongs to the cluster \""
              + hello.cluster()
              + "\", node "
              + options.node()
              + " to \""
              + options.cluster()
              + "\". Correct the name or the address of one of them.");
    }
  }

  /** Comes after the version: the field is of this one. */
  void requireSameLineage(Hello hello, String where) {
    long own = lineage();
    if (hello.lineage() == own
        || hello.lineage() == Members.UNKNOWN_LINEAGE
        || own == Members.UNKNOWN_LINEAGE) {
      return;
    }
    // Only the later cluster sends the other one away: of two that are recovered from two copies
    // of one cluster, neither knows better.
    if (own >>> EndpointOptions.RANDOM_BITS > hello.lineage() >>> EndpointOptions.RANDOM_BITS) {
      throw refusal(
          Reason.RECOVERED,
          hello,
          where,
          "runs on a directory of the cluster \""
              + options.cluster()
              + "\" as it was before that was recovered from the copy of one node. Its objects"
              + " differ from the objects of the cluster. Move the directory away.");
    }
    throw refusal(
        Reason.CLUSTER_NAME,
        hello,
        where,
        "belongs to another cluster of the name \""
            + options.cluster()
            + "\" than node "
            + options.node()
            + ": one of them was recovered from the copy of one node, or made of another data"
            + " directory of a single machine. Close the nodes of the one"
            + " that is not to go on.");
  }

  void requireVersion(Hello hello, String where) {
    if (hello.versionMin() > Frame.VERSION || hello.versionMax() < Frame.VERSION_MIN) {
      throw refusal(
          Reason.VERSION,
          hello,
          where,
          "speaks the call protocol in versions "
              + hello.versionMin()
              + " to "
              + hello.versionMax()
              + ", the other node in version "
              + Frame.VERSION
              + ". Upgrade the older one.");
    }
    if (!hello.isClient() && !options.isClient()) {
      requireEntries(hello, where);
    }
  }

  /** An older node would stop its copies at the first entry that it cannot read. */
  private void requireEntries(Hello hello, String where) {
    Frame.Entries theirs = hello.entries();
    int agreed = Math.max(theirs.agreed(), members.agreedEntries());
    if (theirs.max() < agreed
        || members.newestEntries() < agreed
        || theirs.min() > members.newestEntries()) {
      throw new ClusterException(
          Reason.VERSION,
          "The versions do not meet: node "
              + hello.node()
              + ", "
              + where
              + ", reads entries of the logs in versions "
              + theirs.min()
              + " to "
              + theirs.max()
              + ", node "
              + options.node()
              + " in versions "
              + LogEntry.VERSION_MIN
              + " to "
              + members.newestEntries()
              + ", and the cluster writes version "
              + agreed
              + ". Install the version of Holdfast that the other nodes have on the older node.",
          null);
    }
  }

  void requireIncarnation(Hello hello, String where) {
    if (options.isClient()) {
      return; // the members know each other
    }
    OptionalLong known = members.incarnationOf(hello.node());
    if (known.isPresent() && known.getAsLong() != hello.incarnation()) {
      throw otherDirectory(
          hello, where, "incarnation " + known.getAsLong() + ", not " + hello.incarnation());
    }
    if (known.isEmpty()
        && !members.isOfFirst(hello.node())
        && hello.lineage() == Members.UNKNOWN_LINEAGE
        && members.nodes().contains(hello.node())
        && !members.waits()) {
      throw otherDirectory(hello, where, "no member has let this one in");
    }
    members.reads(hello.node(), hello.entries().max());
    if (!members.met(hello.node(), hello.incarnation(), hello.opening())) {
      throw refusal(
          Reason.INCARNATION,
          hello,
          where,
          "runs on an older copy of its data directory than it had before, or twice on"
              + " copies of it (incarnation "
              + hello.incarnation()
              + ")"
              + remedy());
    }
  }

  private ClusterException otherDirectory(Hello hello, String where, String why) {
    return new ClusterException(
        Reason.INCARNATION,
        text(
            hello,
            where,
            "is a member with another data directory than the one it runs on now: "
                + why
                + remedy()),
        new ConnectionErrors.OtherDirectory());
  }

  private static ClusterException refusal(
      Reason reason, Hello hello, String where, String problem) {
    return new ClusterException(reason, text(hello, where, problem), null);
  }

  private static String text(Hello hello, String where, String problem) {
    return "Node " + hello.node() + ", " + where + ", " + problem;
  }

  private String remedy() {
    return members.isBeingMade() ? REMEDY_BEFORE : REMEDY;
  }
}
