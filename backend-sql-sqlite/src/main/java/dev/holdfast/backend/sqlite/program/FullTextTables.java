package dev.holdfast.backend.sqlite.program;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the full-text tables of a schema have in common, where it determines the cost of a search;
 * of different tables the costlier. Immutable.
 *
 * @param columnsMax the most columns of one; 0 if there is no full-text table
 * @param hasOwnContent whether each keeps the rows that it indexes, so that no row is longer than a
 *     value
 * @param hasCharacterTokens whether a token may begin at each character
 * @param hasPlainTokens whether letters and digits belong to tokens, and no token is shortened
 */
public record FullTextTables(
    int columnsMax, boolean hasOwnContent, boolean hasCharacterTokens, boolean hasPlainTokens) {

  /** Of a schema without full-text tables. */
  public static final FullTextTables NONE = new FullTextTables(0, true, false, true);

  /** An argument of the module that is no column. */
  private static final Pattern OPTION = Pattern.compile("\\s*\\w+\\s*=.*", Pattern.DOTALL);

  private static final Pattern CONTENT = Pattern.compile("\\bcontent\\s*=");

  /**
   * {@return what some tables have in common}
   *
   * @param definitions their definitions
   */
  public static FullTextTables of(List<String> definitions) {
    FullTextTables all = NONE;
    for (String definition : definitions) {
      all = all.with(definition.toLowerCase(Locale.ROOT));
    }
    return all;
  }

  private FullTextTables with(String definition) {
    int columns =
        (int)
            Stream.of(definition.split(","))
                .filter(each -> !OPTION.matcher(each).matches())
                .count();
    boolean isPlain =
        !definition.contains("porter")
            && !definition.contains("separators")
            && !definition.contains("categories");
    return new FullTextTables(
        Math.max(columnsMax, columns),
        hasOwnContent && !CONTENT.matcher(definition).find(),
        hasCharacterTokens || definition.contains("trigram"),
        hasPlainTokens && isPlain);
  }

  boolean isEmpty() {
    return columnsMax == 0;
  }

  /** {@return the most tokens of one byte of text} */
  double tokensPerByte() {
    return hasCharacterTokens ? 1 : 0.5;
  }
}
