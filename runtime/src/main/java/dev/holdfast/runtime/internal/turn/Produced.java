package dev.holdfast.runtime.internal.turn;

import org.jspecify.annotations.Nullable;

/** A result that a separate thread produces by making calls. */
public interface Produced extends Pending {

  /**
   * Records which execution works for this now.
   *
   * @param execution the execution, or null for none
   */
  void setProducer(@Nullable Execution execution);
}
