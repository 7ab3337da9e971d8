package dev.holdfast.backend.sqlite.wal;

import dev.holdfast.backend.sqlite.file.PageSize;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Buffers for sealing a batch. Confined to one thread while out of the pool.
 *
 * <p>Not kept per thread: turns run on virtual threads, whose number is not bounded.
 */
public final class BatchScratch {

  public final WalCommit commit = new WalCommit();
  public final BatchWriter writer = new BatchWriter();

  /** Images of a page before and after. */
  public byte[] before = new byte[PageSize.DEFAULT_BYTES];

  public byte[] after = new byte[PageSize.DEFAULT_BYTES];

  public void ensurePageBytes(int pageBytes) {
    if (before.length < pageBytes) {
      before = new byte[pageBytes];
      after = new byte[pageBytes];
    }
  }

  /** A small pool. Thread-safe. */
  public static final class Pool {

    private static final int KEPT_MAX = 16;

    private final BlockingQueue<BatchScratch> idle = new ArrayBlockingQueue<>(KEPT_MAX);

    public BatchScratch take() {
      BatchScratch kept = idle.poll();
      return kept == null ? new BatchScratch() : kept;
    }

    public void giveBack(BatchScratch scratch) {
      idle.offer(scratch);
    }
  }
}
