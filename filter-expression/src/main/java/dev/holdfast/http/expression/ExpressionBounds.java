package dev.holdfast.http.expression;

/**
 * The bounds of the expression language; see also {@link FilterExpression} and {@link FilterWork}.
 */
final class ExpressionBounds {

  /** A value that was encoded more often than this is not decoded further. */
  static final int DECODINGS_MAX = 16;

  /** The nesting of an expression: the parser and the compiled expression recurse. */
  static final int NESTING_MAX = 128;

  /** Regular expressions in one expression. */
  static final int REGEXES_MAX = 64;

  /** Signs around a raw string. */
  static final int RAW_SIGNS_MAX = 255;

  /** The longest result of a function; with a longer one, the expression is undecided. */
  static final int VALUE_LENGTH_MAX = 1 << 20;

  /** Parts into which a text is split. */
  static final int SPLIT_MAX = 128;

  /** States of one regular expression; an expression may have {@link #REGEXES_MAX} of them. */
  static final long REGEX_SIZE_MAX = 4_000;

  private ExpressionBounds() {}
}
