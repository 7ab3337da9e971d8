package dev.holdfast.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.ConfigurationChangeException;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.Replica;
import dev.holdfast.spi.log.ReplicatedLog;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the journal of a shard may expect of any replicated log, with three nodes. A log may refuse
 * and lose proposals at any time; nothing here expects that it does not.
 */
public abstract class ReplicatedLogContract {

  private static final List<NodeId> NODES =
      List.of(new NodeId("a"), new NodeId("b"), new NodeId("c"));

  /** After this a log has stopped working. */
  private static final long PATIENCE_SECONDS = 60;

  private static final int ATTEMPTS_MAX = 1_000_000;

  @TempDir private Path directory;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<Node> nodes = new ArrayList<>();
  private @Nullable Shard shard;
  private int markers;

  /** A shard under test. */
  protected interface Shard extends AutoCloseable {

    /**
     * Returns the log as a node sees it, for one run of the node.
     *
     * @param node the node
     * @return the log
     */
    ReplicatedLog on(NodeId node);

    /**
     * {@return where the log reaches a node that is added: "d"}
     *
     * @param node the node
     */
    String addressOf(NodeId node);

    /**
     * {@return whether threads of the log's own work on; otherwise {@link #progress} does all there
     * is to do}
     */
    boolean hasThreads();

    /** Does what is left to do, in a log without threads. */
    void progress();

    /**
     * Closes what is open, now or with other shards at the end: to close a log may take a second.
     */
    @Override
    void close();
  }

  /** For subclasses. */
  protected ReplicatedLogContract() {}

  /**
   * Opens an empty shard.
   *
   * @param place an empty directory
   * @param members its three nodes
   * @return the shard
   */
  protected abstract Shard open(Path place, List<NodeId> members);

  @BeforeEach
  void openEmpty() {
    Shard opened = open(directory, NODES);
    shard = opened;
    for (NodeId id : NODES) {
      Node node = new Node(id);
      nodes.add(node);
      node.start(0);
    }
  }

  @AfterEach
  void close() {
    if (shard != null) {
      shard.close();
    }
  }

  @Test
  void entriesOfOneProposerKeepTheirOrder() {
    settle(nodes);
    Node proposer = proposer(nodes);
    for (int i = 0; i < 300; i++) {
      proposer.propose("entry " + i);
    }
    settle(nodes);

    for (Node node : nodes) {
      List<Integer> numbers = node.numbers();
      assertThat(numbers).isSorted().doesNotHaveDuplicates();
    }
  }

  @Test
  void everyReplicaGetsTheSameEntriesAtTheSameIndexes() {
    settle(nodes);
    for (int i = 0; i < 200; i++) {
      nodes.get(i % nodes.size()).propose("entry " + i);
    }
    settle(nodes);

    List<Entry> first = nodes.getFirst().entries();
    assertThat(first.stream().map(Entry::index).toList()).isSorted().doesNotHaveDuplicates();
    assertThat(first.stream().map(Entry::text).toList()).doesNotHaveDuplicates();
    for (Node node : nodes) {
      assertThat(node.entries()).isEqualTo(first);
    }
  }

  @Test
  void bytesBetweenPositionAndLimitArrive() {
    byte[] bytes = new byte[ReplicatedLog.ENTRY_BYTES_MAX + 20];
    Arrays.fill(bytes, (byte) 'x');
    bytes[10] = 'F';
    bytes[ReplicatedLog.ENTRY_BYTES_MAX + 9] = 'L';
    ByteBuffer longest = ByteBuffer.wrap(bytes, 10, ReplicatedLog.ENTRY_BYTES_MAX);
    String expected =
        new String(bytes, 10, ReplicatedLog.ENTRY_BYTES_MAX, StandardCharsets.US_ASCII);

    untilItArrives(() -> proposer(nodes).proposeBytes(longest.duplicate()), expected);

    for (Node node : nodes) {
      assertThat(node.entries().stream().filter(entry -> entry.text().equals(expected)))
          .isNotEmpty();
    }
  }

  @Test
  void entryThatIsTooLongIsNotProposed() {
    ByteBuffer tooLong = ByteBuffer.allocate(ReplicatedLog.ENTRY_BYTES_MAX + 1);

    assertThatThrownBy(() -> nodes.getFirst().log().propose(tooLong, () -> {}))
        .isInstanceOf(IllegalArgumentException.class);

    settle(nodes);
    assertThat(nodes.getFirst().entries()).allMatch(entry -> entry.text().startsWith("settled"));
  }

  @Test
  void nodeThatWasAwayGetsWhatItMissed() {
    propose(10);
    settle(nodes);
    Node away = other(proposer(nodes));
    away.stop();
    List<Node> rest = nodes.stream().filter(node -> node != away).toList();
    settle(rest);
    propose(rest, 20);
    settle(rest);

    away.start(away.lastIndex());
    settle(nodes);

    assertThat(away.entries()).isEqualTo(rest.getFirst().entries());
  }

