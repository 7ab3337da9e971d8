package dev.holdfast.cluster.object;

import dev.holdfast.ObjectId;
import dev.holdfast.ObjectStub;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.TimeSource;
import dev.holdfast.cluster.call.ArrivalOrder;
import dev.holdfast.cluster.call.CallHandler;
import dev.holdfast.cluster.call.IncomingCall;
import dev.holdfast.cluster.call.WaitingCalls;
import dev.holdfast.cluster.frame.Frame.Header;
import dev.holdfast.cluster.frame.RefusalReason;
import dev.holdfast.cluster.frame.Value;
import dev.holdfast.cluster.route.RoutingTable;
import dev.holdfast.cluster.route.ShardOwnership;
import dev.holdfast.cluster.shard.NodeShards;
import dev.holdfast.cluster.shard.OwnedShard;
import dev.holdfast.cluster.status.NodeCounters;
import dev.holdfast.cluster.status.NodeCounters.Received;
import dev.holdfast.cluster.value.Failures;
import dev.holdfast.cluster.value.RemoteMethod;
import dev.holdfast.cluster.value.UnreadableValueException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.errors.ObjectCallTimeoutException;
import dev.holdfast.filter.Headers;
import dev.holdfast.runtime.CarriedCalls;
import dev.holdfast.runtime.RemoteCall;
import dev.holdfast.runtime.RemoteCaller;
import dev.holdfast.spi.log.NodeId;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes the calls that other nodes send. A call that has not begun is redirected or refused, or
 * withdrawn when its caller waits no more; one that has begun is answered once its effects are
 * durable. Thread-safe.
 */
public final class CallReceiver implements CallHandler {

  private final NodeId self;
  private final NodeShards shards;
  private final RoutingTable table;
  private final TimeSource time;
  private final ExecutorService answers;
  private final Function<String, @Nullable ClusterNamespace<?>> namespaces;
  private final ShardService service;
  private final Map<String, CallHandler> ofNode;
  private final WaitingCalls waiting;
  private final NodeCounters counters;
  private final long openingNanosMax;
  private final ArrivalOrder<OwnedShard> opened = new ArrivalOrder<>();

  /**
   * Creates it for a node.
   *
   * @param self the node
   * @param shards the shards of the node
   * @param table the owner of each shard, as far as this node knows
   * @param time the time of the node
   * @param answers runs what may block, because an answer waits for room
   * @param namespaces finds a namespace; null if it is not registered
   * @param service the operations of shards
   * @param ofNode answers calls of the node itself, by what they name in the place of a namespace
   * @param waiting the calls of this node that wait for calls of others
   * @param counters counts the answers
   * @param openingNanosMax how long a call waits for the objects of its shard, in nanoseconds
   */
  public CallReceiver(
      NodeId self,
      NodeShards shards,
      RoutingTable table,
      TimeSource time,
      ExecutorService answers,
      Function<String, @Nullable ClusterNamespace<?>> namespaces,
      ShardService service,
      Map<String, CallHandler> ofNode,
      WaitingCalls waiting,
      NodeCounters counters,
      long openingNanosMax) {
    this.self = self;
    this.shards = shards;
    this.table = table;
    this.time = time;
    this.answers = answers;
    this.namespaces = namespaces;
    this.service = service;
    this.ofNode = ofNode;
    this.waiting = waiting;
    this.counters = counters;
    this.openingNanosMax = openingNanosMax;
  }

  /** What a call names: the objects of a namespace, or the operations of a shard. */
  private interface Callee {

    /** {@return the method with a text; empty if there is none} */
    Optional<RemoteMethod> method(String text);

    /** Refuses an id that it cannot have. */
    void check(ObjectId id);

    /** Makes a call, unless it is withdrawn before it begins. Does not block. */
    CompletableFuture<@Nullable Object> make(
        OwnedShard here,
        ClusterCalls.Call call,
        @Nullable Object[] arguments,
        List<RemoteCaller> chain,
        RemoteCall made);
  }

  /** A call, which has one answer: what begins or withdraws it decides which. */
  private final class ReceivedCall {

    private final IncomingCall incoming;

    /** What the object has, or will never have. */
    private final RemoteCall made = new RemoteCall();

    ReceivedCall(IncomingCall incoming) {
      this.incoming = incoming;
    }

    /** Answers the call, which has ended. */
    void answer(Runnable answer) {
      if (made.begin()) {
        send(answer);
      } // else it was answered when it was withdrawn
    }

    /**
     * Answers the call, unless it has begun, or was answered: from now on it never begins.
     *
     * @return whether it is answered
     */
    boolean answerUnbegun(Runnable answer) {
      boolean isUnbegun = made.withdraw();
      if (isUnbegun) {
        send(answer);
      }
      return isUnbegun;
    }

    boolean refuse(RefusalReason reason, String message) {
      return answerUnbegun(
          () -> {
            counters.received(Received.REFUSED);
            incoming.refuse(reason, message);
          });
    }

