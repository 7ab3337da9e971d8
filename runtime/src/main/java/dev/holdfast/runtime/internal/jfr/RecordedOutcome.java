package dev.holdfast.runtime.internal.jfr;

/** How a call of an object ends. */
public enum RecordedOutcome {

  /** Its code returned. */
  RETURNED,

  /** Its code threw an exception. */
  THREW,

  /** A reset of the object ended it. */
  RESET,

  /** Too many waited for the object. */
  OVERLOADED,

  /** Its caller gave up before its code began, or it could never have begun. */
  WITHDRAWN
}
