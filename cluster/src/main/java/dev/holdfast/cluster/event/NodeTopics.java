package dev.holdfast.cluster.event;

import dev.holdfast.ObjectId;
import dev.holdfast.TimeSource;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.cluster.call.CallTransport;
import dev.holdfast.cluster.call.DirectCalls;
import dev.holdfast.cluster.call.IncomingCall;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.event.Deliveries.Batch;
import dev.holdfast.cluster.status.NodeCounters;
import dev.holdfast.cluster.value.References;
import dev.holdfast.cluster.value.RemoteInterface;
import dev.holdfast.cluster.value.RemoteMethod;
import dev.holdfast.event.Subscription;
import dev.holdfast.runtime.EventListeners;
import dev.holdfast.spi.log.NodeId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The topics of a node: its listeners, what its objects publish to all nodes, and what those of
 * others publish to its listeners. Only nodes that listen to a topic get its events. Thread-safe.
 */
public final class NodeTopics implements AutoCloseable {

  /** In the place of a namespace, in a call; no namespace can have this name. */
  public static final String TARGET = "$events";

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /** How often other nodes hear again what this one listens to; they forget it later. */
  private static final long REPEAT_NANOS = Subscribers.LEASE_NANOS / 4;

  private static final long SEND_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final ObjectId NO_OBJECT = ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null);

  private final NodeId self;
  private final TimeSource time;
  private final Executor threads;
  private final RemoteInterface methods;
  private final EventListeners listeners;
  private final Deliveries deliveries;
  private final Subscribers subscribers;
  private final long session;
  private final AtomicLong version = new AtomicLong();

  /** Until when another node is not told again, unless something changes. */
  private final Map<NodeId, Long> toldNanos = new ConcurrentHashMap<>();

  /** Set before other nodes can hear it. */
  private volatile @Nullable Others others;

  /** What nodes tell each other. */
  public interface Messages {

    /**
     * A node listens to topics, and to no other ones.
     *
     * @param session distinguishes its process from others of the node
     * @param version rises with each message
     * @param topics all topics
     */
    void listen(long session, long version, List<String> topics);

    /**
     * Objects have published events.
     *
     * @param session distinguishes the sending process from others of the node
     * @param number rises with each message to this node
     * @param events as {@link PublishedEvent#write} writes them
     */
    void deliver(long session, long number, byte[] events);
  }

  /**
   * The other nodes.
   *
   * @param reached those that are connected now
   * @param transport brings calls to them
   * @param waitNanos how long a new listener waits until they know it
   */
  public record Others(Supplier<List<NodeId>> reached, CallTransport transport, long waitNanos) {}

  /**
   * Creates it for a node, without listeners.
   *
   * @param self this node
   * @param references the addresses of this node
   * @param threads runs what waits for other nodes
   * @param time the clock
   * @param values what reads the values of a namespace, by its name
   * @param counters counts what is left out
   * @param session random
   */
  public NodeTopics(
      NodeId self,
      References references,
      Executor threads,
      TimeSource time,
      Function<String, StructuredClone> values,
      NodeCounters counters,
      long session) {
    this.self = self;
    this.threads = threads;
    this.time = time;
    this.session = session;
    this.methods =
        new RemoteInterface(TARGET, Messages.class, StructuredClone.standard(), references);
    this.listeners = new EventListeners(LOG, time, values);
    this.deliveries =
        new Deliveries(
            event -> listeners.publish(event.key(), event.topic(), event.encoded()),
            // Not the threads of the node, which its close waits for: a listener may never end.
            task -> Thread.ofVirtual().name("holdfast-listener").start(task),
            () -> counters.eventsLeftOut(1));
    this.subscribers = new Subscribers(time, threads, this::send, counters::eventsLeftOut, session);
  }

  /**
   * From now on other nodes can hear it.
   *
   * @param nodes the other nodes
   */
  public void begin(Others nodes) {
    others = nodes;
  }

  // ---- Listeners of this node ---------------------------------------------------------------

  /**
   * Adds a listener; see {@link dev.holdfast.ObjectRuntime#subscribe}. Returns when the nodes that
   * are connected know it, or after a while.
   *
   * @param <T> the type of the events
   * @param topic the topic
   * @param type the type of the events
   * @param listener receives them
   * @return removes it
   */
  public <T> Subscription subscribe(String topic, Type type, Consumer<? super T> listener) {
    Subscription here = listeners.subscribe(topic, type, listener);
    tellAll();
    AtomicBoolean isEnded = new AtomicBoolean();
    return () -> {
      if (isEnded.compareAndSet(false, true)) {
        here.close();
        tellAll();
      }
    };
  }

  private void tellAll() {
    Others nodes = others;
    if (nodes == null) {
      return;
    }
    CompletableFuture<?>[] told =
        nodes.reached().get().stream()
            .map(each -> later(() -> tell(nodes, each)))
            .toArray(CompletableFuture[]::new);
    CompletableFuture<Void> all = CompletableFuture.allOf(told);
    time.schedule(nodes.waitNanos(), () -> all.complete(null));
    all.join();
  }

  /**
   * Another node is connected. To be called again and again.
   *
   * @param node the node
   * @param wasAway whether it was not before
   */
  public void isThere(NodeId node, boolean wasAway) {
    Others nodes = others;
    Long last = toldNanos.get(node);
    boolean isDue =
        last == null ? !listeners.topics().isEmpty() : time.monotonicNanos() - last >= REPEAT_NANOS;
    if (nodes != null && (isDue || wasAway)) {
      var _ = later(() -> tell(nodes, node));
    }
  }

  private CompletableFuture<Void> later(Runnable task) {
    try {
      return CompletableFuture.runAsync(task, threads);
    } catch (RejectedExecutionException e) { // the node is closed
      return CompletableFuture.completedFuture(null);
    }
  }

  private void tell(Others nodes, NodeId node) {
    long now = version.incrementAndGet(); // first: a later message has what changes from now on
    Set<String> topics = listeners.topics();
    toldNanos.put(node, time.monotonicNanos());
    try {
      call(
          nodes,
          nodes.waitNanos(),
          node,
          "listen(long,long,java.util.List)",
          now,
          List.copyOf(topics));
      if (topics.isEmpty()) {
        toldNanos.remove(node); // it needs no word until there is a listener
      }
    } catch (ClusterException e) {
      LOG.log(
          Level.DEBUG, () -> "Node " + node + " does not know yet what this one listens to.", e);
    }
  }

  // ---- Objects of this node -----------------------------------------------------------------

  /**
   * Returns what takes the events that the objects of a shard publish.
   *
   * @param shard the number of the shard
   * @param epoch the ownership
   * @return passes them to the listeners of this node, and sends them to other nodes
   */
  public EventListeners.Relay of(int shard, long epoch) {
    return (key, topic, value) ->
        publish(new PublishedEvent(shard, epoch, key, topic, ByteBuffer.wrap(value)));
  }

  private void publish(PublishedEvent event) {
    subscribers.publish(event); // first: listeners of this node may take long
    if (listeners.isHeard(event.topic())) {
      deliveries.publish(event);
    }
  }

  private void send(NodeId node, Batch batch, List<PublishedEvent> events) {
    Others nodes = others;
    if (nodes != null) {
      call(
          nodes,
          SEND_TIMEOUT_NANOS,
          node,
          "deliver(long,long,[B)",
          batch.number(),
          PublishedEvent.write(events));
    }
  }

  private void call(
      Others nodes, long timeoutNanos, NodeId node, String name, long number, Object argument) {
    RemoteMethod method =
        methods
            .method(name)
            .orElseThrow(() -> new AssertionError("The interface has no method " + name));
    new DirectCalls(TARGET, methods, nodes.transport(), time, timeoutNanos)
        .call(node, NO_OBJECT, method, session, number, argument);
  }

  // ---- Messages of other nodes --------------------------------------------------------------

  /**
   * Answers a call of another node. Does not block.
   *
   * @param call names {@link #TARGET}
   */
  public void answer(IncomingCall call) {
    Messages messages = new Received(call.caller());
    threads.execute(
        () -> call.answerBy(() -> DirectCalls.answer(call, self, methods, () -> messages)));
  }

  /** From now on no listener is called that waits for its event. */
  @Override
  public void close() {
    deliveries.close();
  }

  /** What another node says. */
  private final class Received implements Messages {

    private final NodeId from;

    Received(NodeId from) {
      this.from = from;
    }

    @Override
    public void listen(long process, long number, List<String> topics) {
      subscribers.listens(from, process, number, Set.copyOf(topics));
    }

    @Override
    public void deliver(long process, long number, byte[] events) {
      deliveries.accept(from, new Batch(process, number), PublishedEvent.read(events));
    }
  }
}
