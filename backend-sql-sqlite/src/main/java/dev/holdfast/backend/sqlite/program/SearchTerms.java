package dev.holdfast.backend.sqlite.program;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The terms of full-text queries. Where FTS5 might see fewer, the larger number counts. Immutable.
 *
 * @param count how many terms there are
 * @param matchesPerByte how many of them may match in each byte of a row at most: terms that begin
 *     with different letters match different tokens, and a token is as long as its term
 */
record SearchTerms(double count, double matchesPerByte) {

  private static final Set<String> OPERATORS = Set.of("AND", "OR", "NOT");

  /** Stands for all first letters that are compared without accents, which may be any. */
  private static final int ANY = 0;

  /** {@return the terms of any text of a length in bytes} */
  static SearchTerms ofAny(double bytes, FullTextTables tables) {
    double count = bytes * tables.tokensPerByte();
    return new SearchTerms(count, count * tables.tokensPerByte());
  }

  static final SearchTerms NONE = new SearchTerms(0, 0);

  /**
   * {@return the terms of a text}
   *
   * @param isPart whether it is only a part of a query, so that any word of it may be quoted
   */
  static SearchTerms of(String text, boolean isPart, FullTextTables tables) {
    Map<Integer, Double> weights = new HashMap<>();
    boolean isQuoted = false;
    int count = 0;
    int next;
    for (int at = 0; at < text.length(); at = next) {
      next = at + 1;
      if (isOfWord(text.charAt(at))) {
        while (next < text.length() && isOfWord(text.charAt(next))) {
          next++;
        }
        String word = text.substring(at, next);
        if (isPart || isQuoted || !OPERATORS.contains(word)) {
          count++;
          weights.merge(first(word, tables), weight(word, tables), Double::sum);
        }
      }
      isQuoted ^= text.charAt(at) == '"';
    }
    double any = weights.getOrDefault(ANY, 0.0);
    double most = weights.values().stream().mapToDouble(each -> each).max().orElse(0);
    return new SearchTerms(
        tables.hasCharacterTokens() ? Math.max(count, text.length()) : count,
        weights.size() > 1 ? any + most : most);
  }

  SearchTerms and(SearchTerms other) {
    return new SearchTerms(count + other.count, matchesPerByte + other.matchesPerByte);
  }

  private static boolean isOfWord(char each) {
    return each >= 0x80
        || (each >= '0' && each <= '9')
        || (each >= 'a' && each <= 'z')
        || (each >= 'A' && each <= 'Z');
  }

  private static int first(String word, FullTextTables tables) {
    char first = word.charAt(0);
    return first >= 0x80 || !tables.hasPlainTokens() ? ANY : Character.toLowerCase(first);
  }

  /** {@return one for each byte of the shortest token that it matches, and of what follows it} */
  private static double weight(String word, FullTextTables tables) {
    if (tables.hasCharacterTokens() || !tables.hasPlainTokens()) {
      return tables.tokensPerByte();
    }
    // Accents may be left out.
    return 1.0 / (1 + Math.max(1, word.codePoints().filter(Character::isLetterOrDigit).count()));
  }
}
