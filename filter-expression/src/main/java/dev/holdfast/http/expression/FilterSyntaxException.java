package dev.holdfast.http.expression;

/** An expression that is malformed, too large, or not well typed. */
public final class FilterSyntaxException extends Exception {

  private static final long serialVersionUID = 1L;

  private final int line;
  private final int column;
  private final String reason;

  FilterSyntaxException(String text, int start, int end, String reason) {
    this(Place.of(text, start, end), reason);
  }

  private FilterSyntaxException(Place place, String reason) {
    super(
        "Filter parsing error (%d:%d):%n%s%n%s%s %s%n"
            .replace("%n", "\n")
            .formatted(
                place.line(),
                place.column(),
                place.text(),
                " ".repeat(place.column() - 1),
                "^".repeat(place.length()),
                reason));
    this.line = place.line();
    this.column = place.column();
    this.reason = reason;
  }

  /** {@return the line of the mistake, from 1} */
  public int line() {
    return line;
  }

  /** {@return the column of the mistake in its line, from 1} */
  public int column() {
    return column;
  }

  /** {@return the description of the mistake} */
  public String reason() {
    return reason;
  }

  private record Place(int line, int column, String text, int length) {

    static Place of(String text, int from, int to) {
      int start = Math.min(from, text.length());
      int lineStart = text.lastIndexOf('\n', start - 1) + 1;
      int lineEnd = text.indexOf('\n', start);
      int end = lineEnd < 0 ? text.length() : lineEnd;
      int line = 1 + (int) text.substring(0, lineStart).chars().filter(c -> c == '\n').count();
      int length = Math.max(1, Math.min(to, end) - start);
      return new Place(line, start - lineStart + 1, text.substring(lineStart, end), length);
    }
  }
}
