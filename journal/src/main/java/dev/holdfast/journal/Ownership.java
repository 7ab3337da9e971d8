package dev.holdfast.journal;

import dev.holdfast.journal.file.JournalBounds;
import dev.holdfast.spi.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Looks whether the data directory still belongs to this runtime. Owned by the leader of a flush,
 * but for {@link #require}.
 */
final class Ownership {

  private final @Nullable DirectoryLock lock;
  private final TimeSource time;
  private long seenNanos;

  /**
   * @param lock of the directory; null if nobody else can have it
   */
  Ownership(@Nullable DirectoryLock lock, TimeSource time) {
    this.lock = lock;
    this.time = time;
    this.seenNanos = time.monotonicNanos();
  }

  /**
   * Looks now. Thread-safe.
   *
   * @throws dev.holdfast.DirectoryInUseException if the directory was taken over
   */
  void require() {
    if (lock != null) {
      lock.requireHeld();
    }
  }

  /** Looks if the last look was some time ago: a flush is short on a fast disk. */
  void requireLately() {
    long nowNanos = time.monotonicNanos();
    if (lock != null && nowNanos - seenNanos >= JournalBounds.OWNERSHIP_BELIEVED_NANOS) {
      lock.requireHeld();
      seenNanos = nowNanos;
    }
  }
}