  @Test
  void restartContinuesAfterWhatTheReplicaHas() {
    propose(20);
    settle(nodes);
    Node node = other(proposer(nodes));
    List<Entry> all = node.entries();
    long half = all.get(all.size() / 2).index();
    node.stop();

    node.start(half); // the rest was not durable
    settle(nodes);

    assertThat(node.entries()).startsWith(all.toArray(Entry[]::new));
    assertThat(node.firstOfRun()).isEqualTo(all.get(all.size() / 2 + 1).index());
  }

  @Test
  void allNodesRestart() {
    propose(20);
    settle(nodes);
    List<Entry> all = nodes.getFirst().entries();
    nodes.parallelStream().forEach(Node::stop);

    nodes.forEach(node -> node.start(node.lastIndex()));
    settle(nodes);

    for (Node node : nodes) {
      assertThat(node.entries()).startsWith(all.toArray(Entry[]::new));
    }
    assertThat(nodes.getLast().entries()).isEqualTo(nodes.getFirst().entries());
  }

  @Test
  void ownerThatIsClosedIsFollowedByAnother() {
    propose(10);
    settle(nodes);
    Node first = proposer(nodes);
    List<Entry> all = first.entries();
    first.stop();
    List<Node> rest = nodes.stream().filter(node -> node != first).toList();

    settle(rest);

    assertThat(rest.getFirst().entries()).startsWith(all.toArray(Entry[]::new));
    assertThat(rest.getLast().entries()).isEqualTo(rest.getFirst().entries());
  }

  @Test
  void anotherNodeLeadsAfterATransfer() {
    propose(10);
    settle(nodes);
    Node target = other(proposer(nodes));
    for (int attempts = 0; !target.mayLead() && attempts < ATTEMPTS_MAX; attempts++) {
      Node leader = proposer(nodes);
      leader.propose("before transfer " + attempts);
      leader.log().transferTo(target.id);
      settle(nodes);
    }
    assertThat(target.mayLead()).isTrue();
    target.propose("after the transfer");
    settle(nodes);

    for (Node node : nodes) {
      assertThat(node.entries()).isEqualTo(target.entries());
    }
  }

  @Test
  void transferToANodeThatIsAwayEndsNothing() {
    propose(10);
    settle(nodes);
    Node leader = proposer(nodes);
    Node away = other(leader);
    away.stop();
    List<Node> rest = nodes.stream().filter(node -> node != away).toList();
    leader.log().transferTo(away.id);
    settle(rest);

    assertThat(rest.getLast().entries()).isEqualTo(rest.getFirst().entries());
  }

  @Test
  void nodeThatAbandonsTheLogIsFollowedByAnother() {
    propose(10);
    settle(nodes);
    Node first = proposer(nodes);
    List<Node> rest = nodes.stream().filter(node -> node != first).toList();
    first.log().abandon(new IllegalStateException("planted"));
    List<Entry> last = first.entries();
    settle(rest);
    propose(rest, 5);
    settle(rest);

    assertThat(rest.getFirst().entries()).startsWith(last.toArray(Entry[]::new));
    assertThat(rest.getLast().entries()).isEqualTo(rest.getFirst().entries());
    AtomicBoolean isRefused = new AtomicBoolean();
    first.propose("abandoned", () -> change(() -> isRefused.set(true)));
    first.stop();
    first.start(first.lastIndex());
    settle(nodes);
    assertThat(first.has("abandoned")).isFalse();
    assertThat(first.entries()).isEqualTo(rest.getFirst().entries());
  }

  @Test
  void replicaThatFailsGetsNothingMore() {
    settle(nodes);
    Node failing = other(proposer(nodes));
    List<Node> rest = nodes.stream().filter(node -> node != failing).toList();
    failing.failNow();
    propose(rest, 10);
    settle(rest);

    assertThat(failing.entries()).isSubsetOf(rest.getFirst().entries());
    assertThat(failing.isCalledAfterFailure()).isFalse();
    failing.stop();
    failing.start(failing.lastIndex());
    settle(nodes);
    assertThat(failing.entries()).isEqualTo(rest.getFirst().entries());
  }

  @Test
  void shardGoesOnWhenEntriesWereDropped() {
    propose(20);
    settle(nodes);
    nodes.forEach(node -> node.log().compactTo(node.lastIndex()));
    nodes.forEach(node -> node.log().compactTo(1)); // less than before has no effect
    propose(20);
    settle(nodes);
    Node node = other(proposer(nodes));
    node.stop();

    node.start(node.lastIndex());
    settle(nodes);

    assertThat(node.entries()).isEqualTo(nodes.getFirst().entries());
  }

