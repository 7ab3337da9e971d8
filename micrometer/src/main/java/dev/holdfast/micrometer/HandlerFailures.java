package dev.holdfast.micrometer;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;

/** Logs the first failure of a handler: one that fails may fail at every call. Thread-safe. */
final class HandlerFailures {

  private static final Logger LOG = System.getLogger("dev.holdfast.micrometer");

  private final AtomicBoolean isLogged = new AtomicBoolean();

  void report(RuntimeException failure) {
    if (!isLogged.getAndSet(true)) {
      LOG.log(
          Level.WARNING,
          "observation-failed: a handler of observations has failed; the call goes on, and further"
              + " failures are not logged",
          failure);
    }
  }
}
