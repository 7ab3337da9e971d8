package dev.holdfast.examples.conformance;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One answer that is not the reference's.
 *
 * @param where the step and the operations that lead to it, such as {@code 1.3.2}
 * @param operation what was done, as JSON
 * @param expected what the reference answered, as a text
 * @param actual what came of it here, as a text
 * @param cursor the cursor that the operation opened or used; null for none
 */
record Difference(
    String where, String operation, String expected, String actual, @Nullable CursorTrace cursor) {

  private static final Pattern ERROR =
      Pattern.compile("^(\\w*Error: |internal error|request failed)");

  private static final int SHOWN_LENGTH_MAX = 300;

  /** {@return whether one side failed} */
  boolean isAboutErrors() {
    return ERROR.matcher(expected).find() || ERROR.matcher(actual).find();
  }

  /** A text that is short enough to be printed. */
  static String shortened(String text) {
    return text.length() <= SHOWN_LENGTH_MAX
        ? text
        : text.substring(0, SHOWN_LENGTH_MAX) + "… (" + text.length() + " characters)";
  }
}
