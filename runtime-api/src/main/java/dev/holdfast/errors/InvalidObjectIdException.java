package dev.holdfast.errors;

import dev.holdfast.HoldfastException;
import java.io.Serial;

/** A text or an id does not name an object of the namespace. */
public final class InvalidObjectIdException extends HoldfastException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what is wrong with the id; the reference runtime has the same two texts
   */
  public InvalidObjectIdException(String message) {
    super(message, null);
  }
}
