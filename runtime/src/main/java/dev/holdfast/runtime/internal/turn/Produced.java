package dev.holdfast.runtime.internal.turn;

import org.jspecify.annotations.Nullable;

/** Something that a thread of its own brings about by making calls. */
public interface Produced extends Pending {

  /**
   * Notes who works for this now.
   *
   * @param execution the execution, or null for nobody
   */
  void setProducer(@Nullable Execution execution);
}
