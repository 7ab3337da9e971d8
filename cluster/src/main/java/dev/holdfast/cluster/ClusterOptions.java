package dev.holdfast.cluster;

import dev.holdfast.cluster.member.MemberAddress;
import dev.holdfast.cluster.tls.TlsFiles;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.spi.log.NodeId;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a node takes part in a cluster. Immutable.
 *
 * <pre>{@code
 * ClusterOptions.of("shop")
 *     .node("a")
 *     .members("a=10.0.0.1:7400", "b=10.0.0.2:7400", "c=10.0.0.3:7400")
 *     .withTls(TlsFiles.of(Path.of("node.pem"), Path.of("node.key"), Path.of("ca.pem")))
 * }</pre>
 */
public final class ClusterOptions {

  private static final long COPY_BYTES_MIN = 64L << 10;
  private static final List<String> LABELS = List.of("zone", "rack");

  private static final Duration LEASE_MIN = Duration.ofMillis(50);
  private static final Duration LEASE_MAX = Duration.ofSeconds(10);
  private static final Duration FAILOVER_MIN = Duration.ofMillis(100);
  private static final Duration FAILOVER_MAX = Duration.ofMinutes(5);

  private final String cluster;
  private final @Nullable NodeId node;
  private final @Nullable NodeId client;
  private final @Nullable InetSocketAddress own;
  private final Map<NodeId, InetSocketAddress> members;
  private final int shards;
  private final OptionalInt replicas;
  private final Map<String, String> labels;
  private final boolean balancing;
  private final long copyBytesPerSecond;
  private final @Nullable TlsFiles tls;
  private final boolean plaintextOnAnyNetwork;
  private final Duration failover;
  private final Duration lease;
  private final Duration routeTimeout;

  private ClusterOptions(Draft draft) {
    this.cluster = draft.cluster;
    this.node = draft.node;
    this.client = draft.client;
    this.own = draft.own;
    this.members = draft.members;
    this.shards = draft.shards;
    this.replicas = draft.replicas;
    this.labels = draft.labels;
    this.balancing = draft.balancing;
    this.copyBytesPerSecond = draft.copyBytesPerSecond;
    this.tls = draft.tls;
    this.plaintextOnAnyNetwork = draft.plaintextOnAnyNetwork;
    this.failover = draft.failover;
    this.lease = draft.lease;
    this.routeTimeout = draft.routeTimeout;
  }

