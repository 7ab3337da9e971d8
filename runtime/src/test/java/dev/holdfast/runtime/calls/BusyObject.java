package dev.holdfast.runtime.calls;

import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import java.util.concurrent.CompletableFuture;

/** Keeps the turn of an object, so that the calls of a test queue behind it. */
final class BusyObject {

  private final CompletableFuture<Void> blocker = new CompletableFuture<>();
  private final RunningCall event;

  /** Begins an event of the object; it runs until {@link #free}. */
  BusyObject(Host host, String name) {
    this.event = host.start(name, (_, _) -> blocker.join()).awaitParked();
  }

  /** Ends the event: the calls in the queue run. */
  void free() {
    blocker.complete(null);
  }

  /** Ends the event, if it has not ended, and waits for its reply. */
  void close() throws Exception {
    free();
    event.get();
  }
}
