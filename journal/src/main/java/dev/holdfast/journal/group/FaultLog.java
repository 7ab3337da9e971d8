package dev.holdfast.journal.group;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Logs failures of the journal's own threads, which have no caller to throw to. */
public final class FaultLog {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private FaultLog() {}

  /**
   * Logs a failure. Does not fail for lack of memory, so that the thread continues: others wait for
   * it.
   *
   * @param what failed
   * @param whose its {@code toString} identifies it
   * @param fault the cause
   */
  public static void error(String what, Object whose, Throwable fault) {
    try {
      LOG.log(Level.ERROR, what + ": " + whose, fault);
    } catch (OutOfMemoryError e) {
      fault.addSuppressed(e); // no memory to log it
    }
  }
}