  @Test
  void nodeThatIsAddedGetsAllEntriesAndANodeThatIsRemovedIsNotNeeded() {
    propose(10);
    settle(nodes);
    Node added = new Node(new NodeId("d"));
    added.start(0);
    settle(nodes);
    assertThat(added.entries()).isEmpty();
    assertThat(added.mayLead()).isFalse();

    String address = opened().addressOf(added.id);
    changeMembers(nodes, last -> last.with(added.id, address));
    List<Node> four = new ArrayList<>(nodes);
    four.add(added);
    settle(four);
    assertThat(added.entries()).isEqualTo(nodes.getFirst().entries());

    Node removed = other(proposer(nodes));
    four.remove(removed);
    changeMembers(nodes, last -> last.without(removed.id));
    Set<NodeId> wanted = four.stream().map(node -> node.id).collect(Collectors.toSet());
    propose(four, 10);
    settle(four);
    await(() -> four.stream().allMatch(node -> node.members().equals(wanted)));
    for (Node node : four) {
      assertThat(node.log().configuration().members().keySet()).isEqualTo(wanted);
    }

    removed.stop();
    Node dead = four.stream().filter(node -> node != added).findFirst().orElseThrow();
    dead.stop();
    four.remove(dead);
    settle(four); // two of three, which are one of three of before
    assertThat(four.getLast().entries()).isEqualTo(four.getFirst().entries());
  }

  @Test
  void changeOfOtherMembersThanExpectedIsRefused() {
    settle(nodes);
    for (int attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
      Configuration wrong = Configuration.of(0, Map.of(NODES.getFirst(), ""));
      CompletableFuture<Void> change = proposer(nodes).log().change(wrong, wrong.members());
      CompletableFuture<Void> _ = change.whenComplete((_, _) -> change(() -> {}));
      await(change::isDone);
      if (change.isDone()) {
        assertThatThrownBy(change::join)
            .hasCauseInstanceOf(ConfigurationChangeException.class)
            .hasMessageContaining("epeat");
        break;
      }
    }
    settle(nodes);
    assertThat(nodes.getFirst().log().configuration().members().keySet())
        .containsExactlyElementsOf(NODES);
  }

  // ---------------------------------------------------------------- words of the tests

  private Shard opened() {
    Shard opened = shard;
    if (opened == null) {
      throw new IllegalStateException("The shard is closed.");
    }
    return opened;
  }

  /** Again and again: a log may give a change up, as it may a proposal. */
  private void changeMembers(
      List<Node> among, Function<Configuration, Map<NodeId, String>> changed) {
    for (int attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
      ReplicatedLog log = proposer(among).log();
      Configuration last = log.configuration();
      Map<NodeId, String> wanted = changed.apply(last);
      CompletableFuture<Void> change = log.change(last, wanted);
      CompletableFuture<Void> _ = change.whenComplete((_, _) -> change(() -> {}));
      await(change::isDone);
      if (change.isDone() && !change.isCompletedExceptionally()) {
        return;
      }
    }
    throw new AssertionError("No change was agreed in " + ATTEMPTS_MAX + " attempts.");
  }

  private void propose(int count) {
    propose(nodes, count);
  }

  private void propose(List<Node> among, int count) {
    Node proposer = proposer(among);
    for (int i = 0; i < count; i++) {
      proposer.propose("entry " + i);
    }
  }

  private Node other(Node node) {
    return nodes.get((nodes.indexOf(node) + 1) % nodes.size());
  }

  /** {@return a node whose proposals are likely to get into the log} */
  private Node proposer(List<Node> among) {
    await(() -> among.stream().anyMatch(Node::mayLead));
    return among.stream().filter(Node::mayLead).findFirst().orElse(among.getFirst());
  }

  /** Lets everything that was proposed get into the log and to these nodes, or be lost. */
  private void settle(List<Node> among) {
    for (int attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
      AtomicBoolean isRefused = new AtomicBoolean();
      String text = "settled " + ++markers;
      proposer(among).propose(text, () -> change(() -> isRefused.set(true)));
      boolean arrives =
          await(() -> isRefused.get() || among.stream().allMatch(node -> node.has(text)));
      if (arrives && among.stream().allMatch(node -> node.has(text))) {
        return;
      }
    }
    throw new AssertionError("No entry was accepted in " + ATTEMPTS_MAX + " attempts.");
  }

  private void untilItArrives(Runnable proposal, String text) {
    do {
      proposal.run();
      settle(nodes);
    } while (!nodes.getFirst().has(text));
  }

