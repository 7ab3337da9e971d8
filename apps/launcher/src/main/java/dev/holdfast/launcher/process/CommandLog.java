package dev.holdfast.launcher.process;

import java.util.logging.Level;
import java.util.logging.Logger;

/** The log of a command and of the processes that it starts. Thread-safe. */
public final class CommandLog {

  /** Held by this field, because the level is lost when its logger is collected. */
  private static final Logger LOG = Logger.getLogger("dev.holdfast");

  /** Reports every attempt to reach a node that is down; what matters, Holdfast logs. */
  private static final Logger RATIS = Logger.getLogger("org.apache.ratis");

  /** Reports each part of its start. */
  private static final Logger JETTY = Logger.getLogger("org.eclipse.jetty");

  private CommandLog() {}

  /**
   * Logs only what needs attention: a command prints its own progress, and may open a runtime
   * hundreds of times. A configuration that the user has set with a system property decides
   * instead.
   */
  public static void warningsOnly() {
    if (System.getProperty("java.util.logging.config.file") == null
        && System.getProperty("java.util.logging.config.class") == null) {
      LOG.setLevel(Level.WARNING);
      RATIS.setLevel(Level.OFF);
      JETTY.setLevel(Level.WARNING);
    }
  }
}
