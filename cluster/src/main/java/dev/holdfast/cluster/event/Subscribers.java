package dev.holdfast.cluster.event;

import dev.holdfast.TimeSource;
import dev.holdfast.cluster.event.Deliveries.Batch;
import dev.holdfast.spi.log.NodeId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * The other nodes that listen, and what is on its way to them: for each a bounded queue, and one
 * message at a time. What has no room, or is not answered, is left out and counted: no object ever
 * waits for another node. Thread-safe.
 *
 * <p>That a node listens is forgotten unless it says so again and again, and when it does not
 * answer a message.
 */
final class Subscribers {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  static final int QUEUE_BYTES_MAX = 4 << 20;
  static final int QUEUE_EVENTS_MAX = 10_000;
  private static final int MESSAGE_BYTES_MAX = 1 << 20;

  /** A node says what it listens to more often than this. */
  static final long LEASE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Sends events to a node. */
  @FunctionalInterface
  interface Sender {

    /**
     * Sends events, once at most, and waits for the answer.
     *
     * @param node the node
     * @param batch says which they are
     * @param events the events
     */
    void send(NodeId node, Batch batch, List<PublishedEvent> events);
  }

  private final TimeSource time;
  private final Executor threads;
  private final Sender sender;
  private final LongConsumer leftOut;
  private final long session;

  private final Map<NodeId, Subscriber> all = new HashMap<>(); // guarded by this

  /** Read for each event; the lists are never changed. */
  private volatile Map<String, List<Subscriber>> byTopic = Map.of();

  private final class Subscriber {

    final NodeId node;

    // Guarded by the monitor of all.
    Set<String> topics = Set.of();
    long told;
    long version;

    // Guarded by this.
    private final ArrayDeque<PublishedEvent> queue = new ArrayDeque<>();
    private long queueBytes;
    private boolean isSending;
    private long lastBatch;

    /** When it has said last that it listens. */
    volatile long toldNanos;

    Subscriber(NodeId node) {
      this.node = node;
    }

    void add(PublishedEvent event) {
      if (time.monotonicNanos() - toldNanos >= LEASE_NANOS) {
        return; // it does not listen any more, as far as is known
      }
      synchronized (this) {
        if (queue.size() >= QUEUE_EVENTS_MAX || queueBytes + event.bytes() > QUEUE_BYTES_MAX) {
          leftOut.accept(1);
          return;
        }
        queue.add(event);
        queueBytes += event.bytes();
        if (isSending) {
          return;
        }
        isSending = true;
      }
      threads.execute(this::sendAll);
    }

    private void sendAll() {
      for (List<PublishedEvent> next = take(); !next.isEmpty(); next = take()) {
        try {
          sender.send(node, new Batch(session, ++lastBatch), next);
        } catch (RuntimeException | Error e) {
          LOG.log(Level.DEBUG, () -> "Node " + node + " did not take events.", e);
          forget(this);
          leftOut.accept(next.size() + clear());
        }
      }
    }

    private synchronized List<PublishedEvent> take() {
      List<PublishedEvent> taken = new ArrayList<>();
      long bytes = 0;
      while (!queue.isEmpty()
          && (taken.isEmpty() || bytes + queue.element().bytes() <= MESSAGE_BYTES_MAX)) {
        PublishedEvent next = queue.remove();
        bytes += next.bytes();
        taken.add(next);
      }
      queueBytes -= bytes;
      isSending = !taken.isEmpty();
      return taken;
    }

    private synchronized long clear() {
      long events = queue.size();
      queue.clear();
      queueBytes = 0;
      return events;
    }
  }

  /**
   * Creates it without nodes.
   *
   * @param time the clock
   * @param threads run what sends, and may block
   * @param sender sends events
   * @param leftOut counts events that are left out
   * @param session distinguishes this process from others of the node
   */
  Subscribers(
      TimeSource time, Executor threads, Sender sender, LongConsumer leftOut, long session) {
    this.time = time;
    this.threads = threads;
    this.sender = sender;
    this.leftOut = leftOut;
    this.session = session;
  }

  /**
   * A node says what it listens to.
   *
   * @param node the node
   * @param process distinguishes its process from others
   * @param version rises with what it says; an earlier one than the last is late
   * @param topics all that it listens to
   */
  synchronized void listens(NodeId node, long process, long version, Set<String> topics) {
    Subscriber subscriber = all.computeIfAbsent(node, Subscriber::new);
    if (subscriber.told == process && subscriber.version > version) {
      return;
    }
    subscriber.told = process;
    subscriber.version = version;
    subscriber.toldNanos = time.monotonicNanos();
    if (!subscriber.topics.equals(topics)) {
      subscriber.topics = Set.copyOf(topics);
      index();
    }
  }

  private synchronized void forget(Subscriber subscriber) {
    subscriber.topics = Set.of();
    index();
  }

  private void index() {
    Map<String, List<Subscriber>> index = new HashMap<>();
    for (Subscriber each : all.values()) {
      each.topics.forEach(topic -> index.computeIfAbsent(topic, _ -> new ArrayList<>()).add(each));
    }
    byTopic = index;
  }

  /** Sends an event to the nodes that listen to its topic. Does not wait for them. */
  void publish(PublishedEvent event) {
    byTopic.getOrDefault(event.topic(), List.of()).forEach(each -> each.add(event));
  }
}
