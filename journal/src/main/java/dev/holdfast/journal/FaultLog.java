package dev.holdfast.journal;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Tells what the journal's own threads cannot throw to anybody. */
final class FaultLog {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private FaultLog() {}

  /**
   * Reports a fault. Does not fail for want of memory, so that the thread goes on: others wait for
   * it.
   *
   * @param what did not end well
   * @param whose its {@code toString} says which
   * @param fault why
   */
  static void error(String what, Object whose, Throwable fault) {
    try {
      LOG.log(Level.ERROR, what + ": " + whose, fault);
    } catch (OutOfMemoryError e) {
      fault.addSuppressed(e); // no memory to say so
    }
  }
}
