package dev.holdfast.cluster.errors;

import dev.holdfast.ObjectException;
import dev.holdfast.ObjectId;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * An object threw an exception that cannot be made again on another node; callers get this one
 * wherever the object is. An exception without fields needs a constructor that takes a message, a
 * cause, both or nothing; one with fields a constructor that takes them by their names.
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
