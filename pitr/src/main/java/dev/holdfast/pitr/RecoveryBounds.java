package dev.holdfast.pitr;

/** The limits of point-in-time recovery: what a bookmark can name, and what an error shows. */
final class RecoveryBounds {

  /**
   * The largest position that a bookmark can name, in 47 bits: a million records each second for
   * four years and more.
   */
  static final long POSITION_MAX = (1L << 47) - 2;

  /** The length of the text of a bookmark; any other text is refused before it is read. */
  static final int BOOKMARK_CHARS = 59;

  /** How much of a text that is not a bookmark an error shows: it may be of any length. */
  static final int SHOWN_CHARS_MAX = 80;

  private RecoveryBounds() {}
}
