package dev.holdfast.cluster.object;

import dev.holdfast.ObjectId;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.ObjectStub;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.TimeSource;
import dev.holdfast.cluster.call.CallRouter;
import dev.holdfast.cluster.call.CallRouter.Answer;
import dev.holdfast.cluster.call.CallUnderWay;
import dev.holdfast.cluster.call.WaitingCalls;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.cluster.errors.ObjectUnavailableException.Delivery;
import dev.holdfast.cluster.frame.Frame.Header;
import dev.holdfast.cluster.shard.NodeShard;
import dev.holdfast.cluster.shard.NodeShards;
import dev.holdfast.cluster.shard.OwnedShard;
import dev.holdfast.cluster.value.Failures;
import dev.holdfast.cluster.value.RemoteMethod;
import dev.holdfast.cluster.value.UnreadableValueException;
import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.errors.ObjectCallTimeoutException;
import dev.holdfast.filter.Headers;
import dev.holdfast.runtime.CarriedCalls;
import dev.holdfast.runtime.OutsideCalls;
import dev.holdfast.runtime.RegisteredNamespace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes calls where the objects are: at the runtime of their shard here, or at another node. */
public final class ClusterCalls {

  private static final long PAUSE_NANOS = 5_000_000;

  private final Supplier<Optional<String>> missingMajority;
  private final NodeShards shards;
  private final CallRouter router;
  private final WaitingCalls waiting;
  private final CarriedCalls carried;
  private final TimeSource time;
  private final Duration routeTimeout;

  /**
   * Creates it for a node.
   *
   * @param missingMajority says what keeps this node from a majority; empty if it has one
   * @param shards the shards of this node
   * @param router makes the calls of objects that other nodes own
   * @param waiting the calls of this node that wait for calls of others
   * @param carried what carriers take along
   * @param time the time of the node
   * @param routeTimeout how long a call waits for an owner
   */
  public ClusterCalls(
      Supplier<Optional<String>> missingMajority,
      NodeShards shards,
      CallRouter router,
      WaitingCalls waiting,
      CarriedCalls carried,
      TimeSource time,
      Duration routeTimeout) {
    this.missingMajority = missingMajority;
    this.shards = shards;
    this.router = router;
    this.waiting = waiting;
    this.carried = carried;
    this.time = time;
    this.routeTimeout = routeTimeout;
  }

  /**
   * A call.
   *
   * @param target what the owner calls: a namespace, or {@link ShardOperations#TARGET}
   * @param namespace of the object, for errors
   * @param id the object
   * @param method the method
   * @param timeout how long the caller waits; null for ever
   * @param headers what filters have added
   */
  public record Call(
      String target,
      String namespace,
      ObjectId id,
      RemoteMethod method,
      @Nullable Duration timeout,
      Headers headers) {}

  /** Makes a call at a shard of this node. */
  public interface Local {

    /**
     * Makes the call, and waits for its end.
     *
     * @param here the shard, with its open objects
     * @param left how long the caller waits still, more than zero; null for ever
     * @return what is returned there
     * @throws Throwable what is thrown there
     */
    @Nullable Object make(OwnedShard here, @Nullable Duration left) throws Throwable;
  }

  /**
   * Makes a call, and waits for its end. Tries again while the owner changes, as long as the call
   * has not begun.
   *
   * @param call the call
   * @param arguments of its method
   * @param local makes it if this node owns the object
   * @param earlier completes when the call may be sent; null if it may at once
   * @return what the object returns
   * @throws ObjectUnavailableException if no owner takes the call in time, or the owner lost the
   *     object meanwhile
   * @throws ObjectCallTimeoutException if the time-out of the call is over
   * @throws CallInterruptedException if the thread is interrupted while it waits
   * @throws Throwable what the object throws
   */
  public @Nullable Object make(
      Call call,
      @Nullable Object[] arguments,
      Local local,
      @Nullable CompletableFuture<Void> earlier)
      throws Throwable {
    long begunNanos = time.monotonicNanos();
    if (earlier != null) {
      await(earlier, call, begunNanos);
    }
    CallUnderWay outgoing = null;
    while (true) {
      OwnedShard here = here(call, begunNanos);
      if (here != null) {
        try {
          return local.make(here, left(call, begunNanos));
        } catch (JournalFailedException | RuntimeClosedException e) {
          // An operation of a shard may have done a part.
          if (call.target().equals(ShardOperations.TARGET) || !OutsideCalls.isRefused(e)) {
            throw ofCluster(call.namespace(), call.id(), e);
          } // else the objects were closed a moment ago, and another node has them next
        } catch (ObjectCallTimeoutException e) {
          throw ofCaller(call, e);
        }
      }
      if (outgoing == null) {
        // Copied in the caller's turn, which ends before the call: its values may change after it.
        outgoing = outgoing(call, arguments);
      }
      CallUnderWay sent = outgoing;
      Answer answer;
      try {
        answer =
            OutsideCalls.callObject(
                () ->
                    waiting.await(
                        sent.chain(), () -> router.call(sent, call.timeout(), begunNanos)));
      } catch (ObjectUnavailableException e) {
        throw explained(call, e);
      } catch (JournalFailedException e) {
        throw unsent(call.namespace(), call.id(), e);
      }
      switch (answer) {
        case Answer.Result result -> {
          return result(call, result);
        }
        case Answer.Exceptional failed ->
            throw ofCaller(
                call,
                Failures.remake(
                    failed.thrown(),
                    failed.node(),
                    call.namespace(),
                    call.id(),
                    call.method().method()));
        case Answer.Here _ -> pause(call, begunNanos);
      }
    }
  }

