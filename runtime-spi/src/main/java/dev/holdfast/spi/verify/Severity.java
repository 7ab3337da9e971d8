package dev.holdfast.spi.verify;

/** How serious a finding is. */
public enum Severity {
  /** Usual after a crash or a kill, or without meaning. The next opening needs no help. */
  NOTE,

  /**
   * Not as the format says, but no object loses anything: the next opening or the next use repairs
   * it, or only history is lost.
   */
  WARNING,

  /** A directory that does not open, an object that is refused, or data that is lost. */
  ERROR
}
