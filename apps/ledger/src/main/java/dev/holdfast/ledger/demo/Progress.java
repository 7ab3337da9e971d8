package dev.holdfast.ledger.demo;

import java.io.PrintStream;

/** Reports the progress of a run at every tenth. Owned by one thread. */
final class Progress {

  private static final int STEP_COUNT = 10;

  private final PrintStream out;
  private final int total;
  private int count;
  private int stepsSaid;

  Progress(PrintStream out, int total) {
    this.out = out;
    this.total = total;
  }

  void answered() {
    count++;
    int steps = (int) ((long) count * STEP_COUNT / total);
    if (steps > stepsSaid) {
      stepsSaid = steps;
      out.printf("   %,d of %,d answered%n", count, total);
    }
  }
}
