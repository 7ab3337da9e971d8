package dev.holdfast.backend.sqlite;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * What sealing a batch needs for a moment. Owned by one thread while it is out of the pool.
 *
 * <p>Not kept per thread: turns run on virtual threads, of which there are any number.
 */
final class BatchScratch {

  final WalCommit commit = new WalCommit();
  final BatchWriter writer = new BatchWriter();

  /** Images of a page before and after. */
  byte[] before = new byte[PageSize.DEFAULT_BYTES];

  byte[] after = new byte[PageSize.DEFAULT_BYTES];

  void ensurePageBytes(int pageBytes) {
    if (before.length < pageBytes) {
      before = new byte[pageBytes];
      after = new byte[pageBytes];
    }
  }

  /** A few that are kept. Thread-safe. */
  static final class Pool {

    private static final int KEPT_MAX = 16;

    private final BlockingQueue<BatchScratch> idle = new ArrayBlockingQueue<>(KEPT_MAX);

    BatchScratch take() {
      BatchScratch kept = idle.poll();
      return kept == null ? new BatchScratch() : kept;
    }

    void giveBack(BatchScratch scratch) {
      idle.offer(scratch);
    }
  }
}