  /**
   * Begins options: 64 shards on three nodes each, a failover of 2 s, leases of 500 ms, 10 s to
   * find an owner, no TLS.
   *
   * @param cluster the name of the cluster, 1 to 63 characters, without blanks around them and
   *     control characters; it never changes
   * @return the options
   * @throws IllegalArgumentException if it is no such name
   */
  public static ClusterOptions of(String cluster) {
    if (cluster.isBlank()
        || cluster.length() > 63
        || !cluster.equals(cluster.strip())
        || cluster.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "A cluster has a name of 1 to 63 characters, without blanks around them and control"
              + " characters: \""
              + cluster
              + "\"");
    }
    return new ClusterOptions(new Draft(cluster));
  }

  /**
   * Returns these options for a node.
   *
   * @param name its name, one of the members
   * @return the options
   * @throws IllegalArgumentException if it is no name of a node
   */
  public ClusterOptions node(String name) {
    return with(draft -> draft.node = new NodeId(name));
  }

  /**
   * Returns these options for a node that is not among the members: it waits until one of these
   * adds it ({@link ClusterRuntime#add}). A node that is among them may be given its address, too.
   *
   * @param name its name
   * @param address where it takes calls: {@code host:port}
   * @return the options
   * @throws IllegalArgumentException if it is no name of a node, or no address
   */
  public ClusterOptions node(String name, String address) {
    return with(
        draft -> {
          draft.node = new NodeId(name);
          draft.own = MemberAddress.address(address);
        });
  }

  /**
   * Returns these options for a client ({@link ClusterHoldfast#connect}). Beside its name, they
   * have {@link #members}, TLS, {@link #withFailover} as on the nodes, and {@link
   * #withRouteTimeout}; the others are those of nodes, and have no effect.
   *
   * @param name its name, which no member has; several processes may use it
   * @return the options
   * @throws IllegalArgumentException if it is no name of a node
   */
  public ClusterOptions client(String name) {
    return with(draft -> draft.client = new NodeId(name));
  }

  /**
   * Returns these options with members. Calls come to the port of a member, and its logs use the
   * next one.
   *
   * <p>They are those to begin with. Later the cluster itself knows its members; the addresses here
   * win over those that it knows. A client needs some of them.
   *
   * @param each all members: {@code name=host:port}
   * @return the options
   * @throws IllegalArgumentException if one is malformed, or named twice
   */
  public ClusterOptions members(String... each) {
    Map<NodeId, InetSocketAddress> parsed = new LinkedHashMap<>();
    for (String member : each) {
      MemberAddress found = MemberAddress.parse(member);
      if (parsed.put(found.node(), found.address()) != null) {
        throw new IllegalArgumentException("Two members have the name " + found.node());
      }
    }
    return with(draft -> draft.members = parsed);
  }

  /**
   * Returns these options with another number of shards. All nodes have the same, and it never
   * changes.
   *
   * @param count 1 to 128
   * @return the options
   * @throws IllegalArgumentException if there are more or fewer
   */
  public ClusterOptions withShards(int count) {
    ShardMap.requireCount(count);
    return with(draft -> draft.shards = count);
  }

  /**
   * Returns these options with another number of copies of each shard. A cluster with more nodes
   * has each shard on that many of them, evened by itself; one with fewer has it on all. The same
   * on every node.
   *
   * <p>Without this, a cluster keeps the number that it has: five if it begins with five members,
   * three otherwise.
   *
   * @param count 3, which survive the loss of one of them, or 5, which survive that of two
   * @return the options
   * @throws IllegalArgumentException if it is another number
   */
  public ClusterOptions withReplicas(int count) {
    if (count != 3 && count != 5) {
      throw new IllegalArgumentException("A shard has 3 or 5 copies, not " + count);
    }
    return with(draft -> draft.replicas = OptionalInt.of(count));
  }

  /**
   * Returns these options with a label of this node. The copies of a shard lie in different zones,
   * and then in different racks, as far as there are such nodes.
   *
   * @param name {@code zone} or {@code rack}
   * @param value where this node is: 1 to 63 characters, without control characters
   * @return the options
   * @throws IllegalArgumentException if it is another name, or no such value
   */
  public ClusterOptions withLabel(String name, String value) {
    if (!LABELS.contains(name)) {
      throw new IllegalArgumentException(
          "A node has the labels " + LABELS + ", not \"" + name + "\"");
    }
    if (value.isBlank() || value.length() > 63 || value.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "The value of a label has 1 to 63 characters, without control characters: \""
              + value
              + "\"");
    }
    return with(
        draft -> {
          Map<String, String> labels = new TreeMap<>(draft.labels);
          labels.put(name, value);
          draft.labels = Collections.unmodifiableMap(labels);
        });
  }

  /**
   * Returns these options with or without evening. With it, as without this call, copies and owners
   * of shards move by themselves when nodes come and go, until each node has as many as the others.
   * Without it, they stay where they are; {@link ClusterRuntime#transfer} moves an owner. The same
   * on every node; {@code ./holdfast cluster balance --off} ends it in a cluster that runs.
   *
   * @param on whether shards are evened
   * @return the options
   */
  public ClusterOptions withBalancing(boolean on) {
    return with(draft -> draft.balancing = on);
  }

  /**
   * Returns these options with another bound of what this node fetches of others: copies of shards
   * that it takes, and what its copies have missed beyond the log. 64 MiB a second without this.
   *
   * @param bytes how many in a second, of all shards together; at least 64 KiB
   * @return the options
   * @throws IllegalArgumentException if it is less
   */
  public ClusterOptions withCopyBytesPerSecond(long bytes) {
    if (bytes < COPY_BYTES_MIN) {
      throw new IllegalArgumentException(
          "At least " + COPY_BYTES_MIN + " bytes are fetched in a second, not " + bytes);
    }
    return with(draft -> draft.copyBytesPerSecond = bytes);
  }

  /**
   * Returns these options with mutual TLS on both ports.
   *
   * @param files certificate, key and authority
   * @return the options
   */
  public ClusterOptions withTls(TlsFiles files) {
    return with(draft -> draft.tls = files);
  }

  /**
   * Returns these options without encryption, also beyond this machine: everybody in that network
   * can read the data and call objects.
   *
   * @return the options
   */
  public ClusterOptions withPlaintextOnAnyNetwork() {
    return with(draft -> draft.plaintextOnAnyNetwork = true);
  }

  /**
   * Returns these options with another failover. On a machine where threads wait for a processor
   * longer than half of it, no owner stays: it is then to be longer.
   *
   * @param silence after how long a node that is silent is given up, from 100 ms to 5 min
   * @return the options
   * @throws IllegalArgumentException if it is shorter or longer
   */
  public ClusterOptions withFailover(Duration silence) {
    if (silence.compareTo(FAILOVER_MIN) < 0 || silence.compareTo(FAILOVER_MAX) > 0) {
      throw new IllegalArgumentException(
          "A failover takes from "
              + FAILOVER_MIN.toMillis()
              + " ms to "
              + FAILOVER_MAX.toMinutes()
              + " min: "
              + silence);
    }
    return with(draft -> draft.failover = silence);
  }

  /**
   * Returns these options with another lease: how long an owner may reply without a proof, where
   * the options of a namespace say {@link dev.holdfast.Consistency#LEASE}. Without such a namespace
   * nobody has a lease.
   *
   * <p>While such calls are made, each shard that gets them has a group in its log every half
   * lease, if nothing is written. The node that takes a shard whose owner was lost acknowledges
   * nothing for 1.1 leases. So the lease of a cluster is a good deal longer than a commit takes,
   * and shorter than the failover. Nodes may have different ones: the log states that of each
   * owner.
   *
   * <p>Leases believe that the clocks of all nodes run at the same rate, to a tenth; {@link
   * dev.holdfast.Consistency#LEASE} says what happens if they do not.
   *
   * @param time from 50 ms to 10 s; fractions of a millisecond do not count
   * @return the options
   * @throws IllegalArgumentException if it is shorter or longer
   */
  public ClusterOptions withLease(Duration time) {
    if (time.compareTo(LEASE_MIN) < 0 || time.compareTo(LEASE_MAX) > 0) {
      throw new IllegalArgumentException(
          "A lease takes from "
              + LEASE_MIN.toMillis()
              + " ms to "
              + LEASE_MAX.toSeconds()
              + " s: "
              + time);
    }
    return with(draft -> draft.lease = time);
  }

  /**
   * Returns these options with another time to find an owner.
   *
   * @param timeout after which a call that has not begun fails, more than zero
   * @return the options
   * @throws IllegalArgumentException if it is zero or negative
   */
  public ClusterOptions withRouteTimeout(Duration timeout) {
    if (!timeout.isPositive()) {
      throw new IllegalArgumentException("The time to find an owner is positive: " + timeout);
    }
    return with(draft -> draft.routeTimeout = timeout);
  }

  /** {@return the name of the cluster} */
  public String cluster() {
    return cluster;
  }

  /**
   * {@return this node}
   *
   * @throws IllegalArgumentException if it was not set, or is neither a member nor has an address,
   *     or two members have a port in common
   */
  public NodeId self() {
    if (node == null || members.isEmpty() || (own == null && !members.containsKey(node))) {
      throw new IllegalArgumentException(
          "This node, "
              + node
              + ", is one of the members, or has an address and waits until one of them adds it;"
              + " they are "
              + members.keySet());
    }
    requirePortsOfTheirOwn(/* ofLogs= */ 1);
    return node;
  }

  /**
   * {@return the client}
   *
   * @throws IllegalArgumentException if it was not set, has the name of a member or of a node,
   *     there are no members, or two have one address
   */
  public NodeId clientName() {
    if (client == null || node != null || members.isEmpty() || members.containsKey(client)) {
      throw new IllegalArgumentException(
          "A client has client(...) with a name that no member has, no node(...), and some of the"
              + " members: client "
              + client
              + ", node "
              + node
              + ", members "
              + members.keySet());
    }
    requirePortsOfTheirOwn(/* ofLogs= */ 0);
    return client;
  }

  /** Each member has two: the port of its logs is the next one, which clients do not use. */
  private void requirePortsOfTheirOwn(int ofLogs) {
    Map<String, NodeId> taken = new HashMap<>();
    addresses()
        .forEach(
            (member, address) -> {
              for (int port = address.getPort(); port <= address.getPort() + ofLogs; port++) {
                NodeId other = taken.put(address.getHostString() + ":" + port, member);
                if (other != null) {
                  throw new IllegalArgumentException(
                      "Members "
                          + other
                          + " and "
                          + member
                          + " have port "
                          + port
                          + " of "
                          + address.getHostString()
                          + " in common: each member has a port for calls, and the next one for its"
                          + " logs");
                }
              }
            });
  }

  /** {@return the members and this node, and where they take calls} */
  public Map<NodeId, InetSocketAddress> addresses() {
    if (node == null || own == null) {
      return members;
    }
    Map<NodeId, InetSocketAddress> all = new LinkedHashMap<>(members);
    all.put(node, own);
    return all;
  }

  /** {@return whether this node is not among the members, and waits until it is added} */
  public boolean isAdded() {
    return node != null && own != null && !members.containsKey(node);
  }

  /** {@return these options for this node, one of the members, if the cluster has it no more} */
  ClusterOptions added() {
    NodeId self = self();
    InetSocketAddress address = addresses().get(self);
    return with(
        draft -> {
          draft.own = address;
          Map<NodeId, InetSocketAddress> others = new LinkedHashMap<>(members);
          others.remove(self);
          draft.members = others;
        });
  }

  /** {@return the number of shards} */
  public int shards() {
    return shards;
  }

  /**
   * {@return how many copies of each shard there are, if there are as many nodes; empty if the
   * cluster keeps the number that it began with}
   */
  public OptionalInt replicas() {
    return replicas;
  }

  /** {@return where this node is, by {@code zone} and {@code rack}; unmodifiable} */
  public Map<String, String> labels() {
    return labels;
  }

  /** {@return whether shards are evened by themselves} */
  public boolean balancing() {
    return balancing;
  }

  /** {@return how many bytes this node fetches of others in a second} */
  public long copyBytesPerSecond() {
    return copyBytesPerSecond;
  }

  /** {@return the files for TLS; null for none} */
  public @Nullable TlsFiles tls() {
    return tls;
  }

  /** {@return whether plaintext is allowed beyond this machine} */
  public boolean plaintextOnAnyNetwork() {
    return plaintextOnAnyNetwork;
  }

  /** {@return after how long a silent node is given up} */
  public Duration failover() {
    return failover;
  }

  /** {@return how long an owner may reply without a proof, where a namespace allows it} */
  public Duration lease() {
    return lease;
  }

  /** {@return after how long a call that finds no owner fails} */
  public Duration routeTimeout() {
    return routeTimeout;
  }

  private ClusterOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return new ClusterOptions(draft);
  }

  /** Options that change, one at a time. */
  private static final class Draft {
    private final String cluster;
    private @Nullable NodeId node;
    private @Nullable NodeId client;
    private @Nullable InetSocketAddress own;
    private Map<NodeId, InetSocketAddress> members = Map.of();
    private int shards = 64;
    private OptionalInt replicas = OptionalInt.empty();
    private Map<String, String> labels = Map.of();
    private boolean balancing = true;
    private long copyBytesPerSecond = 64L << 20;
    private @Nullable TlsFiles tls;
    private boolean plaintextOnAnyNetwork;
    private Duration failover = Duration.ofSeconds(2);
    private Duration lease = Duration.ofMillis(500);
    private Duration routeTimeout = Duration.ofSeconds(10);

    Draft(String cluster) {
      this.cluster = cluster;
    }

    Draft(ClusterOptions from) {
      cluster = from.cluster;
      node = from.node;
      client = from.client;
      own = from.own;
      members = from.members;
      shards = from.shards;
      replicas = from.replicas;
      labels = from.labels;
      balancing = from.balancing;
      copyBytesPerSecond = from.copyBytesPerSecond;
      tls = from.tls;
      plaintextOnAnyNetwork = from.plaintextOnAnyNetwork;
      failover = from.failover;
      lease = from.lease;
      routeTimeout = from.routeTimeout;
    }
  }
}
