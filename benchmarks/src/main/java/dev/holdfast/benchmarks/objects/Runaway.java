package dev.holdfast.benchmarks.objects;

/** An object with a statement that never ends. */
public interface Runaway {

  /** Runs it until the object is reset. */
  void run();
}
