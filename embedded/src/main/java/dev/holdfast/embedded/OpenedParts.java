package dev.holdfast.embedded;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What was opened on the way to a runtime. Closes it all again, last first, unless the runtime came
 * into being and has taken it over. Owned by the thread that opens the runtime.
 */
final class OpenedParts implements AutoCloseable {

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  <T extends AutoCloseable> T add(T part) {
    opened.push(part);
    return part;
  }

  void handOver() {
    opened.clear();
  }

  @Override
  public void close() {
    for (AutoCloseable part : opened) {
      try {
        part.close();
      } catch (Exception e) {
        // The failure that brought us here is the one to report; this one must not replace it.
        System.getLogger("dev.holdfast")
            .log(System.Logger.Level.WARNING, "Closing a part of the runtime failed.", e);
      }
    }
  }
}
