package dev.holdfast.cluster;

import dev.holdfast.TimeSource;
import dev.holdfast.cluster.call.CallEndpoint;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.member.LearntMembers;
import dev.holdfast.cluster.object.ClusterCalls;
import dev.holdfast.cluster.object.NodeService;
import dev.holdfast.cluster.object.ShardAnswers;
import dev.holdfast.cluster.route.RoutingTable;
import dev.holdfast.cluster.route.ShardOwnership;
import dev.holdfast.spi.log.NodeId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the list of members of a client current: asks one member after the other, those first that
 * are connected. Thread-safe.
 */
final class MembersFollower implements AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private static final long LOOK_NANOS = 5_000_000_000L;

  /** Calls that find no owner have the members asked again, not more often than this. */
  private static final long SOON_NANOS = 250_000_000;

  private static final long CONNECT_PAUSE_NANOS = 100_000_000;

  private final String client;
  private final LearntMembers members;
  private final CallEndpoint endpoint;
  private final Function<NodeId, NodeService> nodes;
  private final TimeSource time;
  private final Executor work;

  private final AtomicBoolean isLooking = new AtomicBoolean();
  private final AtomicInteger turn;
  private volatile long lookedNanos;
  private volatile @Nullable ClusterException problem;
  private volatile Optional<String> certificateProblem = Optional.empty();
  private volatile Map<Integer, ShardOwnership> owners = Map.of();
  private volatile @Nullable RoutingTable table;
  private volatile boolean isClosed;

  /**
   * Creates it for a client.
   *
   * @param client its name
   * @param members what it keeps current
   * @param endpoint the connections
   * @param nodes finds a member
   * @param time the clock
   * @param work runs what blocks
   * @param first which member is asked first: clients that are started together ask different ones
   */
  MembersFollower(
      String client,
      LearntMembers members,
      CallEndpoint endpoint,
      Function<NodeId, NodeService> nodes,
      TimeSource time,
      Executor work,
      int first) {
    this.client = client;
    this.members = members;
    this.endpoint = endpoint;
    this.nodes = nodes;
    this.time = time;
    this.work = work;
    this.turn = new AtomicInteger(first);
  }

  /**
   * Asks until a member answers.
   *
   * @param limit how long
   * @throws ClusterException if none does in time, or none that answers can work with this client
   */
  void connect(Duration limit) {
    long begun = time.monotonicNanos();
    while (true) {
      ClusterException why = look();
      if (why == null) {
        return;
      }
      if (!isAbsence(why)) {
        throw why;
      }
      if (time.monotonicNanos() - begun >= limit.toNanos()) {
        throw new ClusterException(
            Reason.UNREACHABLE,
            "No member has answered client "
                + client
                + " within "
                + limit
                + ". Start the members, and compare the addresses. The last reason: "
                + why.getMessage(),
            why);
      }
      ClusterCalls.pause(time, CONNECT_PAUSE_NANOS);
    }
  }

  /** Asks again and again. */
  void begin() {
    if (isClosed) {
      return;
    }
    try {
      time.schedule(
          LOOK_NANOS,
          () -> {
            lookSoon();
            begin();
          });
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "The client is closed.", e);
    }
  }

  /** Asks now, unless that was done a moment ago. Does not block. */
  void missed() {
    if (time.monotonicNanos() - lookedNanos >= SOON_NANOS) {
      lookSoon();
    }
  }

  private void lookSoon() {
    if (isClosed || !isLooking.compareAndSet(false, true)) {
      return;
    }
    try {
      work.execute(
          () -> {
            try {
              lookAgain();
            } catch (RuntimeException e) {
              LOG.log(Level.WARNING, "A client could not ask for the members; it asks again.", e);
            } finally {
              isLooking.set(false);
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "The client is closed.", e);
    }
  }

  private void lookAgain() {
    ClusterException before = problem;
    ClusterException why = look();
    if (why != null && !isClosed && (before == null || before.reason() != why.reason())) {
      LOG.log(Level.WARNING, "No member answers client " + client + "; it asks again.", why);
    }
  }

  /** {@return why no member has answered; null if one has} */
  private @Nullable ClusterException look() {
    lookedNanos = time.monotonicNanos();
    ClusterException why = null;
    for (NodeId each : order()) {
      try {
        byte[] said = nodes.apply(each).members();
        learn(ShardAnswers.members(said));
        endpoint.keepOnly(members.nodes());
        why = null;
        break;
      } catch (ClusterException e) {
        // Of several, one that says more than that a member is not there.
        why = why == null || isAbsence(why) ? e : why;
      }
    }
    problem = why;
    certificateProblem = endpoint.certificateProblem();
    return why;
  }

  private void learn(Map<String, @Nullable Object> said) {
    members.learn(NodePlacement.configurations(said, members.shards()));
    Map<Integer, ShardOwnership> known = NodePlacement.owners(said, members.shards());
    owners = known;
    RoutingTable learns = table;
    if (learns != null) {
      known.forEach(learns::learn);
    }
  }

  /**
   * Has a table learn which nodes own shards, now and after each look.
   *
   * @param learns the table
   */
  void teach(RoutingTable learns) {
    table = learns;
    owners.forEach(learns::learn);
  }

  private List<NodeId> order() {
    List<NodeId> order = new ArrayList<>(members.asked());
    Collections.rotate(order, turn.getAndIncrement());
    order.sort(Comparator.comparing(each -> !endpoint.isConnectedTo(each)));
    return order;
  }

  /** A node that waits to be added is no member, and others may be. */
  private static boolean isAbsence(ClusterException why) {
    return switch (why.reason()) {
      case UNREACHABLE, CONNECTION_LOST, CLOSED, STARTING, NOT_A_MEMBER -> true;
      default -> false;
    };
  }

  /** {@return why no member answers, and what to do; empty if one has answered last} */
  Optional<String> problem() {
    ClusterException why = problem;
    return why == null
        ? Optional.empty()
        : Optional.of("No member answers client " + client + ". " + why.getMessage());
  }

  /** {@return what was wrong with the certificates at the last look; empty if nothing was} */
  Optional<String> certificateProblem() {
    return certificateProblem;
  }

  /** Asks no more. */
  @Override
  public void close() {
    isClosed = true;
  }
}
