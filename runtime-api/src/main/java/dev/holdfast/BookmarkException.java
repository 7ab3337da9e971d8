package dev.holdfast;

import java.io.Serial;

/** A bookmark or a time cannot be used for point-in-time recovery. Nothing was changed. */
public final class BookmarkException extends ObjectException {

  /** Why the bookmark or the time cannot be used. */
  public enum Reason {
    /** The text is not a bookmark, or a character of it was changed. */
    MALFORMED,
    /** The bookmark belongs to another object, or to another data directory. */
    OTHER_OBJECT,
    /** The state does not exist: it is later than now, or was lost in a crash. */
    NOT_REACHED,
    /** Retention has dropped the history that the way back to this state needs. */
    NOT_KEPT,
    /**
     * A record between the present and this state is missing in the journal, though retention has
     * not dropped it: the state cannot be proven, and is not given out.
     */
    HISTORY_INCOMPLETE,
    /** The time lies outside the recovery window, or in the future. */
    OUT_OF_WINDOW,
    /**
     * The clock was set back, and the object has changes of later times before one of an earlier
     * time: the time names two states.
     */
    AMBIGUOUS_TIME,
    /** The namespace keeps no history, or kept none at that time. */
    RECOVERY_OFF
  }

  @Serial private static final long serialVersionUID = 1L;

  private final Reason reason;

  /**
   * Creates the exception.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param reason why it cannot be used
   * @param message what is wrong and what to do instead
   */
  public BookmarkException(String namespace, ObjectId id, Reason reason, String message) {
    super(namespace, id, message, null);
    this.reason = reason;
  }

  /** {@return why the bookmark or time cannot be used} */
  public Reason reason() {
    return reason;
  }
}
