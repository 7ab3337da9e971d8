package dev.holdfast.cluster.member;

import dev.holdfast.TimeSource;
import dev.holdfast.cluster.call.CallEndpoint;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.spi.log.NodeId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
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
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What this node and the other members know of each other. Each pair of nodes compares itself
 * before a new node takes part in any log, because a node that has lost its directory has perhaps
 * voted for what it lost. Connections are kept, so the node knows whether a majority is reachable.
 * Thread-safe.
 */
public final class Acquaintance implements MemberBook.Listener {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private static final int ATTEMPTS_IN_WAIT = 3; // as often as PING

  /** What is done with a member that is connected. */
  @FunctionalInterface
  public interface Presence {

    /**
     * A member is connected.
     *
     * @param other the member
     * @param wasAway whether it was not when this node looked last
     */
    void isThere(NodeId other, boolean wasAway);
  }

  private final NodeId self;
  private final MemberBook book;
  private final CallEndpoint endpoint;
  private final TimeSource time;
  private final long waitNanos;
  private final Runnable allMet;
  private final Presence presence;
  private final Consumer<ClusterException> expelled;

  // Guarded by this.
  private final AwayMembers away;
  private final Set<NodeId> met = new HashSet<>();
  private final Set<NodeId> attempted = new HashSet<>();
  private boolean hasMetAll;
  private final Map<NodeId, ClusterException> problems =
      new TreeMap<>(Comparator.comparing(NodeId::name));
  private @Nullable ClusterException expulsion;
  private boolean isClosed;

  /**
   * Creates it; {@link #begin} begins to meet others.
   *
   * @param self this node
   * @param book the members
   * @param endpoint connects to others
   * @param time the clock
   * @param waitNanos how long an attempt is waited for when the node is opened; some are made in
   *     this time
   * @param awayNanos how long a first member is away before the cluster begins without it
   * @param allMet called once, when this node may take part in logs: enough other members were met,
   *     or, if it is added, one lets it in
   * @param presence called again and again for each member that is connected
   * @param expelled called once, if a member says that this node must not take part
   */
  public Acquaintance(
      NodeId self,
      MemberBook book,
      CallEndpoint endpoint,
      TimeSource time,
      long waitNanos,
      long awayNanos,
      Runnable allMet,
      Presence presence,
      Consumer<ClusterException> expelled) {
    this.self = self;
    this.book = book;
    this.endpoint = endpoint;
    this.time = time;
    this.waitNanos = waitNanos;
    this.away = new AwayMembers(awayNanos);
    this.allMet = allMet;
    this.presence = presence;
    this.expelled = expelled;
  }

