package dev.holdfast.spi.disk;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Syncs of many files and directories by several threads: file systems share the work of syncs that
 * run at the same time, and a copy of many small files is little else. Thread-safe.
 */
public final class Syncs {

  private static final int THREADS = 8;

  private Syncs() {}

  /** One sync. */
  @FunctionalInterface
  public interface Sync {

    /**
     * Makes a file or directory durable.
     *
     * @throws IOException if that fails
     */
    void run() throws IOException;
  }

  /**
   * Runs syncs, and returns when all have ended.
   *
   * @param syncs what is run; the order is any
   * @throws IOException if one fails, for the first of these
   */
  public static void all(Collection<? extends Sync> syncs) throws IOException {
    if (syncs.isEmpty()) {
      return;
    }
    List<? extends Future<?>> ends;
    try (ExecutorService threads =
        Executors.newFixedThreadPool(
            Math.min(THREADS, syncs.size()),
            Thread.ofPlatform().daemon().name("holdfast-sync").factory())) {
      ends =
          syncs.stream()
              .map(
                  sync ->
                      threads.submit(
                          () -> {
                            sync.run();
                            return null;
                          }))
              .toList();
    }
    for (Future<?> end : ends) {
      if (end.state() == Future.State.FAILED) {
        switch (end.exceptionNow()) {
          case IOException e -> throw e;
          case RuntimeException e -> throw e;
          case Error e -> throw e;
          case Throwable e -> throw new IOException(e);
        }
      }
    }
  }
}
