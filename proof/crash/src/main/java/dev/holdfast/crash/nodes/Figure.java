package dev.holdfast.crash.nodes;

/** A number that many callers change: its history must be linearizable. */
public interface Figure {

  /** {@return the number} */
  long read();

  /**
   * Adds to the number.
   *
   * @param more what is added
   * @return the sum
   */
  long add(long more);

  /**
   * Sets the number if it is as expected.
   *
   * @param expected what it must be
   * @param value what it becomes
   * @return 1 if it was set, else 0
   */
  long compareAndSet(long expected, long value);
}