  /**
   * Begins to meet the other members, and waits for the first attempt with each, for a while.
   *
   * @param threads run the attempts
   * @throws ClusterException if another member says that this node must not take part, or none that
   *     answers can work with it
   */
  public void begin(Executor threads) {
    List<NodeId> others = others();
    if (others.isEmpty()) {
      metAll();
      return;
    }
    List<CompletableFuture<Void>> attempts = new ArrayList<>();
    for (NodeId other : others) {
      CompletableFuture<Void> first = new CompletableFuture<>();
      attempts.add(first);
      synchronized (this) {
        attempted.add(other);
      }
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
        if (e.getCause() instanceof ClusterException found
            && !isExpected(found)
            && (refusal == null || refusal.reason() != Reason.NOT_A_MEMBER)) {
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
    // The cluster exists without this node; a node that has not heard of that lets it in.
    boolean isGone =
        refusal != null && refusal.reason() == Reason.NOT_A_MEMBER && book.isBeingMade();
    if (refusal != null && (accepted == 0 || isGone)) {
      throw refusal;
    }
  }

  /** {@return whether the node is only not there} */
  private static boolean isAbsence(ClusterException why) {
    return switch (why.reason()) {
      case UNREACHABLE, CONNECTION_LOST, CLOSED, STARTING -> true;
      default -> false;
    };
  }

  /** A node that waits to be added is no member. */
  private boolean isExpected(ClusterException why) {
    return isAbsence(why) || (why.reason() == Reason.NOT_A_MEMBER && book.waits());
  }

  private List<NodeId> others() {
    return book.nodes().stream().filter(each -> !each.equals(self)).toList();
  }

  @Override
  public void changed(List<NodeId> joined, List<NodeId> gone) {
    gone.forEach(endpoint::drop);
    List<NodeId> begun = new ArrayList<>();
    synchronized (this) {
      met.removeAll(gone);
      problems.keySet().removeAll(gone);
      joined.stream().filter(each -> !each.equals(self) && attempted.add(each)).forEach(begun::add);
    }
    begun.forEach(other -> attemptSoon(other, new CompletableFuture<>()));
    if (gone.contains(self)) {
      expel(
          new ClusterException(
              Reason.REMOVED,
              "Node "
                  + self
                  + " was removed from the cluster. Close it. Add another node, with another name"
                  + " and an empty directory.",
              null));
    }
  }

  private void attemptSoon(NodeId other, CompletableFuture<Void> first) {
    Thread.ofVirtual().name("holdfast-acquaintance-" + other).start(() -> attempt(other, first));
  }

  private void attempt(NodeId other, CompletableFuture<Void> first) {
    if (!isActive(other)) {
      return; // it is no member any more
    }
    try {
      if (endpoint.meet(other)) {
        metNow(other);
        first.complete(null);
      } else {
        first.completeExceptionally(
            new ClusterException(
                Reason.UNREACHABLE, "A call connects to node " + other + " just now.", null));
      }
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
      if (isActive(other)) {
        // Also after it was met: the connection may be lost, and what is behind it another node.
        long period = Math.max(1, waitNanos / ATTEMPTS_IN_WAIT);
        // Those with all members are made together.
        long sinceAttempts = Math.floorMod(time.monotonicNanos(), period);
        time.schedule(period - sinceAttempts, () -> attemptSoon(other, first));
      }
    }
  }

  private synchronized boolean isActive(NodeId other) {
    boolean isActive = !isClosed && expulsion == null && book.nodes().contains(other);
    if (!isActive) {
      attempted.remove(other);
    }
    return isActive;
  }

  private void metNow(NodeId other) {
    boolean isLast;
    boolean wasAway;
    synchronized (this) {
      wasAway = problems.remove(other) != null;
      met.add(other);
      away.answered(other);
      isLast = mayTakePart();
    }
    if (isLast) {
      metAll();
    }
    presence.isThere(other, wasAway);
  }

  /**
   * With the lock held. Whatever a node begins with, those have recorded its directory that it
   * would need to begin again with another one: of the most, any two sets have a member in common;
   * of three or four nodes, the founders are in each. Any other one may know better than nodes
   * which have lost their directories, so it is waited for like one that is about to start.
   */
  private boolean hasMetEnough() {
    List<NodeId> unmet = others().stream().filter(each -> !met.contains(each)).toList();
    int others = others().size();
    List<NodeId> founders = book.founders();
    boolean isEnough =
        others - unmet.size() >= Math.min(others, (others + 1) / 2 + 1)
            || unmet.stream().noneMatch(founders::contains);
    // One that has called may have refused the answer, and not be there for the next attempt.
    return isEnough
        && unmet.stream().allMatch(each -> away.isAwayLong(each) && !book.hasHeard(each));
  }

  /** With the lock held. */
  private boolean mayTakePart() {
    return (book.waits() || hasMetEnough()) && !isClosed && expulsion == null;
  }

  private void metAll() {
    synchronized (this) {
      if (hasMetAll) {
        return;
      }
      hasMetAll = true;
    }
    allMet.run();
  }

  private void failed(NodeId other, ClusterException why) {
    boolean isNews;
    boolean wasMet;
    synchronized (this) {
      if (isClosed || !book.nodes().contains(other)) {
        return; // removed meanwhile; nothing would ever take it out again
      }
      ClusterException last = problems.put(other, why);
      if (why.reason() == Reason.UNREACHABLE) {
        away.unreachable(other, time.monotonicNanos());
      } else { // it took the connection, and may say something yet
        away.answered(other);
      }
      isNews = last == null || last.reason() != why.reason();
      wasMet = last == null && met.contains(other);
    }
    // A node that is added begins no log by itself: one that knows another directory was away.
    boolean isOld = CallEndpoint.isOfOtherDirectory(why) && book.isAdded();
    // The cluster exists without this node, which would wait for its first members for ever.
    boolean isLate = why.reason() == Reason.NOT_A_MEMBER && book.isBeingMade();
    if (CallEndpoint.isRefusalOfPeer(why) && ((isFinal(why.reason()) && !isOld) || isLate)) {
      expel(why);
    }
    if (wasMet && isAbsence(why)) {
      LOG.log(
          Level.WARNING,
          () ->
              "Node " + self + " does not reach node " + other + " any more. " + why.getMessage());
    } else if (isNews && !isExpected(why)) {
      String line =
          "Nodes " + self + " and " + other + " cannot work together. " + why.getMessage();
      boolean isDefect = why.getCause() instanceof RuntimeException; // else the message says all
      LOG.log(Level.WARNING, line, isDefect ? why : null);
    }
    boolean isLast;
    synchronized (this) {
      isLast = book.isBeingMade() && mayTakePart();
    }
    if (isLast) { // the others were met, and this one is away
      metAll();
    }
  }

  private static boolean isFinal(Reason reason) {
    return switch (reason) {
      case INCARNATION, RECOVERED, REMOVED -> true;
      default -> false;
    };
  }

  private void expel(ClusterException why) {
    synchronized (this) {
      if (expulsion != null || isClosed) {
        return;
      }
      expulsion = why;
    }
    expelled.accept(why);
  }

  /** Ends the attempts. */
  public synchronized void close() {
    isClosed = true;
  }

  /**
   * Looks whether this node may go on.
   *
   * @throws ClusterException if another member says that this node must not take part
   */
  public synchronized void throwIfExpelled() {
    if (expulsion != null) {
      throw new ClusterException(
          expulsion.reason(), String.valueOf(expulsion.getMessage()), expulsion);
    }
  }

  /** {@return whether this node waits to be added, or must not take part} */
  public synchronized boolean isOutside() {
    return expulsion != null || book.waits();
  }

  /** {@return what is wrong between this node and the others} */
  public List<HealthReason> reasons() {
    List<HealthReason> reasons = new ArrayList<>();
    Map<NodeId, ClusterException> known = new LinkedHashMap<>();
    synchronized (this) {
      if (expulsion != null) {
        reasons.add(reason(HealthReason.NODE_REFUSED, HealthState.DOWN, expulsion));
      }
      known.putAll(problems);
    }
    known.forEach(
        (node, why) -> {
          if (!isExpected(why)) {
            reasons.add(reason(HealthReason.NODE_REFUSED, HealthState.DEGRADED, why));
          } else if (isAbsence(why) && !endpoint.isConnectedTo(node)) {
            reasons.add(reason(HealthReason.MEMBER_AWAY, HealthState.DEGRADED, why));
          }
        });
    missingMajority()
        .ifPresent(
            why -> reasons.add(new HealthReason(HealthReason.NO_MAJORITY, HealthState.DOWN, why)));
    return reasons;
  }

  private static HealthReason reason(String code, HealthState state, ClusterException why) {
    return new HealthReason(code, state, String.valueOf(why.getMessage()));
  }

  /** The first logs need more than a majority. */
  private synchronized Optional<String> unmet(List<NodeId> others) {
    if (hasMetEnough()) {
      return Optional.empty();
    }
    List<NodeId> unmet = others.stream().filter(each -> !met.contains(each)).toList();
    List<NodeId> founders = book.founders();
    ClusterException why = problems.get(unmet.getFirst());
    String when =
        founders.size() > others.size()
            ? "each of its first members has met all others, or more than half of all beside itself"
            : names(founders) + " have met each other";
    return Optional.of(
        "The cluster begins when "
            + when
            + ", and each other first member was met or is away for "
            + away.enough()
            + ". Node "
            + self
            + " has not met "
            + names(unmet)
            + ": start what does not run, and compare the addresses."
            + (why == null ? "" : " " + why.getMessage()));
  }

  private static String names(List<NodeId> nodes) {
    return nodes.stream().map(NodeId::name).collect(Collectors.joining(", "));
  }

  /**
   * {@return what keeps this node from a majority, and what to do; empty if enough members are
   * connected}
   */
  public Optional<String> missingMajority() {
    if (book.waits()) {
      return Optional.of(
          "Node "
              + self
              + " waits to be added, and has no shards before. Call ./holdfast cluster add on a"
              + " member.");
    }
    List<NodeId> others = others();
    Optional<String> unmet = book.isBeingMade() ? unmet(others) : Optional.empty();
    if (unmet.isPresent()) {
      return unmet;
    }
    Predicate<NodeId> isThere = each -> each.equals(self) || endpoint.isConnectedTo(each);
    List<Integer> shards = book.shardsWithoutMajority(isThere);
    if (shards.isEmpty() || shards.size() < book.keptShards()) {
      return Optional.empty(); // each call of those says what it lacks
    }
    List<String> away =
        others.stream().filter(each -> !isThere.test(each)).map(NodeId::name).toList();
    return Optional.of(
        "No majority: node "
            + self
            + " reaches "
            + (others.size() + 1 - away.size())
            + " of "
            + (others.size() + 1)
            + " members, itself included, and none of its shards has a majority of its copies"
            + " there. Start or reconnect "
            + String.join(", ", away)
            + ".");
  }
}
