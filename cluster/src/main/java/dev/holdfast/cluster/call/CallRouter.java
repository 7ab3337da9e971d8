package dev.holdfast.cluster.call;

import dev.holdfast.ObjectId;
import dev.holdfast.TimeSource;
import dev.holdfast.cluster.call.CallOutcome.NotBegun;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.cluster.errors.ObjectUnavailableException.Delivery;
import dev.holdfast.cluster.frame.Frame.Thrown;
import dev.holdfast.cluster.frame.RefusalReason;
import dev.holdfast.cluster.frame.Value;
import dev.holdfast.cluster.route.RoutingTable;
import dev.holdfast.cluster.route.ShardOwnership;
import dev.holdfast.cluster.status.NodeCounters;
import dev.holdfast.cluster.status.NodeCounters.Sent;
import dev.holdfast.cluster.status.RemoteCallEvent;
import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.errors.ObjectCallTimeoutException;
import dev.holdfast.errors.UncopyableValueException;
import dev.holdfast.spi.log.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Brings a call to the owner of its object. What has surely not begun is sent again, with growing
 * pauses, until the route time-out; everything else ends the call. Thread-safe.
 */
public final class CallRouter {

  /** How long a call that cannot find its owner is tried, unless an option says otherwise. */
  public static final Duration DEFAULT_ROUTE_TIMEOUT = Duration.ofSeconds(10);

  private static final Duration NANOS_MAX = Duration.ofNanos(Long.MAX_VALUE);

  private static final long PAUSE_MIN_NANOS = 5_000_000;
  private static final long PAUSE_MAX_NANOS = 320_000_000;

  /**
   * While a shard is moved: that takes longer, and nodes with a copy hear of its end. Calls that
   * are repeated meanwhile take the processors from the move.
   */
  private static final long PAUSE_OF_MOVE_NANOS = 80_000_000;

  /** After this number of redirects in a row the nodes do not agree yet: a pause is due. */
  private static final int REDIRECTS_WITHOUT_PAUSE = 3;

  /** How often each known copy is asked for the owner before other nodes are. */
  private static final int ROUNDS_OF_COPIES = 2;

  /** How long a cancelled call may take to say whether it had begun. */
  private static final long CANCEL_NANOS = 200_000_000;

  private final NodeId self;
  private final Members members;
  private final RoutingTable table;
  private final CallTransport transport;
  private final TimeSource time;
  private final NodeCounters counters;
  private final long routeNanos;

  /**
   * Creates a router.
   *
   * @param self this node
   * @param members the members
   * @param table what is known of owners; the router learns from answers
   * @param transport brings calls to nodes
   * @param time the clock
   * @param counters counts the calls
   * @param routeTimeout how long a call that has not begun is tried, more than zero
   */
  public CallRouter(
      NodeId self,
      Members members,
      RoutingTable table,
      CallTransport transport,
      TimeSource time,
      NodeCounters counters,
      Duration routeTimeout) {
    this.self = self;
    this.members = members;
    this.table = table;
    this.transport = transport;
    this.time = time;
    this.counters = counters;
    this.routeNanos = nanosOf(routeTimeout);
  }

  /** A duration that is longer than a long number of nanoseconds is as good as the longest one. */
  private static long nanosOf(Duration duration) {
    return duration.compareTo(NANOS_MAX) > 0 ? Long.MAX_VALUE : duration.toNanos();
  }

  /** How a call ends that has reached an owner. */
  public sealed interface Answer {

    /** This node owns the object, as far as is known: the call is to be made here. */
    record Here() implements Answer {}

    /**
     * The call has ended.
     *
     * @param value its result
     */
    record Result(Value value) implements Answer {}

    /**
     * The call has ended with an exception.
     *
     * @param thrown the exception
     * @param node where it was thrown
     */
    record Exceptional(Thrown thrown, NodeId node) implements Answer {}
  }

