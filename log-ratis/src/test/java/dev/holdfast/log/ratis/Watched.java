package dev.holdfast.log.ratis;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** State that other threads change and a test waits for. */
final class Watched {

  private static final long PATIENCE_SECONDS = 60;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  void change(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  <T> T read(Supplier<T> value) {
    lock.lock();
    try {
      return value.get();
    } finally {
      lock.unlock();
    }
  }

  void await(String what, BooleanSupplier condition) {
    long nanos = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    lock.lock();
    try {
      while (!condition.getAsBoolean()) {
        if (nanos <= 0) {
          throw new AssertionError("In " + PATIENCE_SECONDS + " s it did not happen: " + what);
        }
        nanos = changed.awaitNanos(nanos);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    } finally {
      lock.unlock();
    }
  }
}
