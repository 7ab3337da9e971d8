package dev.holdfast.log.ratis.threads;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.apache.ratis.server.leader.LeaderState;
import org.jspecify.annotations.Nullable;

/**
 * What has happened in a shard that a leader looks at. In Ratis 3.3.0 it also looks once a failover
 * whether it is heard by a majority; as long as all members answer shared heartbeats, there is
 * nothing to see. Thread-safe; one thread takes.
 */
public final class LeaderEvents extends ArrayBlockingQueue<Object> {

  private static final long serialVersionUID = 1;

  private final transient BooleanSupplier areAllHeard;
  private final ReentrantLock lock = new ReentrantLock();
  private final transient Condition any = lock.newCondition();
  private boolean isResting; // guarded by lock
  private boolean isToLook; // guarded by lock

  /**
   * Creates an empty one.
   *
   * @param capacity as many kinds of events as there are
   * @param areAllHeard whether all members have just answered
   */
  public LeaderEvents(int capacity, BooleanSupplier areAllHeard) {
    super(capacity);
    this.areAllHeard = areAllHeard;
  }

  /**
   * {@return the events of a leader} Called first before the leader begins.
   *
   * @param leader the leader
   * @param areAllHeard whether all members have just answered
   * @throws IllegalStateException if Ratis is another version than this module was built with
   */
  public static LeaderEvents of(LeaderState leader, BooleanSupplier areAllHeard) {
    Object owner = RatisInternals.valueOf(leader, "eventQueue");
    ArrayBlockingQueue<?> queue = (ArrayBlockingQueue<?>) RatisInternals.valueOf(owner, "queue");
    if (queue instanceof LeaderEvents events) {
      return events;
    }
    LeaderEvents events = new LeaderEvents(queue.remainingCapacity(), areAllHeard);
    RatisInternals.set(owner, "queue", events);
    return events;
  }

  /** Lets the leader look now, if it rests. */
  public void look() {
    lock.lock();
    try {
      if (isResting) {
        isToLook = true;
        any.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void put(Object event) throws InterruptedException {
    lock.lock();
    try {
      super.put(event); // one of each kind at most: there is room
      any.signal();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public @Nullable Object poll(long time, TimeUnit unit) throws InterruptedException {
    lock.lock();
    try {
      isResting = areAllHeard.getAsBoolean();
      long left = isResting ? LatchedSignal.REST_NANOS : unit.toNanos(time);
      while (isEmpty() && !isToLook && left > 0) {
        left = any.awaitNanos(left);
      }
      isResting = false;
      isToLook = false;
      return poll();
    } finally {
      lock.unlock();
    }
  }
}
