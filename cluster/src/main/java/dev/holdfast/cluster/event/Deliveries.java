package dev.holdfast.cluster.event;

import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.log.NodeId;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passes events to the listeners of a node: the events of one object one after the other, in the
 * order in which the object published them, whichever nodes owned it; several objects at once. What
 * this node publishes itself waits for the listeners, as on one machine. What other nodes have sent
 * waits in a bounded queue; what has no room is left out. Thread-safe.
 *
 * <p>Across a change of owner the queues of two nodes have no order. So an event of an earlier
 * ownership is left out once one of a later ownership of its shard has come.
 */
final class Deliveries {

  static final int WAITING_OF_OBJECT_MAX = 1_000;
  static final int WAITING_BYTES_MAX = 16 << 20;

  private final Consumer<PublishedEvent> listeners;
  private final Executor threads;
  private final Runnable leftOut;

  // Guarded by this.
  private final Map<ObjectKey, Lane> lanes = new HashMap<>();
  private final Map<Integer, Long> newestEpochs = new HashMap<>();
  private final Map<NodeId, Batch> lastBatches = new HashMap<>();
  private long waitingBytes;

  /** The number of a batch, of the process that has sent it. */
  record Batch(long session, long number) {}

  /** The events of an object. All but the lock is guarded by the monitor of the deliveries. */
  private static final class Lane {
    final ReentrantLock running = new ReentrantLock(/* fair= */ true);
    final ArrayDeque<PublishedEvent> waiting = new ArrayDeque<>();
    boolean isWorked;
    int users;
  }

  /**
   * Creates it without events.
   *
   * @param listeners passes an event to its listeners; never throws
   * @param threads runs listeners
   * @param leftOut called for each event of another node that is left out
   */
  Deliveries(Consumer<PublishedEvent> listeners, Executor threads, Runnable leftOut) {
    this.listeners = listeners;
    this.threads = threads;
    this.leftOut = leftOut;
  }

  /** Passes an event of this node on. Returns when the listeners have. */
  void publish(PublishedEvent event) {
    Lane lane;
    synchronized (this) {
      if (isOld(event)) {
        leftOut.run();
        return;
      }
      lane = lane(event.key());
      lane.users++;
    }
    lane.running.lock();
    try {
      deliverWaiting(lane); // of the owner before this node
      listeners.accept(event);
    } finally {
      lane.running.unlock();
      left(event.key(), lane);
    }
  }

  private Lane lane(ObjectKey key) {
    return lanes.computeIfAbsent(key, _ -> new Lane());
  }

  private synchronized void left(ObjectKey key, Lane lane) {
    lane.users--;
    if (lane.users == 0 && !lane.isWorked) {
      lanes.remove(key);
    }
  }

  private boolean isOld(PublishedEvent event) {
    long newest = newestEpochs.merge(event.shard(), event.epoch(), Math::max);
    return event.epoch() < newest;
  }

  /**
   * Takes events of another node. Does not wait for listeners.
   *
   * @param from the node that sends
   * @param batch says which they are; one that comes after a later one is left out: it was given up
   * @param events the events
   */
  synchronized void accept(NodeId from, Batch batch, List<PublishedEvent> events) {
    Batch last = lastBatches.get(from);
    boolean isLate =
        last != null && last.session() == batch.session() && last.number() >= batch.number();
    if (!isLate) {
      lastBatches.put(from, batch);
    }
    for (PublishedEvent each : events) {
      if (isLate || isOld(each) || !enqueue(each)) {
        leftOut.run();
      }
    }
  }

  private boolean enqueue(PublishedEvent event) {
    if (waitingBytes + event.bytes() > WAITING_BYTES_MAX) {
      return false;
    }
    Lane lane = lane(event.key());
    if (lane.waiting.size() >= WAITING_OF_OBJECT_MAX) {
      return false;
    }
    lane.waiting.add(event);
    waitingBytes += event.bytes();
    if (!lane.isWorked) {
      lane.isWorked = true;
      threads.execute(() -> work(event.key(), lane));
    }
    return true;
  }

  private void work(ObjectKey key, Lane lane) {
    while (true) {
      lane.running.lock();
      try {
        deliverWaiting(lane);
      } finally {
        lane.running.unlock();
      }
      synchronized (this) {
        if (lane.waiting.isEmpty()) {
          lane.isWorked = false;
          if (lane.users == 0) {
            lanes.remove(key);
          }
          return;
        }
      }
    }
  }

  private void deliverWaiting(Lane lane) {
    for (PublishedEvent next = poll(lane); next != null; next = poll(lane)) {
      listeners.accept(next);
    }
  }

  /** Leaves out what waits. */
  synchronized void close() {
    waitingBytes = WAITING_BYTES_MAX; // nothing has room from now on
    lanes.values().forEach(each -> each.waiting.clear());
  }

  private synchronized @Nullable PublishedEvent poll(Lane lane) {
    PublishedEvent next = lane.waiting.poll();
    if (next != null) {
      waitingBytes -= next.bytes();
    }
    return next;
  }
}
