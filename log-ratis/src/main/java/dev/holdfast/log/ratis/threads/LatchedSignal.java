package dev.holdfast.log.ratis.threads;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongUnaryOperator;
import org.apache.ratis.util.AwaitForSignal;

/**
 * A signal that is kept until a thread waits for it. Those of Ratis 3.3.0 are lost if nobody waits
 * when they are given, so that its threads look again and again, ten times a second in each shard.
 * One thread waits, any may signal.
 */
public final class LatchedSignal extends AwaitForSignal {

  /** How long a thread rests that has nothing to do: it looks all the same, for nothing. */
  public static final long REST_NANOS = 600_000_000_000L;

  private final LongUnaryOperator rest;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition given = lock.newCondition();
  private boolean isGiven; // guarded by lock

  /**
   * Creates one that was not given.
   *
   * @param name for messages
   * @param rest how long a thread waits in nanoseconds that asks to wait for some
   */
  public LatchedSignal(String name, LongUnaryOperator rest) {
    super(name);
    this.rest = rest;
  }

  @Override
  public void await() throws InterruptedException {
    lock.lock();
    try {
      while (!isGiven) {
        given.await();
      }
      isGiven = false;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean await(long time, TimeUnit unit) throws InterruptedException {
    if (time <= 0) {
      return false;
    }
    long left = rest.applyAsLong(unit.toNanos(time));
    lock.lock();
    try {
      while (!isGiven && left > 0) {
        left = given.awaitNanos(left);
      }
      boolean wasGiven = isGiven;
      isGiven = false;
      return wasGiven;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void signal() {
    lock.lock();
    try {
      isGiven = true;
      given.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
