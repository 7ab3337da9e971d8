package dev.holdfast.faults;

import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.ConfigurationChangeException;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.Replica;
import dev.holdfast.spi.log.ReplicatedLog;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The log of one shard in memory, for the replicas of several nodes, with every freedom that {@link
 * ReplicatedLog} allows. A test decides by a seed what happens next: each {@link #step} orders a
 * proposal, gives one up, passes an entry to a replica, or spreads a rumour that a node may lead or
 * may not, which need not be true. Nodes fall behind each other as far as chance has it; {@link
 * #drop} takes from the log what they then lack.
 *
 * <p>Thread-safe. Replicas are called without a lock held, by the thread that steps.
 */
public final class SimulatedLog {

  /**
   * How often something happens that a log does not owe anybody, in percent.
   *
   * @param lost a proposal that is next is given up
   * @param told how many of those are said to be refused; the others vanish
   * @param rumours a node hears that it may lead, or may not
   */
  public record Faults(int lost, int told, int rumours) {

    /** A log that only delays. */
    public static final Faults NONE = new Faults(0, 0, 0);
  }

  /**
   * What a node proposes.
   *
   * @param entry the bytes; null for a change of the members
   * @param change the change of the members; null for bytes
   * @param refused called when it is given up
   */
  private record Proposal(@Nullable ByteBuffer entry, @Nullable Change change, Runnable refused) {}

  private record Change(Set<NodeId> expected, Map<NodeId, String> wanted, Runnable agreed) {}

  /** An entry: bytes, or which nodes keep the log from here on. */
  private record Ordered(@Nullable ByteBuffer bytes, @Nullable Configuration configuration) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final @Nullable RandomGenerator random;
  private final Faults faults;
  private final @Nullable Executor thread;

  // Guarded by lock.
  private final List<Ordered> entries = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();
  private final Map<NodeId, Long> compacted = new HashMap<>();
  private final Set<NodeId> known = new HashSet<>();
  private @Nullable Configuration configuration;
  private long dropped;

  private SimulatedLog(@Nullable RandomGenerator random, Faults faults, @Nullable Executor thread) {
    this.random = random;
    this.faults = faults;
    this.thread = thread;
  }

  /**
   * Returns a log in which nothing happens but by {@link #step}.
   *
   * @param random decides what happens next
   * @param faults what it does to its users
   * @return the log
   */
  public static SimulatedLog byChance(RandomGenerator random, Faults faults) {
    return new SimulatedLog(random, faults, null);
  }

  /**
   * Returns a log that orders and passes on whatever is proposed.
   *
   * @param thread the thread that calls replicas; runs one task at a time
   * @return the log
   */
  public static SimulatedLog reliable(Executor thread) {
    return new SimulatedLog(null, Faults.NONE, thread);
  }

  /**
   * Says which nodes keep the log; without this, each one that starts does. Others wait until they
   * are added.
   *
   * @param first the nodes
   * @return this log
   */
  public SimulatedLog keptBy(Collection<NodeId> first) {
    Map<NodeId, String> members = new HashMap<>();
    first.forEach(node -> members.put(node, ""));
    lock.lock();
    try {
      configuration = Configuration.of(Configuration.NO_ENTRY, members);
    } finally {
      lock.unlock();
    }
    return this;
  }

  /**
   * Returns the log as a node sees it, for one run of the node.
   *
   * @param node the node
   * @return the log
   */
  public ReplicatedLog on(NodeId node) {
    lock.lock();
    try {
      known.add(node);
    } finally {
      lock.unlock();
    }
    return new Node(node);
  }

  /** {@return the number of entries, which is the index of the last one} */
  public long lastIndex() {
    lock.lock();
    try {
      return entries.size();
    } finally {
      lock.unlock();
    }
  }

  /** {@return the number of entries that the log has dropped} */
  public long dropped() {
    lock.lock();
    try {
      return dropped;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Drops what two nodes do not need, though others may: these have to fetch it from one that has
   * it.
   */
  public void drop() {
    lock.lock();
    try {
      dropped =
          compacted.values().stream()
              .sorted(Comparator.reverseOrder())
              .skip(1)
              .findFirst()
              .map(index -> Math.max(dropped, index))
              .orElse(dropped);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Lets one thing happen.
   *
   * @return false if nothing is left to do
   */
  public boolean step() {
    RandomGenerator chance = random;
    if (chance == null) {
      throw new IllegalStateException("A reliable log runs on its thread alone.");
    }
    List<Node> busy = busy();
    if (chance.nextInt(100) < faults.rumours()) {
      List<Node> all = all();
      if (!all.isEmpty()) {
        all.get(chance.nextInt(all.size())).mayLead(chance.nextBoolean());
      }
      return true;
    }
    if (busy.isEmpty()) {
      return false;
    }
    Node node = busy.get(chance.nextInt(busy.size()));
    if (node.hasTransfer() && chance.nextBoolean()) {
      if (chance.nextInt(100) < faults.lost()) {
        node.takeTransfer();
      } else {
        transfer(node);
      }
      return true;
    }
    boolean orders = node.hasProposals() && (!node.isBehind() || chance.nextBoolean());
    if (!orders) {
      node.deliver(/* mustWork= */ false);
    } else if (chance.nextInt(100) < faults.lost()) {
      boolean isTold = chance.nextInt(100) < faults.told();
      node.giveUp(isTold, isTold && chance.nextBoolean());
    } else {
      node.order();
    }
    return true;
  }

  /**
   * Orders what a node has proposed, and passes it to no replica.
   *
   * @param node the node
   */
  public void order(NodeId node) {
    for (Node each : all()) {
      while (each.id.equals(node) && each.hasProposals()) {
        each.order();
      }
    }
  }

  /**
   * Passes what is ordered to one node, and to no other.
   *
   * @param node the node
   */
  public void pass(NodeId node) {
    for (Node each : all()) {
      while (each.id.equals(node) && each.isBehind() && !each.lacksDropped()) {
        each.deliver(/* mustWork= */ false);
      }
    }
  }

  /**
   * Gives up what a node has proposed, and says so.
   *
   * @param node the node
   */
  public void giveUp(NodeId node) {
    for (Node each : all()) {
      while (each.id.equals(node) && each.hasProposals()) {
        each.giveUp(/* isTold= */ true, /* isKept= */ false);
      }
    }
  }

  /**
   * Keeps all entries for a node again, whose copy of the shard is lost.
   *
   * @param node the node, which does not run
   */
  public void forget(NodeId node) {
    lock.lock();
    try {
      compacted.remove(node);
    } finally {
      lock.unlock();
    }
  }

  /** Orders everything that is proposed, and passes it to every replica. */
  public void settle() {
    for (List<Node> busy = busy(); !busy.isEmpty(); busy = busy()) {
      for (Node node : busy) {
        node.order();
        node.deliver(/* mustWork= */ true);
        if (!node.hasProposals()) {
          transfer(node);
        }
      }
    }
  }

  private List<Node> all() {
    lock.lock();
    try {
      return List.copyOf(nodes);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Appends a proposal, with the lock held.
   *
   * @return what is to be said without the lock
   */
  private Runnable append(Proposal next) {
    Change change = next.change();
    if (change == null) {
      entries.add(new Ordered(next.entry(), null));
      return () -> {};
    }
    Configuration last = configuration;
    if (last == null || !last.members().keySet().equals(change.expected())) {
      return next.refused();
    }
    Configuration agreed = Configuration.of(entries.size() + 1L, change.wanted());
    entries.add(new Ordered(null, agreed));
    configuration = agreed;
    return change.agreed();
  }

  private List<Node> busy() {
    return all().stream().filter(Node::isBusy).toList();
  }

  /** Lets another node lead, if it runs. */
  private void transfer(Node from) {
    NodeId to = from.takeTransfer();
    if (to == null) {
      return;
    }
    List<Node> targets = all().stream().filter(node -> node.id.equals(to)).toList();
    if (!targets.isEmpty()) {
      from.mayLead(false);
      targets.forEach(node -> node.mayLead(true));
    }
  }

  /** One run of a node. */
  private final class Node implements ReplicatedLog {

    private final NodeId id;
    private final Deque<Proposal> proposals = new ArrayDeque<>(); // guarded by lock
    private @Nullable Replica replica; // guarded by lock
    private long passed; // guarded by lock
    private @Nullable NodeId transfer; // guarded by lock
    private boolean isStopped; // guarded by lock

    Node(NodeId id) {
      this.id = id;
    }

    @Override
    public void start(Replica started) {
      long applied = started.appliedIndex().orElse(0); // the first entry has the index 1
      lock.lock();
      try {
        if (applied < compacted.getOrDefault(id, 0L) || applied > entries.size()) {
          throw new AssertionError(
              "Node "
                  + id
                  + " has entry "
                  + applied
                  + ", but the log has dropped those up to "
                  + compacted.get(id)
                  + " for it and has "
                  + entries.size());
        }
        passed = applied;
        replica = started;
        nodes.add(this);
      } finally {
        lock.unlock();
      }
      wake();
    }

    private void wake() {
      if (thread != null) {
        thread.execute(SimulatedLog.this::settle);
      }
    }

    @Override
    public void propose(ByteBuffer entry, Runnable refused) {
      if (entry.remaining() > ENTRY_BYTES_MAX) {
        throw new IllegalArgumentException("An entry has " + entry.remaining() + " bytes.");
      }
      ByteBuffer bytes = ByteBuffer.allocate(entry.remaining()).put(entry.duplicate()).flip();
      offer(new Proposal(bytes, null, refused));
    }

    private void offer(Proposal proposal) {
      lock.lock();
      try {
        if (nodes.contains(this) && !isStopped) {
          proposals.add(proposal);
        }
      } finally {
        lock.unlock();
      }
      wake();
    }

    @Override
    public void compactTo(long index) {
      lock.lock();
      try {
        if (index > passed) {
          throw new AssertionError("Node " + id + " has not applied entry " + index);
        }
        compacted.merge(id, index, Math::max);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public boolean mayHave(long index) {
      lock.lock();
      try {
        return index > dropped;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void transferTo(NodeId node) {
      lock.lock();
      try {
        transfer = isStopped || node.equals(id) ? null : node;
      } finally {
        lock.unlock();
      }
      wake();
    }

    @Override
    public Configuration configuration() {
      lock.lock();
      try {
        Configuration last = configuration;
        return last == null ? Configuration.of(Configuration.NO_ENTRY, Map.of()) : last;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public CompletableFuture<Void> change(Configuration expected, Map<NodeId, String> wanted) {
      CompletableFuture<Void> done = new CompletableFuture<>();
      Change change =
          new Change(
              Set.copyOf(expected.members().keySet()),
              Map.copyOf(wanted),
              () -> done.complete(null));
      Runnable refused =
          () ->
              done.completeExceptionally(
                  new ConfigurationChangeException("The log gave the change up. Repeat it", null));
      offer(new Proposal(null, change, refused));
      return done;
    }

    @Override
    public void abandon(RuntimeException why) {
      lock.lock();
      try {
        isStopped = true;
        giveUpAll();
      } finally {
        lock.unlock();
      }
    }

    /** Of what is proposed, the log may keep a beginning. */
    @Override
    public void close() {
      lock.lock();
      try {
        nodes.remove(this);
        giveUpAll();
      } finally {
        lock.unlock();
      }
    }

    private void giveUpAll() {
      int kept = random == null ? 0 : random.nextInt(proposals.size() + 1);
      for (int i = 0; i < kept && isMember(); i++) {
        Runnable _ = append(proposals.remove()); // the node is gone, and hears nothing
      }
      proposals.clear();
      transfer = null;
    }

    boolean isBusy() {
      return hasProposals() || isBehind() || hasTransfer();
    }

    boolean hasTransfer() {
      lock.lock();
      try {
        return transfer != null;
      } finally {
        lock.unlock();
      }
    }

    @Nullable NodeId takeTransfer() {
      lock.lock();
      try {
        NodeId taken = transfer;
        transfer = null;
        return taken;
      } finally {
        lock.unlock();
      }
    }

    boolean hasProposals() {
      lock.lock();
      try {
        return !proposals.isEmpty();
      } finally {
        lock.unlock();
      }
    }

    /** With the lock held. */
    private boolean isMember() {
      Configuration last = configuration;
      return last == null || last.members().containsKey(id);
    }

    boolean isBehind() {
      lock.lock();
      try {
        return !isStopped && isMember() && passed < entries.size();
      } finally {
        lock.unlock();
      }
    }

    void order() {
      Runnable said;
      lock.lock();
      try {
        Proposal next = proposals.poll();
        said = next == null ? () -> {} : isMember() ? append(next) : next.refused();
      } finally {
        lock.unlock();
      }
      said.run();
    }

    /**
     * @param isKept whether it is in the log all the same
     */
    void giveUp(boolean isTold, boolean isKept) {
      Proposal next;
      lock.lock();
      try {
        next = proposals.poll();
        if (next != null && isKept && isMember()) {
          Runnable _ = append(next); // it is said to be refused all the same
        }
      } finally {
        lock.unlock();
      }
      if (next != null && isTold) {
        next.refused().run();
      }
    }

    /**
     * @param mustWork whether it is an error if what the log has dropped cannot be fetched now
     */
    void deliver(boolean mustWork) {
      if (lacksDropped()) {
        try {
          fetch();
        } catch (RuntimeException e) {
          if (mustWork) {
            throw e;
          }
        }
        return;
      }
      Ordered entry;
      long index;
      Replica target;
      lock.lock();
      try {
        target = replica;
        if (target == null || !isBehind()) {
          return;
        }
        entry = entries.get((int) passed);
        index = ++passed;
      } finally {
        lock.unlock();
      }
      try {
        ByteBuffer bytes = entry.bytes();
        Configuration agreed = entry.configuration();
        if (bytes != null) {
          target.apply(index, bytes.asReadOnlyBuffer());
        } else if (agreed != null) {
          target.configured(agreed);
        }
      } catch (RuntimeException e) {
        lock.lock();
        try {
          isStopped = true;
        } finally {
          lock.unlock();
        }
      }
    }

    private boolean lacksDropped() {
      lock.lock();
      try {
        return !isStopped && replica != null && passed < dropped;
      } finally {
        lock.unlock();
      }
    }

    /** Lets the replica take what the log has dropped from another node. */
    private void fetch() {
      Replica target;
      long atLeast;
      lock.lock();
      try {
        target = replica;
        atLeast = dropped;
      } finally {
        lock.unlock();
      }
      Replica.Fetched fetched = target == null ? null : target.fetch(atLeast);
      if (fetched == null) {
        throw new IllegalStateException("Node " + id + " takes nothing from other nodes.");
      }
      try {
        fetched.install();
      } catch (RuntimeException e) {
        lock.lock();
        try {
          isStopped = true;
        } finally {
          lock.unlock();
        }
        return;
      }
      lock.lock();
      try {
        passed = Math.max(passed, fetched.place().index());
        compacted.merge(id, fetched.place().index(), Math::max);
      } finally {
        lock.unlock();
      }
    }

    /** What a replica has applied and not made durable may have to come from another one. */
    @Override
    public OptionalLong heldByAll() {
      lock.lock();
      try {
        return known.stream().mapToLong(each -> compacted.getOrDefault(each, 0L)).min();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public OptionalLong termOf(long index) {
      return OptionalLong.of(0); // it has no leaderships
    }

    void mayLead(boolean yes) {
      Replica target;
      lock.lock();
      try {
        target = isStopped ? null : replica;
      } finally {
        lock.unlock();
      }
      if (target != null) {
        target.mayLead(yes);
      }
    }
  }
}
