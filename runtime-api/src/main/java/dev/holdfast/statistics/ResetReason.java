package dev.holdfast.statistics;

/** Why an instance of an object was reset. */
public enum ResetReason {

  /** Its own code called {@code abort}. */
  ABORTED,

  /** Its constructor, its migrations or a critical section failed or took too long. */
  SECTION_FAILED,

  /** Critical sections waited for each other. */
  DEADLOCK,

  /** Its code ran out of stack or memory. */
  EXHAUSTED,

  /** An alarm took longer than it may. */
  ALARM_TIMEOUT,

  /** Its storage failed, or the writes of a turn could not be committed. */
  STORAGE_FAILED,

  /** An operator reset, restored, imported or deleted it, or it was restored by its own code. */
  ADMINISTRATION,

  /** The journal or the engine failed, and the runtime stops. */
  RUNTIME_FAILED,

  /** The runtime was closed while its code still ran. */
  CLOSED
}
