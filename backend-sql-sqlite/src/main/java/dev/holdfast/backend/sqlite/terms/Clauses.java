package dev.holdfast.backend.sqlite.terms;

import dev.holdfast.backend.sqlite.words.Brackets;
import dev.holdfast.backend.sqlite.words.Keywords;
import dev.holdfast.backend.sqlite.words.SqlToken;
import dev.holdfast.backend.sqlite.words.SqlToken.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Finds where the clauses of a statement begin and end, by its words. A range includes its first
 * token and not its last one. Immutable.
 */
final class Clauses {

  private static final Set<String> JOIN_WORDS =
      Set.of("join", "natural", "left", "right", "full", "cross", "inner", "outer");

  private static final Set<String> NO_ALIAS =
      Set.of(
          "on",
          "using",
          "indexed",
          "not",
          "set",
          "where",
          "returning",
          "from",
          "values",
          "select",
          "default",
          "with");

  /** Keywords that end an expression. */
  private static final Set<String> VALUE_WORDS =
      Set.of(
          "end", "null", "isnull", "notnull", "current_date", "current_time", "current_timestamp");

  private final List<SqlToken> tokens;

  /** The end of the bracket at each index; 0 if there is none. */
  private final int[] ends;

  Clauses(List<SqlToken> tokens) {
    this.tokens = tokens;
    this.ends = Brackets.ends(tokens);
  }

  SqlToken get(int index) {
    return tokens.get(index);
  }

  /** {@return whether BEGIN is here, and a statement follows; otherwise it is a name} */
  boolean beginsBody(int index) {
    if (!tokens.get(index).is("BEGIN") || index + 1 >= tokens.size()) {
      return false;
    }
    SqlToken next = tokens.get(index + 1);
    return next.is("SELECT")
        || next.is("VALUES")
        || next.is("WITH")
        || next.is("INSERT")
        || next.is("REPLACE")
        || next.is("UPDATE")
        || next.is("DELETE");
  }

  /** {@return where the first ON CONFLICT is; a column of a join may have that name} */
  int firstConflict(int from, int to) {
    for (int index = from; index + 2 < to; index++) {
      if (isConflict(index)) {
        return index;
      }
      index = skip(index);
    }
    return to;
  }

  private boolean isConflict(int index) {
    SqlToken after = tokens.get(index + 2);
    return tokens.get(index).is("ON")
        && tokens.get(index + 1).is("CONFLICT")
        && (after.isSign('(') || after.is("DO"));
  }

  long conflicts(int from, int to) {
    return IntStream.range(from, Math.max(from, to - 2)).filter(this::isConflict).count();
  }

  String target(int at, int to) {
    boolean isQualified = at + 2 < to && tokens.get(at + 1).isSign('.');
    int name = isQualified ? at + 2 : at;
    return name < to ? tokens.get(name).lowerCase() : "";
  }

  /** {@return the first select at the top of a range; its end if there is none} */
  int firstSelect(int from, int to) {
    for (int index = from; index < to; index++) {
      if (beginsSelect(index)) {
        return index;
      }
      index = skip(index);
    }
    return to;
  }

  boolean beginsSelect(int index) {
    SqlToken token = tokens.get(index);
    return token.is("SELECT") || token.is("VALUES") || beginsCommons(index);
  }

  /** {@return whether a common table follows WITH, which is a name otherwise} */
  boolean beginsCommons(int index) {
    int at = index + 1;
    if (!tokens.get(index).is("WITH") || at >= tokens.size()) {
      return false;
    }
    // In an argument of CAST, AS may follow a call.
    if (index > 1 && tokens.get(index - 2).is("CAST")) {
      return false;
    }
    at += tokens.get(at).is("RECURSIVE") ? 2 : 1;
    if (at < tokens.size() && tokens.get(at).isSign('(')) {
      at = end(at) + 1;
    }
    return at < tokens.size() && tokens.get(at).is("AS");
  }

  static boolean combines(SqlToken token) {
    return token.is("UNION") || token.is("INTERSECT") || token.is("EXCEPT");
  }

  List<String> names(int bracket) {
    List<String> names = new ArrayList<>();
    int last = Math.min(end(bracket), tokens.size());
    for (int index = bracket + 1; index < last; index++) {
      boolean isFirst = index == bracket + 1 || tokens.get(index - 1).isSign(',');
      if (isFirst) {
        names.add(tokens.get(index).lowerCase());
      }
    }
    return names;
  }

  boolean isStar(int begin, int end) {
    return end > begin
        && tokens.get(end - 1).isSign('*')
        && (end - begin == 1 || (end - begin == 3 && tokens.get(begin + 1).isSign('.')));
  }

  /** {@return whether a column of a result has a name; otherwise its text is its name} */
  boolean isNamed(int begin, int end) {
    if (!tokens.get(end - 1).mayBeName()) {
      return false;
    }
    if (end - begin == 1) {
      return true;
    }
    SqlToken before = tokens.get(end - 2);
    return switch (before.kind()) {
      case WORD ->
          before.is("AS")
              || VALUE_WORDS.contains(before.lowerCase())
              || !Keywords.isKeyword(before);
      case SIGN -> before.isSign(')') || (before.isSign('.') && end - begin == 3);
      default -> true;
    };
  }

  /** {@return the index of an alias; the end of the range if there is none} */
  int alias(int at, int to) {
    if (at < to && tokens.get(at).is("AS")) {
      return Math.min(at + 1, to);
    }
    if (at >= to || !tokens.get(at).mayBeName()) {
      return to;
    }
    SqlToken token = tokens.get(at);
    boolean isWord = token.kind() == Kind.WORD;
    String word = token.lowerCase();
    return isWord && (JOIN_WORDS.contains(word) || NO_ALIAS.contains(word)) ? to : at;
  }

  int firstComma(int from, int to) {
    for (int index = from; index < to; index++) {
      if (tokens.get(index).isSign(',')) {
        return index;
      }
      index = skip(index);
    }
    return to;
  }

  /** {@return the bracket that closes the one at an index} */
  int end(int open) {
    return ends[open] == 0 ? tokens.size() : ends[open];
  }

  /** {@return the last index of what begins at an index: of a bracket, its end} */
  int skip(int index) {
    return index < tokens.size() && tokens.get(index).isSign('(') ? end(index) : index;
  }

  /**
   * {@return the first word of its kind outside brackets; the end of the range if there is none}
   */
  int firstAtTop(int from, int to, String word) {
    for (int index = from; index < to; index++) {
      if (tokens.get(index).is(word)) {
        return index;
      }
      index = skip(index);
    }
    return to;
  }

  /** An expression follows {@code IS DISTINCT FROM}. */
  int firstFrom(int from, int to) {
    int found = firstAtTop(from, to, "FROM");
    while (found < to && found > from && tokens.get(found - 1).is("DISTINCT")) {
      found = firstAtTop(found + 1, to, "FROM");
    }
    return found;
  }

  /** The word begins a clause only before a name, AS and a bracket; elsewhere it is a name. */
  int firstWindow(int from, int to) {
    int found = firstAtTop(from, to, "WINDOW");
    while (found + 3 < to
        && !(tokens.get(found + 2).is("AS") && tokens.get(found + 3).isSign('('))) {
      found = firstAtTop(found + 1, to, "WINDOW");
    }
    return found + 3 < to ? found : to;
  }
}
