package dev.holdfast.system.architecture.violations;

import java.util.logging.Logger;

/** Writes to everything but the System.Logger. */
final class OwnLogging {
  private OwnLogging() {}

  static void write(Exception e) {
    Logger.getLogger("own").warning("x");
    System.out.print("x");
    System.err.print("x");
    e.printStackTrace();
  }
}
