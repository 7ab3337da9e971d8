package dev.holdfast.log.ratis;

import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.ReplicatedLog;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a node takes part in the logs of its shards.
 *
 * @param cluster the name of the cluster: nodes of another one do not understand each other
 * @param node this node, one of the members
 * @param directory where the logs are, in {@code 0003/log} for shard 3
 * @param members the first members, with the addresses of their logs, all alike on every node; a
 *     shard that exists knows its members itself
 * @param isAdded whether the members have their logs without this node, which is only among them
 *     for its address: a log that it begins waits until it is added
 * @param tls how nodes prove themselves; null for connections that are not encrypted
 * @param plaintextAllowed whether connections beyond this machine may be without TLS
 * @param failover after how long without a word from its leader a member stands for election: from
 *     half of it to the whole
 * @param segmentBytes the size of a file of the log; about twice as much of a shard is in memory
 * @param retainedBytesMax how much of the log is kept for a member that is behind
 */
public record RatisOptions(
    String cluster,
    NodeId node,
    Path directory,
    Map<NodeId, InetSocketAddress> members,
    boolean isAdded,
    @Nullable LogTls tls,
    boolean plaintextAllowed,
    Duration failover,
    long segmentBytes,
    long retainedBytesMax) {

  private static final Duration FAILOVER_MIN = Duration.ofMillis(100);
  private static final Duration FAILOVER_MAX = Duration.ofMinutes(5);

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if the cluster has no name, this node is not among the
   *     members, failover is not from 100 milliseconds to 5 minutes, a segment has not from 2 MiB
   *     to 1 GiB, less than a segment is kept, or an address is not on this machine, connections
   *     have no TLS, and that is not allowed
   */
  public RatisOptions {
    members = Map.copyOf(members);
    if (cluster.isBlank()) {
      throw new IllegalArgumentException("A cluster has a name.");
    }
    if (!members.containsKey(node)) {
      throw new IllegalArgumentException(
          "This node is one of the members; got " + members.keySet() + " for node " + node);
    }
    if (failover.compareTo(FAILOVER_MIN) < 0 || failover.compareTo(FAILOVER_MAX) > 0) {
      throw new IllegalArgumentException(
          "failover is from " + FAILOVER_MIN + " to " + FAILOVER_MAX + "; got " + failover);
    }
    if (segmentBytes < 2L * ReplicatedLog.ENTRY_BYTES_MAX || segmentBytes > 1L << 30) {
      throw new IllegalArgumentException("segmentBytes is 2 MiB to 1 GiB; got " + segmentBytes);
    }
    if (retainedBytesMax < segmentBytes) {
      throw new IllegalArgumentException(
          "retainedBytesMax is at least segmentBytes; got " + retainedBytesMax);
    }
    if (tls == null && !plaintextAllowed) {
      members.forEach(RatisOptions::requireLoopback);
    }
  }

  /**
   * Returns options with a failover of 2 seconds, files of 16 MiB, 256 MiB kept for members that
   * are behind, and without TLS.
   *
   * @param cluster the name of the cluster
   * @param node this node
   * @param directory where the logs are
   * @param members all members with the addresses of their logs
   * @return the options
   * @throws IllegalArgumentException if the values do not fit, or an address is not on this machine
   */
  public static RatisOptions onLoopback(
      String cluster, NodeId node, Path directory, Map<NodeId, InetSocketAddress> members) {
    return new RatisOptions(
        cluster,
        node,
        directory,
        members,
        /* isAdded= */ false,
        null,
        /* plaintextAllowed= */ false,
        Duration.ofSeconds(2),
        16L << 20,
        256L << 20);
  }

  /**
   * Returns options as {@link #onLoopback} does, with TLS, for members on any machine.
   *
   * @param cluster the name of the cluster
   * @param node this node
   * @param directory where the logs are
   * @param members all members with the addresses of their logs
   * @param tls how nodes prove themselves
   * @return the options
   * @throws IllegalArgumentException if the values do not fit
   */
  public static RatisOptions withTls(
      String cluster,
      NodeId node,
      Path directory,
      Map<NodeId, InetSocketAddress> members,
      LogTls tls) {
    return new RatisOptions(
        cluster,
        node,
        directory,
        members,
        /* isAdded= */ false,
        tls,
        /* plaintextAllowed= */ false,
        Duration.ofSeconds(2),
        16L << 20,
        256L << 20);
  }

  /**
   * Returns these options with another failover.
   *
   * @param other after how long without its leader a member stands for election
   * @return the options
   * @throws IllegalArgumentException if it is not from 100 milliseconds to 5 minutes
   */
  public RatisOptions withFailover(Duration other) {
    return new RatisOptions(
        cluster,
        node,
        directory,
        members,
        isAdded,
        tls,
        plaintextAllowed,
        other,
        segmentBytes,
        retainedBytesMax);
  }

  /**
   * Returns these options with another size of the log's files.
   *
   * @param segment the size of a file in bytes
   * @param retainedMax how many bytes are kept for a member that is behind
   * @return the options
   * @throws IllegalArgumentException if a file has not from 2 MiB to 1 GiB, or less than a file is
   *     kept
   */
  public RatisOptions withLogBytes(long segment, long retainedMax) {
    return new RatisOptions(
        cluster,
        node,
        directory,
        members,
        isAdded,
        tls,
        plaintextAllowed,
        failover,
        segment,
        retainedMax);
  }

  /**
   * Returns these options for a node that is added to the logs of the other members.
   *
   * @return the options
   */
  public RatisOptions asAdded() {
    return new RatisOptions(
        cluster,
        node,
        directory,
        members,
        /* isAdded= */ true,
        tls,
        plaintextAllowed,
        failover,
        segmentBytes,
        retainedBytesMax);
  }

  InetSocketAddress address() {
    InetSocketAddress own = members.get(node);
    if (own == null) {
      throw new AssertionError("checked by the constructor");
    }
    return own;
  }

  private static void requireLoopback(NodeId member, InetSocketAddress address) {
    InetAddress resolved = address.getAddress();
    if (resolved == null || !resolved.isLoopbackAddress()) {
      throw new IllegalArgumentException(
          "Member "
              + member
              + " has the address "
              + address
              + ", which is not on this machine. Use TLS, or allow connections that are not"
              + " encrypted");
    }
  }
}
