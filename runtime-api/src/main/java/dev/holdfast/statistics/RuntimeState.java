package dev.holdfast.statistics;

/** The state of a runtime. */
public enum RuntimeState {

  /** Being opened: no call has been taken yet. */
  OPENING,

  /** Takes calls. */
  OPEN,

  /**
   * Takes calls, but the disk makes nothing durable: replies that depend on writes wait. It goes on
   * when the disk does.
   */
  STALLED,

  /** Refuses calls since the journal or the engine has failed. Close it and open it again. */
  FAILED,

  /** Refuses calls from outside and lets running ones finish. */
  CLOSING,

  /** Closed. The numbers no longer change. */
  CLOSED
}
