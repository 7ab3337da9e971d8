package dev.holdfast.journal;

import dev.holdfast.TimeSource;
import dev.holdfast.journal.file.JournalBounds;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the data directory still belongs to this runtime. Confined to the leader of a flush,
 * except {@link #require}.
 */
final class Ownership {

  private final @Nullable DirectoryLock lock;
  private final TimeSource time;
  private long seenNanos;

  /**
   * @param lock the lock of the directory; null if no other process can have it
   */
  Ownership(@Nullable DirectoryLock lock, TimeSource time) {
    this.lock = lock;
    this.time = time;
    this.seenNanos = time.monotonicNanos();
  }

  /**
   * Checks now. Thread-safe.
   *
   * @throws dev.holdfast.DirectoryInUseException if the directory was taken over
   */
  void require() {
    if (lock != null) {
      lock.requireHeld();
    }
  }

  /** Checks if the last check was some time ago: a flush is short on a fast disk. */
  void requireLately() {
    long nowNanos = time.monotonicNanos();
    if (lock != null && nowNanos - seenNanos >= JournalBounds.OWNERSHIP_BELIEVED_NANOS) {
      lock.requireHeld();
      seenNanos = nowNanos;
    }
  }
}