  /** {@return what a caller gets for a failure: the last attempt had only the rest of its time} */
  private static Throwable ofCaller(Call call, Throwable thrown) {
    Duration timeout = call.timeout();
    if (timeout == null
        || !(thrown instanceof ObjectCallTimeoutException late)
        || !late.namespace().equals(call.namespace())
        || !late.objectId().equals(call.id().toString())
        || late.timeout().compareTo(timeout) >= 0) {
      return thrown;
    }
    Throwable whole =
        new ObjectCallTimeoutException(call.namespace(), call.id(), timeout, late.delivered());
    whole.addSuppressed(late);
    return whole;
  }

  /**
   * {@return what a call fails with that was made on behalf of an object, after that was lost}
   *
   * @param lost why what the call depends on is not known to be durable
   */
  static ObjectUnavailableException unsent(
      String namespace, ObjectId id, JournalFailedException lost) {
    return new ObjectUnavailableException(
        namespace,
        id,
        Delivery.NOT_DELIVERED,
        "The call has not begun and will not: the object that makes it was lost, with what the call"
            + " depends on.",
        lost);
  }

  private ObjectUnavailableException explained(Call call, ObjectUnavailableException found) {
    Optional<String> why =
        found.delivery() == Delivery.NOT_DELIVERED ? missingMajority.get() : Optional.empty();
    return why.isEmpty()
        ? found
        : new ObjectUnavailableException(
            call.namespace(),
            call.id(),
            Delivery.NOT_DELIVERED,
            "The call has not begun and will not. " + why.get(),
            found);
  }

  /** {@return what carriers take along} */
  CarriedCalls carried() {
    return carried;
  }

  /** {@return the object's shard; null if this node does not own it} */
  private @Nullable OwnedShard here(Call call, long begunNanos) {
    NodeShard shard = shards.of(call.id());
    // While a shard is moved, the objects that still run end only if what they call answers.
    CompletableFuture<OwnedShard> open =
        OutsideCalls.isInObject() ? shard.objectsOrEnding() : shard.objects();
    if (open == null) {
      return null;
    }
    try {
      if (open.isDone()) {
        return open.resultNow();
      }
      Duration own = call.timeout();
      Duration left = own == null ? routeTimeout : own.minus(since(begunNanos));
      Duration limit = left.compareTo(routeTimeout) < 0 ? left : routeTimeout;
      Callable<OwnedShard> wait = () -> open.get(limit.toNanos(), TimeUnit.NANOSECONDS);
      // Nothing leaves the node here: only the turn of an object has to end.
      return OutsideCalls.isInObject() ? OutsideCalls.call(wait) : wait.call();
    } catch (TimeoutException e) {
      requireWanted(call, begunNanos);
      return null;
    } catch (ExecutionException | IllegalStateException e) {
      return null; // lost, or not open in time: the router says where it is, or gives up
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      requireWanted(call, begunNanos);
      return null;
    } catch (Exception e) {
      throw new IllegalStateException("Waiting for a shard has failed.", e);
    }
  }

