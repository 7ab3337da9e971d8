package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.words.SqlLexer;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import dev.holdfast.backend.sqlite.words.SqlToken;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The values of parameters that choose an index of a schema. A partial index serves if a parameter
 * has the value that its definition compares with. With samples of its entries, any value may
 * choose. Immutable.
 *
 * @param areAny whether it may be any value
 * @param values texts, and numbers as {@code Double}
 */
record IndexedValues(boolean areAny, Set<Object> values) {

  /**
   * {@return the values that choose an index}
   *
   * @param hasSamples whether ANALYZE has kept samples of the entries of indexes
   */
  static IndexedValues of(List<Schema.Entry> entries, boolean hasSamples) {
    Set<Object> values = new HashSet<>();
    boolean areAny = hasSamples;
    for (Schema.Entry entry : entries) {
      areAny |= entry.type().equals("index") && !addAll(entry.sql(), values);
    }
    return new IndexedValues(areAny, Set.copyOf(values));
  }

  /** {@return false if a definition has a value that is not understood} */
  private static boolean addAll(String definition, Set<Object> values) {
    List<SqlToken> tokens;
    try {
      tokens = SqlLexer.tokens(definition);
    } catch (SqlRefusedException e) {
      return false; // of other origin
    }
    boolean hasMinus = tokens.stream().anyMatch(each -> each.isSign('-'));
    boolean isCondition = false;
    for (int at = 0; at < tokens.size(); at++) {
      SqlToken token = tokens.get(at);
      if (isCondition && !add(token, tokens.get(at - 1), hasMinus, values)) {
        return false;
      }
      isCondition |= token.is("WHERE");
    }
    return true;
  }

  private static boolean add(
      SqlToken token, SqlToken before, boolean hasMinus, Set<Object> values) {
    return switch (token.kind()) {
      // A name in quotes that nothing has is a text.
      case STRING, QUOTED_NAME -> {
        values.add(token.text());
        yield !hasMinus; // SQLite makes a number of its negative
      }
      case NUMBER -> addNumber(token.text().replace("_", ""), values);
      case WORD -> addWord(token, before, hasMinus, values);
      case BLOB -> false;
      case SIGN, PARAMETER, SEMICOLON -> true;
    };
  }

  private static boolean addNumber(String text, Set<Object> values) {
    try {
      double number = Double.parseDouble(text);
      values.add(number + 0.0);
      values.add(0.0 - number);
      return true;
    } catch (NumberFormatException e) {
      return false; // hexadecimal
    }
  }

  private static boolean addWord(
      SqlToken word, SqlToken before, boolean hasMinus, Set<Object> values) {
    if (word.is("TRUE") || word.is("FALSE")) {
      values.add(word.is("TRUE") ? 1.0 : 0.0);
      return !hasMinus;
    }
    // IS NULL and NOT NULL compare with no value.
    boolean isComparedNull = word.is("NULL") && !before.is("IS") && !before.is("NOT");
    return !isComparedNull && !word.is("CAST");
  }

  boolean areNone() {
    return !areAny && values.isEmpty();
  }

  /** {@return whether a value may choose an index} */
  boolean contains(Object value) {
    return switch (value) {
      case Long number -> values.contains((double) number);
      case Double number -> values.contains(number + 0.0);
      default -> values.contains(value);
    };
  }
}