  /**
   * Makes a call, and waits for its end.
   *
   * @param call the call
   * @param timeout how long the caller waits; null for ever
   * @param begunNanos since when it waits, on the monotonic clock
   * @return how it has ended
   * @throws ObjectUnavailableException if no owner was found in time, or the owner was lost after
   *     the call was sent
   * @throws ObjectCallTimeoutException if the time-out is over; the call was withdrawn unless it
   *     had begun
   * @throws CallInterruptedException if the thread was interrupted; the same
   * @throws UncopyableValueException if the call is too long, or the owner cannot read an argument;
   *     it has not begun
   * @throws ClusterException if this is a client, which may not make such a call; it has not begun
   */
  public Answer call(CallUnderWay call, @Nullable Duration timeout, long begunNanos) {
    RemoteCallEvent event = RemoteCallEvent.begun();
    Attempts made = new Attempts(call, timeout, begunNanos);
    @Nullable Sent how = Sent.NOT_DELIVERED; // as one that cannot travel
    try {
      Answer answer = made.run();
      how =
          switch (answer) {
            case Answer.Result _ -> Sent.RETURNED;
            case Answer.Exceptional failed -> made.isTimeout(failed) ? Sent.GIVEN_UP : Sent.THREW;
            case Answer.Here _ -> null;
          };
      return answer;
    } catch (ObjectUnavailableException e) {
      how = e.delivery() == Delivery.UNKNOWN ? Sent.UNKNOWN : Sent.NOT_DELIVERED;
      throw e;
    } catch (ObjectCallTimeoutException | CallInterruptedException e) {
      how = Sent.GIVEN_UP;
      throw e;
    } finally {
      if (how != null) {
        counters.sent(how);
      }
      if (how != null && event != null) {
        event.end(call.namespace(), call.id(), call.method(), made.last, how, made.attempts);
      }
    }
  }

  /**
   * Waits for a time, on a thread that may; not longer than the node is open.
   *
   * @param id the object whose shard is waited for
   * @param nanos how long
   * @return false if the node is closed
   */
  public boolean pause(ObjectId id, long nanos) {
    pauseUntilLater(table.map().shardOf(id), Long.MAX_VALUE, nanos, CompletableFuture::join);
    return !table.isClosed();
  }

  private void pauseUntilLater(
      int shard, long epoch, long nanos, Consumer<CompletableFuture<Void>> wait) {
    if (table.isClosed()) {
      return; // the clock takes no more timers
    }
    CompletableFuture<Void> over = new CompletableFuture<>();
    Runnable wake = () -> over.complete(null);
    TimeSource.Timer timer = time.schedule(nanos, wake);
    table.awaitLater(shard, epoch, wake);
    wait.accept(over);
    table.stopWaiting(shard, wake);
    timer.cancel();
  }

  /** The attempts to make one call. Confined to the thread of the caller. */
  private final class Attempts {

    private final CallUnderWay call;
    private final @Nullable Duration timeout;
    private final long begunNanos;
    private final int shard;
    private final long startedNanos = time.monotonicNanos();
    private int attempts;
    private @Nullable NodeId last;
    private int redirects;
    private long pauseNanos = PAUSE_MIN_NANOS;
    private long pauseMaxNanos = PAUSE_MAX_NANOS;
    private boolean isInterrupted;

    Attempts(CallUnderWay call, @Nullable Duration timeout, long begunNanos) {
      this.call = call;
      this.timeout = timeout;
      this.begunNanos = begunNanos;
      this.shard = table.map().shardOf(call.id());
    }

