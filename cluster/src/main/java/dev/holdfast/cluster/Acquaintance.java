package dev.holdfast.cluster;

import dev.holdfast.TimeSource;
import dev.holdfast.cluster.call.CallEndpoint;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.spi.log.NodeId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What this node and the other members know of each other. Each pair of nodes compares itself
 * before a new node takes part in any log, because a node that has lost its directory has perhaps
 * voted for what it lost. Connections are kept, so the node knows whether a majority is reachable.
 * Thread-safe.
 */
final class Acquaintance {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private static final int ATTEMPTS_IN_WAIT = 4;

  private final NodeId self;
  private final List<NodeId> others;
  private final CallEndpoint endpoint;
  private final TimeSource time;
  private final long waitNanos;
  private final Runnable allMet;
  private final Consumer<NodeId> present;
  private final Consumer<ClusterException> expelled;

  // Guarded by this.
  private final Set<NodeId> met = new HashSet<>();
  private final Map<NodeId, ClusterException> problems =
      new TreeMap<>(Comparator.comparing(NodeId::name));
  private @Nullable ClusterException expulsion;
  private boolean isClosed;

  /**
   * @param members all members
   * @param waitNanos how long an attempt is waited for when the node is opened; some are made in
   *     this time
   * @param allMet called once, when every other member was met
   * @param present called again and again for each member that is connected
   * @param expelled called once, if a member says that this node must not take part
   */
  Acquaintance(
      NodeId self,
      List<NodeId> members,
      CallEndpoint endpoint,
      TimeSource time,
      long waitNanos,
      Runnable allMet,
      Consumer<NodeId> present,
      Consumer<ClusterException> expelled) {
    this.self = self;
    this.others = members.stream().filter(each -> !each.equals(self)).toList();
    this.endpoint = endpoint;
    this.time = time;
    this.waitNanos = waitNanos;
    this.allMet = allMet;
    this.present = present;
    this.expelled = expelled;
  }

  /**
   * Begins to meet the other members, and waits for the first attempt with each, for a while.
   *
   * @param threads run the attempts
   * @throws ClusterException if another member says that this node must not take part, or none that
   *     answers can work with it
   */
  void begin(Executor threads) {
    if (others.isEmpty()) {
      allMet.run();
      return;
    }
    List<CompletableFuture<Void>> attempts = new ArrayList<>();
    for (NodeId other : others) {
      CompletableFuture<Void> first = new CompletableFuture<>();
      attempts.add(first);
      threads.execute(() -> attempt(other, first));
    }
    long until = time.monotonicNanos() + waitNanos;
    int accepted = 0;
    ClusterException refusal = null;
    for (CompletableFuture<Void> each : attempts) {
      try {
        each.get(Math.max(1, until - time.monotonicNanos()), TimeUnit.NANOSECONDS);
        accepted++;
      } catch (ExecutionException e) {
        if (e.getCause() instanceof ClusterException found && !isAbsence(found)) {
          refusal = found;
        }
      } catch (TimeoutException e) {
        // It is met later, like one that does not run.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
    throwIfExpelled();
    if (refusal != null && accepted == 0) {
      throw refusal;
    }
  }

  /** {@return whether the node is only not there} */
  private static boolean isAbsence(ClusterException why) {
    return switch (why.reason()) {
      case UNREACHABLE, CONNECTION_LOST, CLOSED -> true;
      default -> false;
    };
  }

  private void attempt(NodeId other, CompletableFuture<Void> first) {
    try {
      endpoint.meet(other);
      metNow(other);
      first.complete(null);
    } catch (ClusterException e) {
      failed(other, e);
      first.completeExceptionally(e);
    } catch (RuntimeException e) {
      ClusterException failed =
          new ClusterException(
              Reason.PROTOCOL, "Node " + other + " could not be met: " + e.getMessage(), e);
      failed(other, failed);
      first.completeExceptionally(failed);
    } finally {
      if (isActive()) {
        // Also after it was met: the connection may be lost, and what is behind it another node.
        time.schedule(
            Math.max(1, waitNanos / ATTEMPTS_IN_WAIT),
            () ->
                Thread.ofVirtual()
                    .name("holdfast-acquaintance-" + other)
                    .start(() -> attempt(other, first)));
      }
    }
  }

  private synchronized boolean isActive() {
    return !isClosed && expulsion == null;
  }

  private void metNow(NodeId other) {
    boolean isLast;
    synchronized (this) {
      problems.remove(other);
      isLast = met.add(other) && met.size() == others.size() && !isClosed && expulsion == null;
    }
    if (isLast) {
      allMet.run();
    }
    present.accept(other);
  }

  private void failed(NodeId other, ClusterException why) {
    boolean isExpelled;
    boolean isNews;
    synchronized (this) {
      ClusterException last = problems.put(other, why);
      isNews = last == null || last.reason() != why.reason();
      isExpelled =
          expulsion == null
              && !isClosed
              && (why.reason() == Reason.INCARNATION || why.reason() == Reason.RECOVERED)
              && CallEndpoint.isRefusalOfPeer(why);
      if (isExpelled) {
        expulsion = why;
      }
    }
    if (isExpelled) {
      expelled.accept(why);
    }
    if (isNews && !isAbsence(why)) {
      LOG.log(
          Level.WARNING, () -> "Nodes " + self + " and " + other + " cannot work together.", why);
    }
  }

  /** Ends the attempts. */
  synchronized void close() {
    isClosed = true;
  }

  /**
   * @throws ClusterException if another member says that this node must not take part
   */
  synchronized void throwIfExpelled() {
    if (expulsion != null) {
      throw new ClusterException(
          expulsion.reason(), String.valueOf(expulsion.getMessage()), expulsion);
    }
  }

  /** {@return why this node must not take part; null if it may} */
  synchronized @Nullable ClusterException expulsion() {
    return expulsion;
  }

  /** {@return the members that this one cannot work with though they answer, with the reasons} */
  synchronized List<ClusterException> problems() {
    return problems.values().stream().filter(each -> !isAbsence(each)).toList();
  }

  /**
   * {@return what keeps this node from a majority, and what to do; empty if enough members are
   * connected}
   */
  Optional<String> missingMajority() {
    List<String> away =
        others.stream().filter(each -> !endpoint.isConnectedTo(each)).map(NodeId::name).toList();
    int members = others.size() + 1;
    int needed = members / 2 + 1;
    int present = members - away.size();
    return present >= needed
        ? Optional.empty()
        : Optional.of(
            "No majority: node "
                + self
                + " reaches "
                + present
                + " of "
                + members
                + " members, itself included, and "
                + needed
                + " are needed. Start or reconnect "
                + String.join(", ", away)
                + ".");
  }
}
