package dev.holdfast.clone;

import dev.holdfast.clone.internal.ErrorNames;
import org.jspecify.annotations.Nullable;

/**
 * An error object, in either of the two forms in which the reference runtime stores errors.
 *
 * <p>Newer runtimes write {@link Form#WITH_PROPERTIES}, older ones {@link Form#PLAIN}. Both are
 * read everywhere, and written back in their original form.
 */
public final class JsError implements JsValue {

  /** The two forms. */
  public enum Form {
    /** Keeps the name, the message and all own properties. */
    WITH_PROPERTIES,
    /** Keeps the kind (one of the seven standard errors), the message, the stack and the cause. */
    PLAIN
  }

  private final Form form;
  private final @Nullable Object name;
  private final @Nullable Object message;
  private final JsObject properties;

  JsError(Form form, @Nullable Object name, @Nullable Object message, JsObject properties) {
    this.form = form;
    this.name = name;
    this.message = message;
    this.properties = properties;
  }

  /**
   * Returns an error in the form that newer runtimes write.
   *
   * @param name such as {@code TypeError}; any name is kept
   * @param message the message
   * @return an error without properties; add to {@link #properties()}
   */
  public static JsError of(String name, String message) {
    return new JsError(Form.WITH_PROPERTIES, name, message, new JsObject());
  }

  /**
   * Returns an error in the form that older runtimes write.
   *
   * @param name one of the standard errors that have no further properties; any other becomes
   *     {@code Error}
   * @param message the message, or null if it has none itself
   * @return an error; of its {@link #properties()} only {@code stack} and {@code cause} are written
   */
  public static JsError plain(String name, @Nullable String message) {
    String kept = ErrorNames.plainTag(name) != 0 ? name : "Error";
    return new JsError(Form.PLAIN, kept, message, new JsObject());
  }

  /**
   * Returns the form in which the error is stored.
   *
   * @return the form
   */
  public Form form() {
    return form;
  }

  /**
   * Returns the name.
   *
   * @return such as {@code TypeError}
   */
  public String name() {
    return name instanceof JsString text ? text.value() : String.valueOf(name);
  }

  /**
   * Returns the message.
   *
   * @return the message; empty if it has none
   */
  public String message() {
    return message == null ? "" : JsString.textOf(message);
  }

  /**
   * Returns the properties, including {@code stack} and, if present, {@code cause} or {@code
   * errors}.
   *
   * @return the object itself, not a copy
   */
  public JsObject properties() {
    return properties;
  }

  /**
   * Returns name and message.
   *
   * @return such as {@code TypeError: not a function}
   */
  @Override
  public String toString() {
    return name() + ": " + message();
  }

  /** The name; JavaScript allows any value. */
  @Nullable Object nameValue() {
    return name;
  }

  /** The message, a {@code String} or {@link JsString}; null if it has none itself. */
  @Nullable Object storedMessage() {
    return message;
  }
}
