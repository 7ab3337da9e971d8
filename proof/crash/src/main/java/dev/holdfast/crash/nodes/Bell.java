package dev.holdfast.crash.nodes;

import java.util.List;

/** Rings once, at a given time. */
public interface Bell {

  /**
   * Sets the time.
   *
   * @param millis when to ring, since the epoch
   * @return the time that was set: a time that has passed by the clock of the owner becomes the
   *     time of that clock, which may be ahead
   */
  long set(long millis);

  /** {@return for each ring, how many milliseconds after its time it was; negative if before} */
  List<Long> rings();
}
