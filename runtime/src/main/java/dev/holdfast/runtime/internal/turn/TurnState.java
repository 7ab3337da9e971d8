package dev.holdfast.runtime.internal.turn;

/**
 * Where the turn of an instance is. Its holder is an {@link Execution}. A reset is not a state of
 * the turn: it may come from any thread, and the holder keeps the turn; see {@link InstanceReset}.
 */
public sealed interface TurnState {

  /** No execution has it, and none is inside a wait. */
  enum Idle implements TurnState {
    /** The only value. */
    IDLE
  }

  /**
   * No execution has it, and some are inside a wait.
   *
   * @param count how many, at least one
   */
  record Waiting(int count) implements TurnState {}

  /** It belongs to an execution. */
  sealed interface Held extends TurnState permits Execution {}
}
