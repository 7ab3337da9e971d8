package dev.holdfast.examples.conformance;

/**
 * One answer that is not the reference's.
 *
 * @param where the step and the operations that lead to it, such as {@code 1.3.2}
 * @param operation what was done, as JSON
 * @param expected what the reference answered, as a text
 * @param actual what came of it here, as a text
 */
record Difference(String where, String operation, String expected, String actual) {

  private static final int SHOWN_LENGTH_MAX = 300;

  /** A text that is short enough to be printed. */
  static String shortened(String text) {
    return text.length() <= SHOWN_LENGTH_MAX
        ? text
        : text.substring(0, SHOWN_LENGTH_MAX) + "… (" + text.length() + " characters)";
  }
}
