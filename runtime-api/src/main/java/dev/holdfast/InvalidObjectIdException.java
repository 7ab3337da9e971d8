package dev.holdfast;

import java.io.Serial;

/** A text or id does not name an object of the namespace. */
public final class InvalidObjectIdException extends HoldfastException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what is wrong with the id; the two texts are those of the reference runtime
   */
  public InvalidObjectIdException(String message) {
    super(message, null);
  }
}
