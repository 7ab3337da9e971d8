package dev.holdfast.conformance.script;

import java.io.Serial;

/** An error as JavaScript reports it: by name and message. */
final class JsFailure extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  private final String name;

  private JsFailure(String name, String message) {
    super(message);
    this.name = name;
  }

  String name() {
    return name;
  }

  static JsFailure typeError(String message) {
    return new JsFailure("TypeError", message);
  }

  static JsFailure error(String message) {
    return new JsFailure("Error", message);
  }

  /**
   * Returns the JavaScript error for an argument that cannot be converted to the type of a
   * parameter.
   */
  static JsFailure argument(String method, String owner, int parameter, String type) {
    return typeError(
        "Failed to execute '"
            + method
            + "' on '"
            + owner
            + "': parameter "
            + parameter
            + " is not of type '"
            + type
            + "'.");
  }
}
