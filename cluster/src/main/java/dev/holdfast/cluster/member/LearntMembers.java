package dev.holdfast.cluster.member;

import dev.holdfast.cluster.call.Members;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * The members as a client has heard of them: those that keep any shard. Until it has heard of each
 * shard, those of its options count, too. Nothing is kept beyond the process. Thread-safe.
 */
public final class LearntMembers implements Members {

  private static final Comparator<NodeId> BY_NAME = Comparator.comparing(NodeId::name);

  private final Map<NodeId, InetSocketAddress> first;

  private final Map<Integer, Configuration> keepers = new HashMap<>(); // guarded by this
  private volatile List<NodeId> nodes;
  private volatile Map<NodeId, InetSocketAddress> addresses;
  private volatile int shards;
  private volatile long lineage = UNKNOWN_LINEAGE;
  private volatile Runnable missed = () -> {};

  /**
   * Begins with the members of the options.
   *
   * @param first some of the members, and where they take calls; these addresses win over those
   *     that the members know
   */
  public LearntMembers(Map<NodeId, InetSocketAddress> first) {
    this.first = Map.copyOf(first);
    this.nodes = first.keySet().stream().sorted(BY_NAME).toList();
    this.addresses = this.first;
  }

  /**
   * Names what is called when a call has found no owner.
   *
   * @param action does not block
   */
  public void onMissed(Runnable action) {
    missed = action;
  }

  /**
   * Learns which nodes keep shards.
   *
   * @param said what a member has heard: of two configurations of a shard, the one with the lower
   *     index has no effect
   */
  public synchronized void learn(Map<Integer, Configuration> said) {
    said.forEach(
        (shard, configuration) ->
            keepers.merge(
                shard, configuration, (old, now) -> now.index() > old.index() ? now : old));
    Map<NodeId, InetSocketAddress> known = new HashMap<>();
    keepers
        .values()
        .forEach(
            each ->
                each.members()
                    .forEach(
                        (node, log) -> known.computeIfAbsent(node, _ -> MemberAddress.ofLog(log))));
    Set<NodeId> all = new TreeSet<>(BY_NAME);
    all.addAll(known.keySet());
    if (keepers.size() < shards) {
      all.addAll(first.keySet());
    }
    known.putAll(first);
    addresses = Map.copyOf(known);
    nodes = List.copyOf(all);
  }

  /** {@return the members, and then those of the options that are none any more} */
  public List<NodeId> asked() {
    List<NodeId> asked = new ArrayList<>(nodes);
    first.keySet().stream()
        .filter(each -> !asked.contains(each))
        .sorted(BY_NAME)
        .forEach(asked::add);
    return asked;
  }

  /** {@return the number of shards; 0 before a member has said it} */
  public int shards() {
    return shards;
  }

  @Override
  public List<NodeId> nodes() {
    return nodes;
  }

  @Override
  public synchronized List<NodeId> copiesOf(int shard) {
    Configuration known = keepers.get(shard);
    return known == null ? nodes : List.copyOf(known.members().keySet());
  }

  @Override
  public Optional<InetSocketAddress> addressOf(NodeId node) {
    return Optional.ofNullable(addresses.get(node));
  }

  @Override
  public OptionalLong incarnationOf(NodeId node) {
    return OptionalLong.empty();
  }

  @Override
  public boolean met(NodeId node, long incarnation, long opening) {
    return true; // the members know each other
  }

  @Override
  public boolean isBeingMade() {
    return false;
  }

  @Override
  public OptionalLong learntLineage() {
    return OptionalLong.of(lineage);
  }

  @Override
  public synchronized void learnLineage(long said) {
    if (lineage == UNKNOWN_LINEAGE) {
      lineage = said;
    }
  }

  @Override
  public synchronized int learnShards(int said) {
    if (shards == 0) {
      shards = said;
    }
    return shards;
  }

  @Override
  public void lookAgain() {
    missed.run();
  }
}
