package dev.holdfast.backend.sqlite.program;

import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What some full-text tables have in common, where it determines the cost of a search; of different
 * tables the costlier. Immutable.
 *
 * @param columnsMax the most columns of one; 0 if there is no full-text table
 * @param hasOwnContent whether each keeps the rows that it indexes, so that no row is longer than a
 *     value
 * @param hasCharacterTokens whether a token may begin at each character
 * @param hasPlainTokens whether letters and digits belong to tokens, and no token is shortened
 */
public record FullTextTables(
    int columnsMax, boolean hasOwnContent, boolean hasCharacterTokens, boolean hasPlainTokens) {

  /** Of no table. */
  public static final FullTextTables NONE = new FullTextTables(0, true, false, true);

  /** An argument of the module that is not a column. */
  private static final Pattern OPTION = Pattern.compile("\\s*\\w+\\s*=.*", Pattern.DOTALL);

  private static final Pattern CONTENT = Pattern.compile("\\bcontent\\s*=");

  /**
   * {@return what determines the cost of a search in one table}
   *
   * @param definition its definition
   */
  public static FullTextTables of(String definition) {
    String text = definition.toLowerCase(Locale.ROOT);
    long columns =
        Stream.of(text.split(",")).filter(each -> !OPTION.matcher(each).matches()).count();
    boolean isPlain =
        !text.contains("porter") && !text.contains("separators") && !text.contains("categories");
    return new FullTextTables(
        (int) columns, !CONTENT.matcher(text).find(), text.contains("trigram"), isPlain);
  }

  /** {@return what both have in common} */
  public FullTextTables and(FullTextTables other) {
    return new FullTextTables(
        Math.max(columnsMax, other.columnsMax),
        hasOwnContent && other.hasOwnContent,
        hasCharacterTokens || other.hasCharacterTokens,
        hasPlainTokens && other.hasPlainTokens);
  }

  /**
   * {@return the most tokens of one row}
   *
   * @param valueBytesMax the longest value or row
   */
  public long rowTokensMax(int valueBytesMax) {
    return (long) (rowBytesMax(valueBytesMax) * tokensPerByte()) + 1;
  }

  /** {@return the most bytes of which one row has tokens} */
  double rowBytesMax(int valueBytesMax) {
    return valueBytesMax * (hasOwnContent ? 1.0 : columnsMax);
  }

  boolean isEmpty() {
    return columnsMax == 0;
  }

  /** {@return the most tokens of one byte of text} */
  double tokensPerByte() {
    return hasCharacterTokens ? 1 : 0.5;
  }
}
