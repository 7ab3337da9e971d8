package dev.holdfast.errors;

import dev.holdfast.HoldfastException;
import java.io.Serial;

/** A namespace is unknown, registered twice, malformed, or asked for with another interface. */
public final class NamespaceException extends HoldfastException {

  @Serial private static final long serialVersionUID = 1L;

  private final String namespace;

  /**
   * Creates the exception.
   *
   * @param namespace the namespace's name
   * @param message what is wrong and what to do
   */
  public NamespaceException(String namespace, String message) {
    super(message, null);
    this.namespace = namespace;
  }

  /** {@return the name of the namespace as the application gave it} */
  public String namespace() {
    return namespace;
  }
}
