package dev.holdfast;

import java.io.Serial;

/** A bookmark or a time cannot be used for point-in-time recovery. Nothing was changed. */
public final class BookmarkException extends ObjectException {

  /** Why it cannot be used. */
  public enum Reason {
    /** The text is no bookmark, or a character of it was changed. */
    MALFORMED,
    /** It is a bookmark of another object, or of another data directory. */
    OTHER_OBJECT,
    /** It names a state that does not exist: later than now, or lost in a crash. */
    NOT_REACHED,
    /** Retention has dropped what would be needed to get back there. */
    NOT_KEPT,
    /** The time lies outside of the recovery window, or in the future. */
    OUT_OF_WINDOW,
    /** The namespace keeps no history, or did not at the time. */
    RECOVERY_OFF
  }

  @Serial private static final long serialVersionUID = 1L;

  private final Reason reason;

  /**
   * Creates the exception.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param reason why
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
