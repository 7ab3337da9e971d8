package dev.holdfast.schedules.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.schedules.DeterministicScheduler.Scenario;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** A lock that parks, correct or with a planted fault, used by three threads. */
public abstract class SpinFreeLock implements Scenario {

  private final AtomicBoolean held = new AtomicBoolean();
  private final ConcurrentLinkedQueue<Thread> waiting = new ConcurrentLinkedQueue<>();
  private int inside;

  /** Whether a waiter checks the lock again after it has queued. */
  abstract boolean looksAgain();

  @Override
  public void run(DeterministicScheduler scheduler) {
    held.set(false);
    waiting.clear();
    inside = 0;
    scheduler.run(this::critical, this::critical, this::critical);
  }

  private void critical() {
    lock();
    assertThat(++inside).withFailMessage("%s threads inside", inside).isEqualTo(1);
    inside--;
    unlock();
  }

  private void lock() {
    if (held.compareAndSet(false, true)) {
      return;
    }
    waiting.add(Thread.currentThread());
    if (!looksAgain()) {
      LockSupport.park(this);
    }
    while (!held.compareAndSet(false, true)) {
      LockSupport.park(this);
    }
    waiting.remove(Thread.currentThread());
  }

  private void unlock() {
    held.set(false);
    LockSupport.unpark(waiting.peek());
  }

  /** Queues and then parks, although the lock may have been freed in between. */
  public static final class Forgetful extends SpinFreeLock {
    @Override
    boolean looksAgain() {
      return false;
    }
  }

  /** Correct. */
  public static final class Careful extends SpinFreeLock {
    @Override
    boolean looksAgain() {
      return true;
    }
  }
}
