package dev.holdfast.crash.nodes;

import java.util.List;

/** Rings once, at a given time. */
public interface Bell {

  /**
   * Sets the time.
   *
   * @param millis when to ring, since the epoch
   */
  void set(long millis);

  /** {@return for each ring, how many milliseconds after its time it was; negative if before} */
  List<Long> rings();
}
