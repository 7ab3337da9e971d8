package dev.holdfast.backend.rocksdb;

import dev.holdfast.TimeSource;

/** Time that is always up: what is scheduled runs at once. */
final class EagerTime implements TimeSource {

  @Override
  public long wallMillis() {
    return 0;
  }

  @Override
  public long monotonicNanos() {
    return 0;
  }

  @Override
  public Timer schedule(long delayNanos, Runnable task) {
    if (delayNanos == 0) {
      task.run();
    }
    return () -> false;
  }
}
