package dev.holdfast.cluster.member;

import dev.holdfast.cluster.call.Members;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.placement.PlacementRules;
import dev.holdfast.journal.replica.LogEntry;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * The members of the cluster and which of them keep each shard, as the logs of the shards say: a
 * node that keeps any shard is a member. A shard whose log has not said anything yet has members of
 * the options. What a majority has agreed is kept in the file {@code node}, so that a node that is
 * opened again knows which nodes it may let in. Of shards that it does not keep, a node hears from
 * others; of two, the one with the higher index of its entry is the later one. Thread-safe.
 */
public final class MemberBook implements Members, AutoCloseable {

  /** Hears of changes, without a lock held. */
  public interface Listener {

    /**
     * The members are others now.
     *
     * @param joined the new ones
     * @param gone those that are no members any more
     */
    void changed(List<NodeId> joined, List<NodeId> gone);
  }

  private static final Comparator<NodeId> BY_NAME = Comparator.comparing(NodeId::name);

  private static final int REPLICAS_MIN = 3;

  /** Each write waits for a majority of them. */
  private static final int COPIES_MAX = 5;

  private final NodeFile file;
  private final NodeId self;
  private final Map<NodeId, InetSocketAddress> own;
  private final FirstMembers first;
  private final int replicas;
  private final int shards;
  private final int newestEntries;

  /** The newest version of entries that a node reads, as it has said since this one was opened. */
  private final Map<NodeId, Integer> read = new ConcurrentHashMap<>();

  private final Set<NodeId> callers = ConcurrentHashMap.newKeySet();

  /** What the logs of the shards say now, perhaps not agreed yet. */
  private final Map<Integer, Supplier<Configuration>> logs = new ConcurrentHashMap<>();

  /** Nodes that are about to be added, and where they take calls. */
  private final Map<NodeId, InetSocketAddress> candidates = new ConcurrentHashMap<>();

  private final Map<Integer, Configuration> agreed = new HashMap<>(); // guarded by this
  private volatile boolean isOpen;
  private volatile List<NodeId> members;
  private volatile Map<NodeId, InetSocketAddress> addresses = Map.of();
  private volatile Listener listener = (_, _) -> {};

  /**
   * Creates a book with what the file says.
   *
   * @param file of this node
   * @param self this node
   * @param own where this node finds others and itself, by its options; these addresses win over
   *     those that the logs know
   * @param shards the number of shards
   * @param newestEntries the newest version of entries of the logs that this node reads
   */
  public MemberBook(
      NodeFile file,
      NodeId self,
      Map<NodeId, InetSocketAddress> own,
      int shards,
      int newestEntries) {
    this.newestEntries = newestEntries;
    this.file = file;
    this.self = self;
    this.own = Map.copyOf(own);
    this.first =
        new FirstMembers(
            own.keySet().stream()
                .filter(node -> !file.isAdded() || !node.equals(self))
                .sorted(BY_NAME)
                .toList(),
            shards);
    this.shards = shards;
    for (int shard = 0; shard < shards; shard++) {
      int number = shard;
      file.configurationOf(shard).ifPresent(known -> agreed.put(number, known));
    }
    this.replicas = replicas(file);
    this.members = union();
    this.addresses = agreedAddresses();
  }

  /**
   * Forgets the rest of the node. Ratis never frees the native contexts of its TLS, and each of
   * them keeps this book in memory.
   */
  @Override
  public void close() {
    listener = (_, _) -> {};
    logs.clear();
  }

  /**
   * Names the listener of changes from now on.
   *
   * @param told the listener
   */
  public void onChange(Listener told) {
    listener = told;
  }

  /**
   * Looks also at what a log says that is not agreed yet: while a change is under way, a majority
   * may need a node that this one does not count as a member yet.
   *
   * @param shard the shard
   * @param newest gives the configuration of its log
   */
  public void follow(int shard, Supplier<Configuration> newest) {
    logs.put(shard, newest);
  }

  /**
   * Looks at a log no more: this node keeps the shard no more.
   *
   * @param shard the shard
   */
  public void unfollow(int shard) {
    logs.remove(shard);
  }

