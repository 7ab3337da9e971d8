package dev.holdfast.benchmarks;

/** An object with a statement that never ends. */
public interface Runaway {

  /** Runs it until the object is reset. */
  void run();
}
