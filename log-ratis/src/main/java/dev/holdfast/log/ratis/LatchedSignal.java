package dev.holdfast.log.ratis;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.ratis.util.AwaitForSignal;

/**
 * A signal that is kept until a thread waits for it. Those of Ratis 3.3.0 are lost if nobody waits
 * when they are given, so that its threads look again and again, ten times a second in each shard.
 * One thread waits, any may signal.
 */
final class LatchedSignal extends AwaitForSignal {

  private final long nanosMin;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition given = lock.newCondition();
  private boolean isGiven; // guarded by lock

  /**
   * Creates one that was not given.
   *
   * @param name for messages
   * @param nanosMin how long a thread waits at least, whatever it asks for, unless it asks not to
   */
  LatchedSignal(String name, long nanosMin) {
    super(name);
    this.nanosMin = nanosMin;
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
    long left = Math.max(unit.toNanos(time), nanosMin);
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
