package dev.holdfast.clone.internal;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The names of errors, as the two forms of errors number or tag them. */
public final class ErrorNames {

  /** By the number that the form with properties writes; 0 stands for every other name. */
  private static final List<String> NUMBERED_NAMES =
      List.of(
          "",
          "Error",
          "TypeError",
          "RangeError",
          "ReferenceError",
          "SyntaxError",
          "WasmCompileError",
          "WasmLinkError",
          "WasmRuntimeError",
          "WasmSuspendError",
          "EvalError",
          "URIError",
          "AggregateError",
          "SuppressedError");

  private static final String PLAIN_TAGS = "ERFSTU";
  private static final List<String> PLAIN_NAMES =
      List.of("EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError");

  /** Returns the number of the name of an error, which may be any value. */
  public static int number(@Nullable Object name) {
    return name instanceof String text ? Math.max(0, NUMBERED_NAMES.indexOf(text)) : 0;
  }

  /** Returns the name for a number above 0; unknown numbers are a plain error. */
  public static String nameOf(int number) {
    return number > 0 && number < NUMBERED_NAMES.size() ? NUMBERED_NAMES.get(number) : "Error";
  }

  /** Returns the tag of the plain form; 0 for {@code Error}, which has no tag. */
  public static int plainTag(String name) {
    int index = PLAIN_NAMES.indexOf(name);
    return index < 0 ? 0 : PLAIN_TAGS.charAt(index);
  }

  /** Returns the name for a tag of the plain form; null for a tag that is not an error. */
  public static @Nullable String nameOfPlainTag(int tag) {
    int index = PLAIN_TAGS.indexOf(tag);
    return index < 0 ? null : PLAIN_NAMES.get(index);
  }

  private ErrorNames() {}
}
