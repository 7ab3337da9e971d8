package dev.holdfast.runtime.internal.turn;

import dev.holdfast.statistics.ExecutionStatus.Kind;

/** What an execution runs, as reports name it. Thread-safe. */
public interface Operation {

  /** {@return what it is} */
  Kind kind();

  /** {@return the method that is called; empty where there is none} */
  default String operationName() {
    return "";
  }
}