    boolean withdraw() {
      return refuse(RefusalReason.WITHDRAWN, "The caller no longer waits for the call.");
    }

    /** The objects of the shard are open, or not here. */
    void opened(OwnedShard here, @Nullable Throwable failure, Callee callee, RemoteMethod method) {
      incoming.answerBy(
          () -> {
            if (failure == null) {
              begin(here, callee, method, this);
            } else {
              redirect(this);
            }
          });
    }

    private void send(Runnable answer) {
      answers.execute(() -> incoming.answerBy(answer));
    }
  }

  @Override
  public void call(IncomingCall incoming) {
    if (incoming.isOfClient() && !ClientRights.include(incoming.namespace(), incoming.method())) {
      new ReceivedCall(incoming)
          .refuse(
              RefusalReason.NOT_ALLOWED,
              "Client "
                  + incoming.caller()
                  + " may not call "
                  + incoming.method()
                  + " of "
                  + incoming.namespace()
                  + " on node "
                  + self
                  + ". Do it on a member.");
      return;
    }
    CallHandler node = ofNode.get(incoming.namespace());
    if (node != null) {
      node.call(incoming);
      return;
    }
    ReceivedCall call = new ReceivedCall(incoming);
    CompletableFuture<OwnedShard> open = shards.of(incoming.id()).objects();
    if (open == null) {
      redirect(call); // first: the owner may have what this node lacks
      return;
    }
    Callee callee = callee(incoming);
    if (callee == null) {
      call.refuse(
          RefusalReason.UNKNOWN_NAMESPACE,
          "The namespace \"" + incoming.namespace() + "\" is not registered on node " + self + ".");
      return;
    }
    Optional<RemoteMethod> method = callee.method(incoming.method());
    if (method.isEmpty()) {
      call.refuse(
          RefusalReason.UNKNOWN_METHOD,
          "Node " + self + " has another interface, without " + incoming.method() + ".");
      return;
    }
    // Emptied by a withdrawal, which gives the room of the call free: callers that give up and
    // call again must not fill the memory while the objects are opened.
    AtomicReference<@Nullable ReceivedCall> unanswered = new AtomicReference<>(call);
    if (!open.isDone()) {
      limit(open, unanswered);
    }
    incoming.onCancel(
        () -> {
          if (call.withdraw()) {
            unanswered.set(null);
          }
        });
    // Once they are open, it runs here and now, in the order of the calls.
    opened.whenDone(
        open,
        (here, failure) -> {
          ReceivedCall waited = unanswered.get();
          if (waited != null) {
            waited.opened(here, failure, callee, method.get());
          }
        });
  }

  /** An opening may take longer than a caller without a time-out waits for an owner. */
  private void limit(
      CompletableFuture<?> opening, AtomicReference<@Nullable ReceivedCall> unanswered) {
    TimeSource.Timer limit =
        time.schedule(
            openingNanosMax,
            () -> {
              ReceivedCall waits = unanswered.getAndSet(null);
              if (waits != null) {
                redirect(waits);
              }
            });
    var _ = opening.whenComplete((_, _) -> limit.cancel());
  }

  private @Nullable Callee callee(IncomingCall incoming) {
    String target = incoming.namespace();
    if (target.equals(ShardOperations.TARGET)) {
      return new ShardCallee();
    }
    ClusterNamespace<?> namespace = namespaces.apply(target);
    return namespace == null ? null : new ObjectCallee(namespace, waiting, incoming.isOfClient());
  }

  /**
   * The objects of a namespace.
   *
   * @param isForClient a client has no carriers: what it sends in the place of their values, its
   *     caller has set
   */
  private record ObjectCallee(
      ClusterNamespace<?> namespace, WaitingCalls waiting, boolean isForClient) implements Callee {

    @Override
    public Optional<RemoteMethod> method(String text) {
      return namespace.methods().method(text);
    }

    @Override
    public void check(ObjectId id) {
      namespace.registered().check(id);
    }

    @Override
    public CompletableFuture<@Nullable Object> make(
        OwnedShard here,
        ClusterCalls.Call call,
        @Nullable Object[] arguments,
        List<RemoteCaller> chain,
        RemoteCall made) {
      CarriedCalls carried = namespace.calls().carried();
      Headers headers = carried.without(call.headers());
      ObjectStub<?> stub =
          ClusterCalls.stub(
              here.runtime(), namespace.registered(), call.id(), call.timeout(), headers);
      AtomicReference<@Nullable CompletableFuture<@Nullable Object>> sent = new AtomicReference<>();
      try {
        carried.received(
            isForClient ? headers : call.headers(),
            () -> {
              sent.set(
                  stub.async(
                      object ->
                          waiting.callFor(
                              chain,
                              () -> made.make(() -> invoke(object, call.method(), arguments)))));
              return sent;
            });
      } catch (RuntimeException e) {
        if (sent.get() == null) {
          throw e;
        } // else the call is on its way, and says what its thread could not restore
      }
      return Objects.requireNonNull(sent.get());
    }
  }

