package dev.holdfast.conformance;

import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One answer beside the reference's.
 *
 * @param where the step and the operations that lead to it, such as {@code 1.3.2}
 * @param operation what was done, as JSON
 * @param expected what the reference answered, as a text
 * @param actual the result here, as a text
 * @param cursor the cursor that the operation opened or used; null for none
 * @param past what had become of that cursor before
 * @param isSame whether it equals the reference's answer, an error on both sides: not a difference,
 *     but the rules for the rest of the case need it
 */
record Mismatch(
    String where,
    String operation,
    String expected,
    String actual,
    @Nullable CursorTrace cursor,
    Set<CursorTrace.Event> past,
    boolean isSame) {

  private static final Pattern MISSING =
      Pattern.compile(
          "^Error: (no such (table|view|trigger|index|column)"
              + "|(table|view|trigger|index) .* already exists)");

  private static final String SKIPPED = "skip=true";

  /** The operation is JSON: what looks like this within a text has other quotes. */
  private static final Pattern RESULT = Pattern.compile("\"as\":\"(\\w+)\"");

  private static final Pattern TARGET = Pattern.compile("\"(?:on|iter|spread)\":\"(\\w+)\"");

  private static final Pattern REQUEST = Pattern.compile("request failed(, object reset)?: ");

  private static final int SHOWN_LENGTH_MAX = 300;

  private static final Pattern ERROR =
      Pattern.compile("^(\\w*Error: |internal error|request failed)");

  /**
   * {@return whether one side lacks a table or the like that the other has, or a view or trigger
   * that the reference has made and now refuses to use}
   */
  boolean isAboutSchema() {
    return expected.contains("SQLITE_AUTH")
        || MISSING.matcher(expected).find()
        || MISSING.matcher(actual).find();
  }

  /**
   * {@return the same about the error alone, where it has ended the whole request on both sides}
   */
  Mismatch ofTheErrorAlone() {
    Matcher was = REQUEST.matcher(expected);
    Matcher is = REQUEST.matcher(actual);
    // A reset that only the reference has is not a difference of texts.
    boolean bothFailed =
        was.lookingAt() && is.lookingAt() && (was.group(1) == null || is.group(1) != null);
    return bothFailed
        ? new Mismatch(
            where,
            operation,
            expected.substring(was.end()),
            actual.substring(is.end()),
            cursor,
            past,
            isSame)
        : this;
  }

  /** {@return whether one side failed, or lacks what the operation is about} */
  boolean isAboutErrors() {
    return isSkipped() || ERROR.matcher(expected).find() || ERROR.matcher(actual).find();
  }

  /** {@return whether one side lacks the cursor or the like that the operation is about} */
  boolean isSkipped() {
    return expected.startsWith(SKIPPED) || actual.startsWith(SKIPPED);
  }

  /** {@return the slot of the result, if it has one} */
  Optional<String> result() {
    return slot(RESULT);
  }

  /** {@return the slot of the operation's target, if it has one} */
  Optional<String> target() {
    return slot(TARGET);
  }

  private Optional<String> slot(Pattern pattern) {
    Matcher found = pattern.matcher(operation);
    return found.find() ? Optional.of(found.group(1)) : Optional.empty();
  }

  /** Returns a text that is short enough to print. */
  static String shortened(String text) {
    return text.length() <= SHOWN_LENGTH_MAX
        ? text
        : text.substring(0, SHOWN_LENGTH_MAX) + "… (" + text.length() + " characters)";
  }
}