  /**
   * The nodes that keep a shard have changed: a majority has agreed.
   *
   * @param shard the shard
   * @param configuration the nodes; of two, the one with the lower index has no effect
   * @throws dev.holdfast.errors.DataDirectoryException if that cannot be recorded; it has effect
   *     until this node is closed
   */
  public void configured(int shard, Configuration configuration) {
    List<NodeId> joined;
    List<NodeId> gone;
    RuntimeException failure = null;
    synchronized (this) {
      Configuration last = agreed.get(shard);
      if (last != null && last.index() >= configuration.index()) {
        return;
      }
      List<NodeId> before = members;
      agreed.put(shard, configuration);
      List<NodeId> after = union();
      joined = after.stream().filter(node -> !before.contains(node)).toList();
      // No verdict: what this node has heard of other shards may be older. That a node is removed
      // is said.
      gone = before.stream().filter(node -> !after.contains(node) && !node.equals(self)).toList();
      try {
        file.configured(Map.of(shard, configuration));
      } catch (RuntimeException e) {
        failure = e;
      }
      members = after;
      addresses = agreedAddresses();
      candidates.keySet().removeAll(after);
    }
    if (!joined.isEmpty() || !gone.isEmpty()) {
      listener.changed(joined, gone);
    }
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * A file of a version before this one does not say it. A node that is added learns it with its
   * first copy, and another one says it when the cluster is made.
   */
  private int replicas(NodeFile from) {
    int known = agreed.values().stream().mapToInt(each -> each.members().size()).max().orElse(0);
    boolean hasMost = agreed.isEmpty() ? first.nodes().size() == COPIES_MAX : known >= COPIES_MAX;
    int most = hasMost ? COPIES_MAX : REPLICAS_MIN;
    if (from.hasJoined() && !agreed.isEmpty() && from.replicas().isEmpty()) {
      from.replicas(most);
    }
    return from.replicas().orElse(most);
  }

  /**
   * The cluster is made, and this node begins its logs: from now on the first nodes of each shard
   * are those of now, whatever the options say later.
   *
   * @throws dev.holdfast.errors.DataDirectoryException if that cannot be recorded
   */
  public synchronized void begin() {
    file.replicas(replicas);
    Map<Integer, Configuration> made = new HashMap<>();
    for (int shard = 0; shard < shards; shard++) {
      if (!agreed.containsKey(shard)) {
        Map<NodeId, String> logs = new HashMap<>();
        firstOf(shard)
            .forEach(node -> logs.put(node, new MemberAddress(node, at(node, own)).logText()));
        made.put(shard, Configuration.of(Configuration.NO_ENTRY, logs));
      }
    }
    file.configured(made);
    agreed.putAll(made);
  }

  /** With the lock held, or before anybody else sees this. */
  private List<NodeId> union() {
    Set<NodeId> all = new TreeSet<>(BY_NAME);
    boolean waits = waits();
    for (int shard = 0; shard < shards; shard++) {
      Configuration known = agreed.get(shard);
      if (known != null) {
        all.addAll(known.members().keySet());
      }
      if (known == null || waits) {
        all.addAll(first.nodes()); // until a shard has this node, what it knows may be long ago
      }
    }
    return List.copyOf(all);
  }

  /** {@return the number of shards} */
  public int shards() {
    return shards;
  }

  @Override
  public int replicas() {
    return file.replicas().orElse(replicas);
  }

  /**
   * {@return how many nodes are to keep each shard of a cluster of a size: more than {@link
   * #replicas} if some node would have no shard otherwise}
   *
   * @param nodes the number of nodes
   */
  public int copiesWanted(int nodes) {
    return Math.max(replicas(), Math.min(COPIES_MAX, (nodes + shards - 1) / shards));
  }

  /**
   * {@return the largest number of nodes of a cluster: each has a shard}
   *
   * @param shards how many shards it has
   */
  public static int nodesMax(int shards) {
    return shards * COPIES_MAX;
  }

  /** {@return the first nodes that each other one meets before it begins} */
  List<NodeId> founders() {
    return first.founders();
  }

  /**
   * {@return the nodes that keep a shard when the cluster is made}
   *
   * @param shard the shard
   */
  List<NodeId> firstOf(int shard) {
    return first.copiesOf(shard, copiesWanted(first.nodes().size()));
  }

  /**
   * {@return the first nodes of a shard whose log has said nothing yet, and where their logs are,
   * if this node is one of them; otherwise nothing: the log says it, or others do}
   *
   * @param shard the shard
   */
  public synchronized Map<NodeId, InetSocketAddress> firstLogsOf(int shard) {
    Map<NodeId, InetSocketAddress> logs = new HashMap<>();
    Configuration known = agreed.get(shard);
    if (!file.isAdded()
        && keeps(shard)
        && (known == null || known.index() == Configuration.NO_ENTRY)) {
      copiesOf(shard).forEach(node -> logs.put(node, MemberAddress.logOf(logAddress(node))));
    }
    return logs;
  }

  private InetSocketAddress logAddress(NodeId node) {
    InetSocketAddress configured = own.get(node);
    return configured == null ? at(node, addresses) : configured;
  }

  @Override
  public synchronized List<NodeId> copiesOf(int shard) {
    Configuration known = agreed.get(shard);
    if (known != null) {
      return List.copyOf(known.members().keySet());
    }
    return file.isAdded() ? first.nodes() : firstOf(shard);
  }

  /**
   * {@return whether this node keeps a shard, as far as it has heard}
   *
   * @param shard the shard
   */
  public boolean keeps(int shard) {
    return copiesOf(shard).contains(self);
  }

  /**
   * {@return the shards of this node of which a majority of the copies is not there}
   *
   * @param isThere whether a node is
   */
  List<Integer> shardsWithoutMajority(Predicate<NodeId> isThere) {
    return IntStream.range(0, shards)
        .filter(this::keeps)
        .filter(
            shard -> {
              List<NodeId> copies = copiesOf(shard);
              return copies.stream().filter(isThere).count() < copies.size() / 2 + 1;
            })
        .boxed()
        .toList();
  }

  /** {@return how many shards this node keeps} */
  int keptShards() {
    return (int) IntStream.range(0, shards).filter(this::keeps).count();
  }

  /** {@return whether this node was added, or waits for that} */
  boolean isAdded() {
    return file.isAdded();
  }

  /**
   * {@return which nodes keep a shard, as a majority has agreed; empty if this node has heard
   * nothing}
   *
   * @param shard the shard
   */
  public synchronized Optional<Configuration> configurationOf(int shard) {
    return Optional.ofNullable(agreed.get(shard));
  }

  /**
   * Takes the number of copies that the cluster has, if this node does not know it.
   *
   * @param number as a member has said
   * @throws dev.holdfast.errors.DataDirectoryException if that cannot be recorded
   */
  public void learnReplicas(int number) {
    if (file.replicas().isEmpty()) {
      file.replicas(number);
    }
  }

  /**
   * A node was removed from the cluster: its directory is refused from now on.
   *
   * @param node the node
   * @param incarnation of its directory, if it is known
   * @throws dev.holdfast.errors.DataDirectoryException if that cannot be recorded
   */
  public void removed(NodeId node, OptionalLong incarnation) {
    file.removed(node, incarnation);
    boolean isOther =
        node.equals(self)
            && incarnation.isPresent()
            && incarnation.getAsLong() != file.incarnation();
    if (!isOther) { // else this directory has taken the place of that one
      listener.changed(List.of(), List.of(node));
    }
  }

  /** {@return what operators have said about placement, as far as this node has heard} */
  public PlacementRules rules() {
    return file.rules();
  }

  /**
   * Takes what operators have said about placement, if it is later than what this node has.
   *
   * @param said the rules
   * @throws dev.holdfast.errors.DataDirectoryException if that cannot be recorded
   */
  public void rules(PlacementRules said) {
    file.rules(said);
  }

  /** {@return the incarnations of the directories of nodes, as far as they have come here} */
  public Map<NodeId, Long> directories() {
    Map<NodeId, Long> known = file.directories();
    known.put(self, file.incarnation());
    return known;
  }

  /** {@return the incarnations of directories of nodes that were removed, by their names} */
  public Map<NodeId, Set<Long>> removedDirectories() {
    return file.removedDirectories();
  }

  /** With the lock held, or before anybody else sees this. */
  private Map<NodeId, InetSocketAddress> agreedAddresses() {
    Map<NodeId, InetSocketAddress> all = new HashMap<>();
    agreed.values().forEach(each -> addAddresses(each, all));
    first.nodes().forEach(node -> all.putIfAbsent(node, at(node, own)));
    all.keySet().retainAll(members);
    all.replaceAll((node, known) -> own.getOrDefault(node, known));
    return Map.copyOf(all);
  }

  private static InetSocketAddress at(NodeId node, Map<NodeId, InetSocketAddress> known) {
    InetSocketAddress found = known.get(node);
    if (found == null) {
      throw new IllegalArgumentException("No address of node " + node + " is known.");
    }
    return found;
  }

  private static void addAddresses(
      Configuration configuration, Map<NodeId, InetSocketAddress> target) {
    configuration
        .members()
        .forEach((node, log) -> target.computeIfAbsent(node, _ -> MemberAddress.ofLog(log)));
  }

  private void addNewest(Map<NodeId, InetSocketAddress> target) {
    logs.values().forEach(log -> addAddresses(log.get(), target));
  }

  @Override
  public int newestEntries() {
    return newestEntries;
  }

  @Override
  public int agreedEntries() {
    return IntStream.range(0, shards).map(file::agreedVersion).max().orElse(LogEntry.VERSION_MIN);
  }

  /**
   * Refuses logs that a newer version wrote: this node would stop at their first entry.
   *
   * @throws ClusterException if it does not read what the cluster writes
   */
  public void requireReadable() {
    if (agreedEntries() > newestEntries) {
      throw new ClusterException(
          Reason.VERSION,
          "The versions do not meet: the cluster writes entries of the logs in version "
              + agreedEntries()
              + ", and this node reads them up to version "
              + newestEntries
              + ". Install the version of Holdfast that the other nodes have.",
          null);
    }
  }

  @Override
  public void reads(NodeId node, int newest) {
    read.put(node, newest);
  }

  @Override
  public void called(NodeId node) {
    callers.add(node);
  }

  /** {@return whether a node has called this one since this one was opened} */
  boolean hasHeard(NodeId node) {
    return callers.contains(node);
  }

  /**
   * {@return the version of entries that the owner of a shard has agreed on last}
   *
   * @param shard the shard
   */
  public int agreedVersion(int shard) {
    return file.agreedVersion(shard);
  }

  /**
   * Returns the version that this node writes in a shard if it owns it: the newest one that all
   * members read. One that has not said it since this node was opened reads the last one; a first
   * one that has never come has nothing, and is refused if it cannot read what it finds.
   *
   * @param shard the shard
   * @return the version; never lower than the last one
   */
  public synchronized int versionToAgree(int shard) {
    int last = file.agreedVersion(shard);
    Configuration known = agreed.get(shard);
    int lowest = newestEntries;
    for (NodeId node : known == null ? members : known.members().keySet()) {
      if (!node.equals(self) && !isAwaited(node)) {
        lowest = Math.min(lowest, read.getOrDefault(node, last));
      }
    }
    return Math.max(last, lowest);
  }

  /** {@return whether a first node has begun nowhere, as it has never come to this one} */
  private boolean isAwaited(NodeId node) {
    return !file.isAdded()
        && first.isMetByAll(self)
        && first.nodes().contains(node)
        && file.incarnationOf(node).isEmpty()
        && !file.wasRemoved(node);
  }

  /**
   * Records durably which version of entries the owner of a shard writes.
   *
   * @param shard the shard
   * @param version the version; one that is lower than the last has no effect
   * @throws dev.holdfast.errors.DataDirectoryException if that cannot be recorded
   */
  public void agreedVersion(int shard, int version) {
    file.agreedVersion(shard, version);
  }

  /** {@return whether this node waits to be added: no shard counts it as a member yet} */
  @Override
  public synchronized boolean waits() {
    return file.isAdded()
        && agreed.values().stream().noneMatch(each -> each.members().containsKey(self));
  }

  /** The logs of this node are open: it can be added. */
  public void opened() {
    isOpen = true;
  }

  @Override
  public boolean isStarting() {
    return !isOpen && waits();
  }

  @Override
  public boolean wasRemoved(NodeId name) {
    return file.wasRemoved(name);
  }

  /**
   * Lets a node in that is about to be added.
   *
   * @param node the node
   * @param address where it takes calls
   * @throws ClusterException if a node of that name was removed
   */
  public void admit(NodeId node, InetSocketAddress address) {
    if (file.wasRemoved(node) && !file.removedDirectories().containsKey(node)) {
      throw new ClusterException(
          Reason.REMOVED,
          "A node "
              + node
              + " was removed, and members that are away know its directory. Give the new node"
              + " another name.",
          null);
    }
    candidates.put(node, address);
  }

  /**
   * Lets a node in no more that was not added. Does nothing to a member.
   *
   * @param node the node
   */
  public void dismiss(NodeId node) {
    candidates.remove(node);
  }

  /**
   * {@return every node that may connect to the log of a shard, and where its logs are: the
   * members, those of a change that is under way, those that are about to be added, and this node}
   */
  public Map<NodeId, InetSocketAddress> logAddresses() {
    Map<NodeId, InetSocketAddress> all = new HashMap<>(addresses);
    all.putAll(candidates);
    addNewest(all);
    // The leader may be a node that was added while this one was away: the options may name it.
    own.forEach(
        (node, address) -> {
          if (!file.wasRemoved(node)) {
            all.putIfAbsent(node, address);
          }
        });
    all.replaceAll((node, known) -> MemberAddress.logOf(own.getOrDefault(node, known)));
    return all;
  }

  @Override
  public List<NodeId> nodes() {
    return members;
  }

  @Override
  public Optional<InetSocketAddress> addressOf(NodeId node) {
    InetSocketAddress known = addresses.get(node);
    known = known == null ? candidates.get(node) : known;
    if (known == null) {
      Map<NodeId, InetSocketAddress> newest = new HashMap<>();
      addNewest(newest);
      known = newest.get(node);
    }
    return Optional.ofNullable(known);
  }

  @Override
  public boolean isBeingMade() {
    return !file.hasJoined() && !file.isAdded();
  }

  @Override
  public Optional<String> begunWith() {
    return isBeingMade() ? Optional.empty() : file.agreedBeginning();
  }

  @Override
  public boolean isOfFirst(NodeId node) {
    return first.has(node, file.agreedBeginning());
  }

  @Override
  public boolean isRemoved(NodeId node, long incarnation) {
    return file.isRemoved(node, incarnation);
  }

  @Override
  public OptionalLong learntLineage() {
    return file.isAdded()
        ? OptionalLong.of(file.learntLineage().orElse(UNKNOWN_LINEAGE))
        : OptionalLong.empty();
  }

  @Override
  public void learnLineage(long lineage) {
    file.learnLineage(lineage);
  }

  @Override
  public OptionalLong incarnationOf(NodeId node) {
    return file.incarnationOf(node);
  }

  @Override
  public boolean met(NodeId node, long incarnation, long opening) {
    boolean isSame = file.met(node, incarnation, opening);
    if (isSame && isBeingMade()) {
      file.agreeBeginning(first.text(replicas()));
    }
    return isSame;
  }

  /**
   * Refuses to begin with something else than what another node has heard of this one, which may
   * have begun: there could be two majorities.
   *
   * @throws ClusterException if it was something else
   */
  public void requireAgreedBeginning() {
    Optional<String> agreedFirst = isBeingMade() ? file.agreedBeginning() : Optional.empty();
    if (agreedFirst.isPresent() && !agreedFirst.get().equals(first.text(replicas()))) {
      throw new ClusterException(
          Reason.MEMBERS,
          "Node "
              + self
              + " has met others to begin with the members "
              + agreedFirst.get()
              + ", and they may have begun. Open it with the same list, not with "
              + first.text(replicas())
              + ". If the cluster has never been ready, and is to have others: close all nodes,"
              + " delete their directories, and begin again.",
          null);
    }
  }
}