  /** The operations of the shard that an id is in. */
  private final class ShardCallee implements Callee {

    @Override
    public Optional<RemoteMethod> method(String text) {
      return service.methods().method(text);
    }

    @Override
    public void check(ObjectId id) {
      // It only says which shard is meant.
    }

    @Override
    public CompletableFuture<@Nullable Object> make(
        OwnedShard here,
        ClusterCalls.Call call,
        @Nullable Object[] arguments,
        List<RemoteCaller> chain,
        RemoteCall made) {
      CompletableFuture<@Nullable Object> done = new CompletableFuture<>();
      answers.execute(
          () -> {
            try {
              if (made.begin()) {
                done.complete(service.invoke(here, call.method(), arguments));
              }
            } catch (Throwable e) {
              done.completeExceptionally(e);
            }
          });
      return done;
    }
  }

  private boolean redirect(ReceivedCall call) {
    IncomingCall incoming = call.incoming;
    int shard = shards.of(incoming.id()).number();
    ShardOwnership owner =
        table.ownerOf(shard).filter(known -> !known.node().equals(self)).orElse(null);
    if (owner == null && shards.of(incoming.id()).isMoving()) {
      return call.refuse(
          RefusalReason.DRAINING, "Shard " + shard + " is being moved from it to another node.");
    }
    return call.answerUnbegun(
        () -> {
          counters.received(Received.REDIRECTED);
          incoming.redirect(shard, owner);
        });
  }

  private void begin(OwnedShard here, Callee callee, RemoteMethod method, ReceivedCall received) {
    IncomingCall incoming = received.incoming;
    @Nullable Object[] arguments;
    Headers headers;
    try {
      callee.check(incoming.id());
      headers = headersOf(incoming);
      arguments = method.readArguments(incoming.arguments());
    } catch (UnreadableValueException | RuntimeException | Error e) {
      received.refuse(RefusalReason.ARGUMENTS, String.valueOf(e.getMessage()));
      return;
    }
    OptionalLong deadline = incoming.deadlineNanos();
    Duration left = null;
    if (deadline.isPresent()) {
      left = Duration.ofNanos(deadline.getAsLong() - time.monotonicNanos());
      if (left.isNegative() || left.isZero()) {
        received.withdraw();
        return;
      }
    }
    ClusterCalls.Call call =
        new ClusterCalls.Call(
            incoming.namespace(), incoming.namespace(), incoming.id(), method, left, headers);
    CompletableFuture<@Nullable Object> done;
    try {
      done = callee.make(here, call, arguments, incoming.chain(), received.made);
    } catch (RuntimeException | Error e) {
      end(received, call, null, e); // it was not sent
      return;
    }
    CompletableFuture<@Nullable Object> _ =
        done.whenComplete(
            (result, failure) -> incoming.answerBy(() -> end(received, call, result, failure)));
  }

  /** The call has ended, begun or not. */
  private void end(
      ReceivedCall received,
      ClusterCalls.Call call,
      @Nullable Object result,
      @Nullable Throwable failure) {
    Throwable thrown =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    boolean isAnswered =
        switch (thrown) {
          // Its caller knows the whole time-out, of which this node knows what was left.
          case ObjectCallTimeoutException _ -> received.withdraw();
          // Another node has the objects next.
          case JournalFailedException _, RuntimeClosedException _ -> redirect(received);
          case null, default -> false;
        };
    if (!isAnswered) {
      received.answer(() -> answer(received.incoming, call, result, thrown));
    }
  }

  private static @Nullable Object invoke(
      Object object, RemoteMethod method, @Nullable Object[] arguments) throws Exception {
    try {
      return Proxy.getInvocationHandler(object).invoke(object, method.method(), arguments);
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("An object threw neither an exception nor an error.", e);
    }
  }

  private static Headers headersOf(IncomingCall incoming) {
    Headers headers = Headers.NONE;
    for (Header each : incoming.headers()) {
      headers = headers.with(each.name(), each.value());
      headers = each.kept() ? headers.keep(each.name()) : headers;
    }
    return headers;
  }

  private void answer(
      IncomingCall incoming,
      ClusterCalls.Call call,
      @Nullable Object result,
      @Nullable Throwable failure) {
    if (failure != null) {
      fail(incoming, call, failure);
      return;
    }
    Value written;
    try {
      written = call.method().writeResult(call.id(), result);
    } catch (RuntimeException | Error e) {
      fail(incoming, call, e);
      return;
    }
    counters.received(Received.RETURNED);
    incoming.reply(written);
  }

  private void fail(IncomingCall incoming, ClusterCalls.Call call, Throwable thrown) {
    counters.received(Received.THREW);
    incoming.fail(Failures.describe(ClusterCalls.ofCluster(call.namespace(), call.id(), thrown)));
  }
}
