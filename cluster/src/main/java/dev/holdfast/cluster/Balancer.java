package dev.holdfast.cluster;

import dev.holdfast.HoldfastException;
import dev.holdfast.TimeSource;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.member.MemberAddress;
import dev.holdfast.cluster.member.MemberBook;
import dev.holdfast.cluster.object.ClusterCalls;
import dev.holdfast.cluster.object.ClusterOperations;
import dev.holdfast.cluster.object.NodeService;
import dev.holdfast.cluster.object.ShardAnswers;
import dev.holdfast.cluster.placement.NodeUse;
import dev.holdfast.cluster.placement.NodeView;
import dev.holdfast.cluster.placement.PlacementPlanner;
import dev.holdfast.cluster.placement.PlacementRules;
import dev.holdfast.cluster.placement.PlacementStep;
import dev.holdfast.cluster.placement.PlacementView;
import dev.holdfast.cluster.placement.ShardView;
import dev.holdfast.spi.log.NodeId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Evens copies and owners over the nodes: asks all nodes how they are, and takes one step after the
 * other. The node that owns the first shard does it; for a moment two may, because each step is
 * checked by the owner of its shard against the log. Thread-safe.
 *
 * <p>Nothing is stored but what operators have said: which nodes keep a shard is said by its log,
 * so a step that was half done when a node was lost is seen, and ended or undone, by the next look.
 */
