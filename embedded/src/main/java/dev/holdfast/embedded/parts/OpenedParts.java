package dev.holdfast.embedded.parts;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The parts opened while a runtime is being opened. Closes them in reverse order, unless the
 * runtime was created and has taken them over. Confined to the thread that opens the runtime.
 */
public final class OpenedParts implements AutoCloseable {

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  /** Creates an empty list. */
  public OpenedParts() {}

  /**
   * Adds a part.
   *
   * @param <T> its type
   * @param part the part
   * @return the part
   */
  public <T extends AutoCloseable> T add(T part) {
    opened.push(part);
    return part;
  }

  /** Leaves the parts open: they are the runtime's now. */
  public void handOver() {
    opened.clear();
  }

  @Override
  public void close() {
    for (AutoCloseable part : opened) {
      try {
        part.close();
      } catch (Exception | Error e) { // the other parts are closed all the same
        // The failure of the opening is the one to report; this one must not replace it.
        System.getLogger("dev.holdfast")
            .log(System.Logger.Level.WARNING, "Closing a part of the runtime failed.", e);
      }
    }
  }
}