  /** {@return whether it came true; false only if a log without threads has nothing left to do} */
  private boolean await(BooleanSupplier condition) {
    Shard opened = shard;
    if (opened == null) {
      throw new IllegalStateException("The shard is closed.");
    }
    if (!opened.hasThreads()) {
      opened.progress();
      return condition.getAsBoolean();
    }
    long nanos = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    lock.lock();
    try {
      while (!condition.getAsBoolean()) {
        if (nanos <= 0) {
          throw new AssertionError("Nothing happened for " + PATIENCE_SECONDS + " seconds.");
        }
        nanos = changed.awaitNanos(nanos);
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    } finally {
      lock.unlock();
    }
  }

  private void change(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private record Entry(long index, String text) {}

  /** A node: what its replica has, over all its runs. */
  private final class Node {

    private final NodeId id;
    private @Nullable Run run;

    // Guarded by lock.
    private List<Entry> entries = new ArrayList<>();

    Node(NodeId id) {
      this.id = id;
    }

    void start(long appliedIndex) {
      Shard opened = shard;
      if (opened == null) {
        throw new IllegalStateException("The shard is closed.");
      }
      change(
          () ->
              entries =
                  new ArrayList<>(
                      entries.stream().filter(entry -> entry.index() <= appliedIndex).toList()));
      Run started = new Run(this, opened.on(id), appliedIndex);
      run = started;
      started.log.start(started);
    }

    void stop() {
      Run stopped = run;
      run = null;
      if (stopped != null) {
        stopped.log.close();
        change(() -> stopped.isEnded = true);
      }
    }

    private Run run() {
      Run running = run;
      if (running == null) {
        throw new IllegalStateException("Node " + id + " does not run.");
      }
      return running;
    }

    ReplicatedLog log() {
      return run().log;
    }

    boolean mayLead() {
      return run().mayLead;
    }

    void propose(String text) {
      propose(text, () -> {});
    }

    void propose(String text, Runnable refused) {
      log().propose(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), refused);
    }

    void proposeBytes(ByteBuffer bytes) {
      ByteBuffer own = ByteBuffer.allocate(bytes.remaining() + 7).position(7);
      own.put(bytes).position(7); // a buffer that does not begin at 0
      log().propose(own, () -> {});
    }

    List<Entry> entries() {
      lock.lock();
      try {
        return List.copyOf(entries);
      } finally {
        lock.unlock();
      }
    }

    List<Integer> numbers() {
      return entries().stream()
          .filter(entry -> entry.text().startsWith("entry "))
          .map(entry -> Integer.valueOf(entry.text().substring("entry ".length())))
          .toList();
    }

    boolean has(String text) {
      return entries().reversed().stream().anyMatch(entry -> entry.text().equals(text));
    }

    long lastIndex() {
      List<Entry> all = entries();
      return all.isEmpty() ? 0 : all.getLast().index();
    }

    long firstOfRun() {
      return run().first;
    }

    void failNow() {
      change(() -> run().fails = true);
    }

    /** {@return the members that it has heard of last} */
    Set<NodeId> members() {
      return run().members;
    }

    boolean isCalledAfterFailure() {
      return run().isCalledAfterFailure;
    }
  }

  /** One run of a node: the replica that the log calls. */
  private final class Run implements Replica {

    private final Node node;
    private final ReplicatedLog log;
    private final long appliedIndex;

    // Guarded by lock; read by tests when nothing happens any more.
    private volatile boolean mayLead;
    private volatile boolean fails;
    private volatile boolean isEnded;
    private volatile boolean hasFailed;
    private volatile boolean isCalledAfterFailure;
    private volatile long first;
    private volatile Set<NodeId> members = Set.of();

    Run(Node node, ReplicatedLog log, long appliedIndex) {
      this.node = node;
      this.log = log;
      this.appliedIndex = appliedIndex;
    }

    @Override
    public OptionalLong appliedIndex() {
      return appliedIndex == 0 ? OptionalLong.empty() : OptionalLong.of(appliedIndex);
    }

    @Override
    public void apply(long index, ByteBuffer entry) {
      String text = StandardCharsets.US_ASCII.decode(entry.duplicate()).toString();
      change(() -> applied(index, text));
    }

    private void applied(long index, String text) {
      if (isEnded) {
        throw new AssertionError("The closed log of node " + node.id + " calls its replica.");
      }
      if (hasFailed) {
        isCalledAfterFailure = true;
      }
      if (fails) {
        hasFailed = true;
        throw new DataDirectoryException(Path.of("replica"), "The disk of the test fails", null);
      }
      if (first == 0) {
        first = index;
      }
      node.entries.add(new Entry(index, text));
    }

    @Override
    public void configured(Configuration configuration) {
      change(() -> members = Set.copyOf(configuration.members().keySet()));
    }

    @Override
    public void mayLead(boolean yes) {
      change(() -> mayLead = yes);
    }
  }
}