final class Balancer implements AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private static final long LOOK_NANOS = 10_000_000_000L;

  /** After this time a step that was not possible is tried again. */
  private static final long AGAIN_NANOS = 500_000_000;

  /** The shard whose owner evens the others. */
  static final int FIRST_SHARD = 0;

  private final NodeId self;
  private final MemberBook book;
  private final ClusterOperations operations;
  private final Nodes nodes;
  private final TimeSource time;
  private final Executor work;

  private final ReentrantLock changing = new ReentrantLock();
  private final AtomicBoolean isLooking = new AtomicBoolean();
  private final AtomicReference<@Nullable PlacementStep> step = new AtomicReference<>();
  private volatile Map<NodeId, NodeView> last = Map.of();
  private volatile @Nullable String problem;

  /** The nodes at the last look. Confined to one look at a time; isLooking orders them. */
  private Map<NodeId, NodeUse> settled = Map.of();

  private volatile Rate rate = new Rate(0, 0);
  private volatile boolean isClosed;

  /** What copies have taken. */
  private record Rate(long bytes, long nanos) {

    Rate plus(long moreBytes, long moreNanos) {
      return new Rate(bytes + moreBytes, nanos + moreNanos);
    }
  }

  /**
   * The nodes as the balancer reaches them.
   *
   * @param own this one
   * @param others the others
   * @param isFirstOwned whether this node owns the first shard, and its objects are open
   */
  record Nodes(
      NodePlacement own, Function<NodeId, NodeService> others, BooleanSupplier isFirstOwned) {

    NodeService at(NodeId node, NodeId self) {
      return node.equals(self) ? own : others.apply(node);
    }
  }

  Balancer(
      NodeId self,
      MemberBook book,
      ClusterOperations operations,
      Nodes nodes,
      TimeSource time,
      Executor work) {
    this.self = self;
    this.book = book;
    this.operations = operations;
    this.nodes = nodes;
    this.time = time;
    this.work = work;
  }

  /** Looks again and again. */
  void begin() {
    if (isClosed) {
      return;
    }
    time.schedule(
        LOOK_NANOS,
        () -> {
          try {
            if (nodes.isFirstOwned().getAsBoolean() && isLooking.compareAndSet(false, true)) {
              work.execute(this::evenAll);
            }
          } catch (RejectedExecutionException e) {
            LOG.log(Level.DEBUG, "The node is closed.", e);
          }
          begin();
        });
  }

  /**
   * Evens the cluster now, whichever shards this node owns, and whatever operators have said
   * before. Blocks until nothing is left to do, or a step was not taken.
   *
   * @param taken receives each step
   * @return why it has ended early; empty if the cluster is even
   */
  Optional<String> evenNow(Consumer<PlacementStep> taken) {
    while (!isClosed) {
      PlacementLook look = look();
      tell(look);
      Optional<PlacementStep> next = look.next();
      if (next.isEmpty()) {
        return look.reasons();
      }
      if (!perform(look.view(), next.get())) {
        return Optional.ofNullable(problem);
      }
      taken.accept(next.get());
    }
    return Optional.of("Node " + self + " is closed.");
  }

  /**
   * {@return about how long copies take, by those that this node has moved; empty if it has moved
   * none}
   *
   * @param look the cluster
   * @param steps what is to be done
   */
  Optional<Duration> timeLeft(PlacementLook look, List<PlacementStep> steps) {
    Rate known = rate;
    if (known.bytes() == 0) {
      return Optional.empty();
    }
    double perByte = (double) known.nanos() / known.bytes();
    return Optional.of(Duration.ofNanos((long) (look.bytes(steps) * perByte)));
  }

  /** Takes no further step. */
  @Override
  public void close() {
    isClosed = true;
  }

  private void evenAll() {
    try {
      while (!isClosed && nodes.isFirstOwned().getAsBoolean()) {
        PlacementLook look = look();
        tell(look);
        Map<NodeId, NodeUse> uses =
            look.view().nodes().stream().collect(Collectors.toMap(NodeView::node, NodeView::use));
        boolean isNews = !uses.equals(settled);
        settled = uses;
        Optional<PlacementStep> next = look.next();
        if (next.isEmpty()
            || isNews // a node that has just come or gone may do the opposite soon
            || look.rules().isOff()
            || !perform(look.view(), next.get())) {
          return;
        }
      }
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "The shards could not be evened now; it is tried again.", e);
    } finally {
      isLooking.set(false);
    }
  }

  /**
   * Takes a step, and waits until it has its effect.
   *
   * @return whether it has
   */
  boolean perform(PlacementView view, PlacementStep next) {
    step.set(next);
    long begunNanos = time.monotonicNanos();
    try {
      switch (next) {
        case PlacementStep.AddCopy add ->
            operations
                .of(add.shard())
                .addMember(
                    new MemberAddress(
                            add.node(),
                            book.addressOf(add.node()).orElseThrow(() -> notReached(add.node())))
                        .toString());
        case PlacementStep.RemoveCopy remove -> {
          if (!operations.of(remove.shard()).removeCopy(remove.node().name(), copiesMin(view))) {
            throw new ClusterException(
                Reason.NOT_CHANGED,
                "Node " + remove.node() + " has taken shard " + remove.shard() + " meanwhile.",
                null);
          }
        }
        case PlacementStep.MoveOwner move -> {
          String taken = operations.of(move.shard()).transfer(move.to().name());
          if (!taken.equals(move.to().name())) {
            throw new ClusterException(
                Reason.NOT_MOVED,
                "Node " + move.to() + " has not taken shard " + move.shard() + " in time.",
                null);
          }
        }
      }
      LOG.log(Level.INFO, "Evening the cluster: {0}.", text(next));
      problem = null;
      if (next instanceof PlacementStep.AddCopy) {
        rate =
            rate.plus(PlacementLook.bytes(view, next.shard()), time.monotonicNanos() - begunNanos);
      }
      return true;
    } catch (HoldfastException e) {
      problem = text(next) + ": " + e.getMessage();
      LOG.log(Level.WARNING, "A step of evening the cluster was not taken: " + problem, e);
      return false;
    } finally {
      step.set(null);
    }
  }

  private static int copiesMin(PlacementView view) {
    long usable =
        view.nodes().stream()
            .filter(each -> each.use() == NodeUse.READY || each.use() == NodeUse.DRAINING)
            .count();
    return (int) Math.min(view.replicas(), usable);
  }

  private static ClusterException notReached(NodeId node) {
    return new ClusterException(
        Reason.UNREACHABLE, "No address of node " + node + " is known.", null);
  }

  /** {@return a step in words} */
  static String text(PlacementStep step) {
    return switch (step) {
      case PlacementStep.AddCopy add ->
          "node " + add.node() + " takes a copy of shard " + add.shard();
      case PlacementStep.RemoveCopy remove ->
          "node " + remove.node() + " gives its copy of shard " + remove.shard() + " up";
      case PlacementStep.MoveOwner move -> "shard " + move.shard() + " moves to node " + move.to();
    };
  }

  /**
   * {@return what this node knows of evening: whether it is on, the step that this node takes now,
   * and why it did not take the last one}
   *
   * @param isAllowed whether the options of this node allow it
   */
  Map<String, @Nullable Object> state(boolean isAllowed) {
    PlacementStep now = step.get();
    Map<String, @Nullable Object> state = new LinkedHashMap<>();
    state.put("on", isAllowed && !book.rules().isOff());
    state.put("step", now == null ? null : text(now));
    state.put("problem", problem);
    return state;
  }

  /**
   * Frees a node that leaves of all copies.
   *
   * @param node the node
   * @param failuresMax how many steps in a row may fail
   * @throws ClusterException if a step is not possible
   */
  void free(NodeId node, int failuresMax) {
    int failures = 0;
    while (true) {
      PlacementLook look = look();
      requireMajority(look.reports().keySet(), "The cluster cannot be seen");
      List<ShardView> kept =
          look.view().shards().stream().filter(each -> each.copies().contains(node)).toList();
      if (kept.isEmpty()) {
        return;
      }
      Optional<PlacementStep> next = look.next();
      if (next.isPresent() && perform(look.view(), next.get())) {
        failures = 0;
        continue;
      }
      boolean isUnderWay = kept.stream().anyMatch(ShardView::isChanging);
      if (!isUnderWay && ++failures > failuresMax) {
        throw new ClusterException(
            Reason.NOT_CHANGED,
            "Node "
                + node
                + " keeps "
                + kept.size()
                + " shards still, and the next step was not possible: "
                + (next.isPresent() || problem != null
                    ? problem
                    : String.join(" ", PlacementPlanner.reasons(look.view())))
                + " Check that the others run and have caught up, and repeat the removal.",
            null);
      }
      ClusterCalls.pause(time, AGAIN_NANOS);
    }
  }

  /**
   * Says to all nodes, the removed one as well, that a node was removed: its directory is refused
   * from now on. With that, each hears which nodes keep the shards: with what it knew before it
   * might let the node in again.
   *
   * @param node the node, which keeps no shard any more
   * @param known its directories; if there are none, now or before, each node forgets what it knows
   * @throws ClusterException if a majority of the nodes does not hear it
   */
  void removed(NodeId node, Set<Long> known) {
    look();
    known.forEach(each -> book.removed(node, OptionalLong.of(each)));
    boolean isUnknown = !book.removedDirectories().containsKey(node);
    if (isUnknown) {
      book.removed(node, OptionalLong.empty());
    }
    byte[] agreed = ShardAnswers.write(nodes.own().agreed());
    attempt(() -> nodes.others().apply(node).agree(agreed));
    Map<NodeId, Boolean> heard =
        all(
            each -> {
              if (!each.equals(node)) {
                nodes.at(each, self).agree(agreed);
                if (isUnknown) {
                  nodes.at(each, self).forget(node.name());
                }
              }
              return true;
            });
    requireMajority(heard.keySet(), "That node " + node + " is gone was not recorded");
  }

  /**
   * {@return the incarnations of a node's directories that any node knows which answers, but for
   * those that were removed}
   *
   * @param node the node
   * @throws ClusterException if a majority of the nodes does not answer
   */
  Set<Long> directoriesOf(NodeId node) {
    PlacementLook look = look();
    requireMajority(look.reports().keySet(), "The cluster cannot be seen");
    Set<Long> known = look.directoriesOf(node);
    known.removeIf(each -> book.isRemoved(node, each));
    return known;
  }

  /**
   * A node is not being removed, or no more.
   *
   * @return whether it was
   */
  boolean stay(NodeId node) {
    boolean isLeaving = look().rules().leaving().contains(node);
    if (isLeaving) {
      change(rules -> rules.leaving(self, node, /* leaves= */ false));
    }
    return isLeaving;
  }

  /** Says to all nodes what they have not heard. */
  void tellAll() {
    tell(look());
  }

  /**
   * Changes what operators have said, at the owner of the first shard.
   *
   * @param change makes the next rules of the last ones
   * @throws ClusterException if a majority of the nodes does not take it, or there is another
   *     change at the same time
   */
  void change(Function<PlacementRules, PlacementRules> change) {
    PlacementLook look = look();
    requireMajority(look.reports().keySet(), "The cluster cannot be seen");
    PlacementRules last = look.rules();
    String taken =
        operations.of(FIRST_SHARD).changeRules(last.toString(), change.apply(last).toString());
    book.rules(PlacementRules.parse(taken));
  }

  /**
   * Writes what operators have said, as the owner of the first shard. That this node still was its
   * owner is proven before the caller hears of it: the next owner reads what was written before,
   * and what this one writes later has no effect.
   *
   * @param epoch of the ownership
   * @param last what it is to follow
   * @param next what is said
   * @return what was written
   */
  String changed(long epoch, String last, String next) {
    changing.lock(); // two changes at once would both follow the last one
    try {
      PlacementLook look = look();
      requireMajority(look.reports().keySet(), "The cluster cannot be seen");
      if (!look.rules().toString().equals(last)) {
        throw new ClusterException(
            Reason.NOT_CHANGED, "Another change was said at the same time. Repeat this one.", null);
      }
      PlacementRules written = PlacementRules.parse(next).after(look.rules(), epoch);
      book.rules(written); // first: what fails from here on is followed by the next number
      byte[] message = ShardAnswers.write(Map.of("rules", written.toString()));
      Map<NodeId, Boolean> taken =
          all(
              node -> {
                nodes.at(node, self).agree(message);
                return true;
              });
      requireMajority(taken.keySet(), "What is said about placement was not written");
      return written.toString();
    } finally {
      changing.unlock();
    }
  }

  private void requireMajority(Set<NodeId> present, String failed) {
    List<NodeId> members = book.nodes();
    if (present.size() < members.size() / 2 + 1) {
      List<NodeId> away = members.stream().filter(each -> !present.contains(each)).toList();
      throw new ClusterException(
          Reason.NO_MAJORITY,
          failed
              + ": a majority of "
              + members
              + " is needed, and "
              + away
              + " do not answer. Start or reconnect them, and repeat it.",
          null);
    }
  }

  /** {@return what each node answers; those that do not are missing} */
  private <T> Map<NodeId, T> all(Function<NodeId, T> question) {
    Map<NodeId, CompletableFuture<@Nullable T>> asked = new LinkedHashMap<>();
    for (NodeId node : book.nodes()) {
      asked.put(
          node,
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return question.apply(node);
                } catch (HoldfastException e) {
                  LOG.log(Level.DEBUG, "Node " + node + " does not answer.", e);
                  return null;
                }
              },
              work));
    }
    Map<NodeId, T> answers = new LinkedHashMap<>();
    asked.forEach(
        (node, answer) -> {
          T given = answer.join();
          if (given != null) {
            answers.put(node, given);
          }
        });
    return answers;
  }

  /** Asks all nodes how they are. Blocks. */
  PlacementLook look() {
    Map<NodeId, Map<String, @Nullable Object>> said =
        this.<Map<String, @Nullable Object>>all(
            node -> ShardAnswers.members(nodes.at(node, self).placement()));
    for (Map<String, @Nullable Object> each : said.values()) {
      nodes.own().agree(ShardAnswers.write(each));
    }
    PlacementLook.configurations(said).forEach(book::configured);
    PlacementLook look = PlacementLook.of(said, book, last);
    last = look.view().nodes().stream().collect(Collectors.toMap(NodeView::node, node -> node));
    return look;
  }

  /** Says to nodes what they have not heard, and those that keep what they should not. */
  private void tell(PlacementLook look) {
    Map<String, @Nullable Object> agreed = nodes.own().agreed();
    byte[] message = ShardAnswers.write(agreed);
    for (Map.Entry<NodeId, Map<String, @Nullable Object>> each : look.reports().entrySet()) {
      tell(look, each.getKey(), each.getValue(), agreed, message);
    }
  }

  private void tell(
      PlacementLook look,
      NodeId node,
      Map<String, @Nullable Object> report,
      Map<String, @Nullable Object> agreed,
      byte[] message) {
    boolean isKnown =
        agreed.entrySet().stream()
            .allMatch(
                each ->
                    String.valueOf(each.getValue())
                        .equals(String.valueOf(report.get(each.getKey()))));
    if (!isKnown) {
      attempt(() -> nodes.at(node, self).agree(message));
    }
    for (ShardView shard : look.view().shards()) {
      if (shard.isChanging()) {
        continue;
      }
      int number = shard.number();
      if (!shard.copies().contains(node)) {
        if (PlacementLook.keeps(report, number)) { // of a change that has not ended
          attempt(() -> operations.of(number).dismissCopy(node.name()));
        }
      } else if (book.configurationOf(number)
          .filter(known -> PlacementLook.lacks(report, number, known))
          .isPresent()) { // it gets another one
        attempt(() -> operations.of(number).removeLost(node.name()));
      }
    }
  }

  private static void attempt(Runnable task) {
    try {
      task.run();
    } catch (HoldfastException e) {
      LOG.log(Level.DEBUG, "A node has not heard about placement; it hears it later.", e);
    }
  }
}