  private void await(CompletableFuture<Void> earlier, Call call, long begunNanos) {
    while (!earlier.isDone()) {
      Duration left = left(call, begunNanos);
      try {
        long nanos = left == null ? Long.MAX_VALUE : TimeUnit.NANOSECONDS.convert(left);
        earlier.get(nanos, TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        requireWanted(call, begunNanos);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        requireWanted(call, begunNanos);
      } catch (ExecutionException e) {
        throw new IllegalStateException("A call is sent, or has ended.", e);
      }
    }
  }

  private Duration since(long begunNanos) {
    return Duration.ofNanos(time.monotonicNanos() - begunNanos);
  }

  /** Ends a call that has not begun if its thread was interrupted, or its time is over. */
  private void requireWanted(Call call, long begunNanos) {
    if (Thread.currentThread().isInterrupted()) {
      throw new CallInterruptedException(
          call.namespace(), call.id(), "The call was withdrawn before it was delivered.");
    }
    Duration _ = left(call, begunNanos);
  }

  /** {@return what is left of a call's own time-out, more than zero; null if it has none} */
  private @Nullable Duration left(Call call, long begunNanos) {
    Duration timeout = call.timeout();
    if (timeout == null) {
      return null;
    }
    Duration left = timeout.minus(since(begunNanos));
    if (left.isZero() || left.isNegative()) {
      throw new ObjectCallTimeoutException(
          call.namespace(), call.id(), timeout, /* delivered= */ false);
    }
    return left;
  }

  /** {@return a stub of a runtime of this node} */
  static <T> ObjectStub<T> stub(
      ObjectRuntime here,
      RegisteredNamespace<T> namespace,
      ObjectId id,
      @Nullable Duration timeout,
      Headers headers) {
    ObjectStub<T> stub = here.namespace(namespace.name(), namespace.type()).stub(id);
    stub = headers.isEmpty() ? stub : stub.withHeaders(headers);
    return timeout == null ? stub : stub.withTimeout(timeout);
  }

  /**
   * {@return what a caller in a cluster gets for a failure of a runtime of this node: the failures
   * that end an ownership are not the end of the object}
   */
  static Throwable ofCluster(String namespace, ObjectId id, Throwable thrown) {
    return thrown instanceof JournalFailedException || thrown instanceof RuntimeClosedException
        ? lost(namespace, id, thrown)
        : thrown;
  }

  /** {@return what a caller gets whose call was under way when the ownership ended} */
  static ObjectUnavailableException lost(String namespace, ObjectId id, Throwable why) {
    return new ObjectUnavailableException(
        namespace,
        id,
        Delivery.UNKNOWN,
        "The owner lost the object while it was called; the call may have had its effect, or not."
            + " Read what it has done before you repeat it.",
        why);
  }

  private CallUnderWay outgoing(Call call, @Nullable Object[] arguments) {
    List<Header> headers = new ArrayList<>();
    boolean isOfObject = !call.target().equals(ShardOperations.TARGET);
    Headers all = isOfObject ? carried.sent(call.headers()) : call.headers();
    Headers kept = all.kept();
    all.asMap()
        .forEach((name, value) -> headers.add(new Header(name, value, kept.get(name).isPresent())));
    return new CallUnderWay(
        call.target(),
        call.id(),
        call.method().text(),
        headers,
        waiting.chain(),
        call.method().writeArguments(call.id(), arguments));
  }

  private static @Nullable Object result(Call call, Answer.Result result) {
    try {
      return call.method().readResult(result.value());
    } catch (UnreadableValueException e) {
      throw new ObjectUnavailableException(
          call.namespace(),
          call.id(),
          Delivery.UNKNOWN,
          "The call has ended, but its result cannot be read here: " + e.getMessage(),
          e);
    }
  }

  /** This node should have the object, but has it no more, or not yet. */
  private void pause(Call call, long begunNanos) {
    requireWanted(call, begunNanos);
    if (!router.pause(call.id(), PAUSE_NANOS)
        || time.monotonicNanos() - begunNanos > routeTimeout.toNanos()) {
      throw explained(
          call,
          new ObjectUnavailableException(
              call.namespace(),
              call.id(),
              Delivery.NOT_DELIVERED,
              "No owner of the object took the call within "
                  + routeTimeout
                  + ", or before this node was closed; it has not begun and will not. "
                  + (shards.of(call.id()).isMoving()
                      ? "The shard is being moved from this node to another: call again."
                      : "Call again when a majority of the nodes runs."),
              null));
    }
  }

  /**
   * Waits for a time, on a thread that may block. An interrupt does not end the wait.
   *
   * @param time says when it is over
   * @param nanos how long, in nanoseconds
   */
  public static void pause(TimeSource time, long nanos) {
    CompletableFuture<Void> over = new CompletableFuture<>();
    time.schedule(nanos, () -> over.complete(null));
    over.join();
  }
}
