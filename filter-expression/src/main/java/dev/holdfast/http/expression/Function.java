package dev.holdfast.http.expression;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A function of the language.
 *
 * @param name its name
 * @param parameters the types of its arguments in order
 * @param required the number of required arguments
 * @param repeated whether the last one may be repeated
 * @param result the type of its value
 * @param body computes the value from arguments that are not missing; returns null if there is no
 *     value
 */
record Function(
    String name,
    List<Parameter> parameters,
    int required,
    boolean repeated,
    FieldType result,
    Body body) {

  /**
   * The permitted form of an argument: its types, whether it must be a literal, must not be one, or
   * either, and the range of the number, or of the length, of a literal.
   */
  record Parameter(List<FieldType> types, Form form, long least, long most) {

    Parameter(List<FieldType> types, Form form) {
      this(types, form, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    /** What a literal must be, if it is not; otherwise null. */
    @Nullable String mistake(Object literal) {
      return switch (literal) {
        case Long number when number < least || number > most ->
            "expected " + least + " to " + most;
        case String bytes when bytes.length() < least -> "expected a text with characters";
        default -> null;
      };
    }
  }

  enum Form {
    FIELD,
    LITERAL,
    EITHER
  }

  @FunctionalInterface
  interface Body {
    @Nullable Object apply(Object[] arguments, FilterWork work);
  }

  @Nullable Object apply(Object[] arguments, FilterWork work) {
    Object result = body.apply(arguments, work);
    // Each may double the length of its input, and calls can be nested.
    if (result instanceof String bytes && bytes.length() > ExpressionBounds.VALUE_LENGTH_MAX) {
      throw new FilterWorkException();
    }
    return result;
  }

  /** Whether a missing argument is an empty text. */
  boolean readsMissing() {
    return name.equals("concat");
  }

  int most() {
    return repeated ? Integer.MAX_VALUE : parameters.size();
  }

  Parameter parameter(int index) {
    return parameters.get(Math.min(index, parameters.size() - 1));
  }

  /** Functions are identified by name; bodies cannot be compared. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Function that && name.equals(that.name);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }
}
