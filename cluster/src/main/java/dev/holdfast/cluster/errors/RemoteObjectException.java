package dev.holdfast.cluster.errors;

import dev.holdfast.ObjectException;
import dev.holdfast.ObjectId;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * An object of another node threw an exception whose class is not made again here. No class is
 * loaded because another node named it. Declare an exception in the method of the interface, with a
 * public constructor that takes a message, and callers get it as it is.
 */
public final class RemoteObjectException extends ObjectException {

  @Serial private static final long serialVersionUID = 1L;

  private final String className;

  /**
   * Creates the exception.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param className the class of the exception on the other node
   * @param message its message, or null
   * @param cause its cause, or null
   */
  public RemoteObjectException(
      String namespace,
      ObjectId id,
      String className,
      @Nullable String message,
      @Nullable Throwable cause) {
    super(namespace, id, message == null ? className : className + ": " + message, cause);
    this.className = className;
  }

  /** {@return the class of the exception on the other node, such as {@code com.example.NoMoney}} */
  public String className() {
    return className;
  }
}
