package dev.holdfast.journal;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Calls listeners, in the order of their groups, on a thread that does nothing else: a listener
 * that appends, waits or is slow then delays other listeners and no flush. Thread-safe.
 */
final class Notifier implements AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("holdfast-journal-notify").factory());

  /** Tells all of them, soon. Calls made under one lock are kept in their order. */
  void tell(List<DurableCallback> callbacks, @Nullable RuntimeException failure) {
    if (!callbacks.isEmpty()) {
      thread.execute(() -> callbacks.forEach(callback -> tell(callback, failure)));
    }
  }

  private static void tell(DurableCallback callback, @Nullable RuntimeException failure) {
    try {
      callback.listener().settled(failure);
    } catch (RuntimeException | Error e) {
      // One listener's fault must not keep the others waiting.
      LOG.log(Level.ERROR, "A listener of journal position " + callback.position() + " failed", e);
    }
  }

  /** Waits until everybody has been told and ends the thread. */
  @Override
  public void close() {
    Uninterruptibly.close(thread);
  }
}
