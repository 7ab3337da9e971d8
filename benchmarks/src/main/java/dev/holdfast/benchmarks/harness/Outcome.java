package dev.holdfast.benchmarks.harness;

/** What a figure is worth beside its target. */
public enum Outcome {
  /** The target is met. */
  MET,
  /** It is not, and the figure is within the accepted bound. */
  AT_BOUND,
  /** Neither holds. */
  MISSED
}