    Answer run() {
      try {
        while (true) {
          // Before the owner is looked up: what is learned after that ends the pause.
          long epoch = table.lastEpoch(shard);
          NodeId target = target();
          if (target.equals(self)) {
            return new Answer.Here();
          }
          attempts++;
          last = target;
          PendingCall sent = transport.send(target, call, requireTimeLeft());
          SentOrder.recordSent(call.id());
          CallOutcome outcome = await(sent);
          switch (outcome) {
            case CallOutcome.Replied replied -> {
              return new Answer.Result(replied.value());
            }
            case CallOutcome.Failed failed -> {
              return new Answer.Exceptional(failed.thrown(), target);
            }
            case CallOutcome.Unknown unknown -> throw lost(target, unknown.why());
            case NotBegun notBegun -> again(target, notBegun, epoch);
          }
        }
      } finally {
        if (isInterrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    private NodeId target() {
      return table.ownerOf(shard).map(ShardOwnership::node).orElseGet(this::anyOther);
    }

    /**
     * Each node that keeps the shard knows the owner, or will. What this one has heard of them may
     * be old, so at last all are asked, which may have heard more.
     */
    private NodeId anyOther() {
      List<NodeId> copies = others(members.copiesOf(shard));
      List<NodeId> others =
          copies.isEmpty() || attempts >= ROUNDS_OF_COPIES * copies.size()
              ? others(members.nodes())
              : copies;
      return others.isEmpty() ? self : others.get(attempts % others.size());
    }

    private List<NodeId> others(List<NodeId> nodes) {
      return nodes.stream().filter(each -> !each.equals(self)).toList();
    }

    private long elapsedNanos() {
      return time.monotonicNanos() - startedNanos;
    }

    /** Returns what is left of a time-out of the call's own. */
    private long leftNanos(Duration own) {
      return nanosOf(own) - (time.monotonicNanos() - begunNanos);
    }

    /** Returns whether the owner found first that the time of the caller was over. */
    private boolean isTimeout(Answer.Exceptional failed) {
      return timeout != null
          && leftNanos(timeout) <= 0
          && failed.thrown().className().equals(ObjectCallTimeoutException.class.getName());
    }

    /** Returns what is left of the call's own time-out; 0 if it has none. */
    private long requireTimeLeft() {
      if (timeout == null) {
        return 0;
      }
      long left = leftNanos(timeout);
      if (left <= 0) {
        throw timedOut(/* begun= */ false);
      }
      return left;
    }

    private ObjectCallTimeoutException timedOut(boolean begun) {
      return new ObjectCallTimeoutException(
          call.namespace(),
          call.id(),
          Objects.requireNonNull(timeout, "a call without a time-out timed out"),
          begun);
    }

    /** Waits for the outcome, the time-out of the call, or an interrupt. */
    private CallOutcome await(PendingCall pending) {
      // The call is on its way: that its time is over says nothing about whether it has begun.
      long left = timeout == null ? 0 : Math.max(1, leftNanos(timeout));
      waitFor(pending, left, /* interruptibly= */ true);
      boolean isOver = !pending.outcome().isDone();
      if (isOver) {
        pending.cancel();
        waitFor(pending, CANCEL_NANOS, /* interruptibly= */ false);
        if (!pending.outcome().isDone()) {
          throw givenUp(/* begun= */ true);
        }
      }
      CallOutcome outcome = pending.outcome().join();
      if (outcome instanceof CallOutcome.Withdrawn || (isOver && outcome instanceof NotBegun)) {
        throw givenUp(/* begun= */ false);
      }
      return outcome;
    }

    private RuntimeException givenUp(boolean begun) {
      if (isInterrupted) {
        return new CallInterruptedException(
            call.namespace(),
            call.id(),
            begun
                ? "The thread was interrupted while it waited for the reply; the call goes on."
                : "The call was withdrawn before it was delivered.");
      }
      if (timeout == null) {
        // The owner has withdrawn it although nobody asked for that: it is closing.
        return unavailable("the owner has withdrawn the call", "Call again", null);
      }
      return timedOut(begun);
    }

    /** Waits at most for a time, 0 for ever. An interrupt ends the wait, or is kept for later. */
    private void waitFor(PendingCall pending, long nanos, boolean interruptibly) {
      if (pending.outcome().isDone()) {
        return; // also without a timer, of which a closed node has none
      }
      CompletableFuture<Void> over = new CompletableFuture<>();
      TimeSource.Timer timer =
          nanos == 0 ? () -> false : time.schedule(nanos, () -> over.complete(null));
      try {
        waitFor(CompletableFuture.anyOf(pending.outcome(), over), interruptibly);
      } finally {
        timer.cancel();
      }
    }

    private void waitFor(CompletableFuture<?> end, boolean interruptibly) {
      while (true) {
        try {
          end.get();
          return;
        } catch (InterruptedException e) {
          isInterrupted = true;
          if (interruptibly) {
            return;
          }
        } catch (ExecutionException e) {
          throw new IllegalStateException("An outcome is a value, never a failure.", e);
        }
      }
    }

    /**
     * Prepares the next attempt, or ends the call.
     *
     * @param epoch of the last ownership that was known before the attempt
     */
    private void again(NodeId target, NotBegun outcome, long epoch) {
      boolean isNews = false;
      String why;
      String advice = "Call again when a majority of the nodes runs";
      ClusterException cause = null;
      switch (outcome) {
        case CallOutcome.Redirected redirected -> {
          counters.redirected();
          isNews = learn(target, redirected);
          why = "node " + target + " does not own the object, and knows no owner that takes calls";
        }
        case CallOutcome.NotSent notSent -> {
          table.forget(shard, target);
          cause = notSent.why();
          why = String.valueOf(cause.getMessage());
        }
        case CallOutcome.RefusedCall refused -> {
          if (refused.reason() == RefusalReason.ARGUMENTS) {
            throw new UncopyableValueException(
                call.namespace(),
                call.id(),
                "Node "
                    + target
                    + " cannot read the call, and has not begun it: "
                    + refused.message(),
                null);
          }
          if (refused.reason() == RefusalReason.UNKNOWN_METHOD
              && call.namespace().startsWith("$")) {
            throw unavailable(
                "node " + target + " runs an older version, without " + call.method(),
                "Install the same version of Holdfast on all nodes",
                null);
          }
          if (refused.reason() == RefusalReason.NOT_ALLOWED) {
            throw new ClusterException(Reason.NOT_ALLOWED, refused.message(), null);
          }
          switch (refused.reason()) {
            // It owns the object all the same, and takes other calls.
            case UNKNOWN_NAMESPACE, UNKNOWN_METHOD ->
                advice = "Install the same version of the application on all nodes";
            case DRAINING -> {
              table.forget(shard, target);
              pauseNanos = PAUSE_OF_MOVE_NANOS;
              pauseMaxNanos = PAUSE_OF_MOVE_NANOS;
              advice = "Call again when the shard has been moved";
            }
            default -> table.forget(shard, target);
          }
          why = "node " + target + " has refused it: " + refused.message();
        }
        case CallOutcome.Withdrawn _ -> throw new IllegalStateException("It ends the call before.");
      }
      if (table.isClosed()) {
        throw unavailable(why, "This node is closed: open it again", cause);
      }
      if (elapsedNanos() >= routeNanos) {
        throw unavailable(why, advice, cause);
      }
      if (isInterrupted) {
        throw givenUp(/* begun= */ false); // the interrupt came with the answer
      }
      if (isNews && redirects < REDIRECTS_WITHOUT_PAUSE) {
        redirects++;
        return;
      }
      redirects = 0;
      pause(epoch);
    }

    private boolean learn(NodeId target, CallOutcome.Redirected redirected) {
      if (redirected.shard() != shard) {
        // Its map of shards is another one; what it says of this one means nothing.
        table.forget(shard, target);
        return false;
      }
      if (redirected.owner().isEmpty()) {
        table.forget(shard, target);
        return false;
      }
      ShardOwnership owner = redirected.owner().get();
      return table.learn(shard, owner) && !owner.node().equals(target);
    }

    /** Waits for a time, or until a later ownership is known. */
    private void pause(long epoch) {
      members.lookAgain();
      pauseUntilLater(shard, epoch, pauseNanos, over -> waitFor(over, /* interruptibly= */ true));
      if (table.lastEpoch(shard) > epoch) {
        pauseNanos = PAUSE_MIN_NANOS;
        pauseMaxNanos = PAUSE_MAX_NANOS;
      } else {
        pauseNanos = Math.min(2 * pauseNanos, pauseMaxNanos);
      }
      if (isInterrupted) {
        throw givenUp(/* begun= */ false);
      }
    }

    private ObjectUnavailableException lost(NodeId target, ClusterException why) {
      // The next call asks another node at once.
      table.forget(shard, target);
      return new ObjectUnavailableException(
          call.namespace(),
          call.id(),
          Delivery.UNKNOWN,
          "Node "
              + target
              + " was lost before it answered; the call may have had its effect, or not. Read what"
              + " it has done before you repeat it. "
              + why.getMessage(),
          why);
    }

    private ObjectUnavailableException unavailable(
        String why, String advice, @Nullable ClusterException cause) {
      return new ObjectUnavailableException(
          call.namespace(),
          call.id(),
          Delivery.NOT_DELIVERED,
          "No owner of the object took the call within "
              + Duration.ofNanos(elapsedNanos())
              + ", in "
              + attempts
              + " attempts; it has not begun and will not. "
              + advice
              + ". The last reason: "
              + why,
          cause);
    }
  }
}
