package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.sql.SqlToken.Kind;
import java.util.ArrayList;
import java.util.List;

/** Cuts a SQL text into tokens, as SQLite does. Owned by one thread. */
final class SqlLexer {

  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private final String sql;
  private final List<SqlToken> tokens = new ArrayList<>();
  private int at;

  private SqlLexer(String sql) {
    this.sql = sql;
  }

  /** {@return the tokens of a text, without spaces and comments} */
  static List<SqlToken> tokens(String sql) {
    SqlLexer lexer = new SqlLexer(sql);
    while (lexer.at < sql.length()) {
      lexer.readToken();
    }
    return lexer.tokens;
  }

  private void readToken() {
    char first = sql.charAt(at);
    switch (first) {
      // To SQLite a byte order mark is a space, but only where a token may begin.
      case ' ', '\t', '\n', '\f', '\r', BYTE_ORDER_MARK -> at++;
      case '-' -> readDash();
      case '/' -> readSlash();
      case ';' -> add(Kind.SEMICOLON, at + 1);
      case '\'' -> readQuoted(Kind.STRING, '\'');
      case '"' -> readQuoted(Kind.QUOTED_NAME, '"');
      case '`' -> readQuoted(Kind.QUOTED_NAME, '`');
      case '[' -> readBracketed();
      case '?', ':', '@', '#', '$' -> readParameter();
      default -> readWordOrNumber(first);
    }
  }

  private void readDash() {
    if (next() != '-') {
      add(Kind.OTHER, at + 1);
      return;
    }
    int end = sql.indexOf('\n', at);
    at = end < 0 ? sql.length() : end + 1;
  }

  private void readSlash() {
    // At the very end it begins no comment.
    if (next() != '*' || at + 2 == sql.length()) {
      add(Kind.OTHER, at + 1);
      return;
    }
    int end = sql.indexOf("*/", at + 2);
    at = end < 0 ? sql.length() : end + 2;
  }

  private void readQuoted(Kind kind, char quote) {
    StringBuilder text = new StringBuilder();
    int start = at;
    for (at++; at < sql.length(); at++) {
      char each = sql.charAt(at);
      if (each == quote) {
        if (next() != quote) {
          at++;
          break;
        }
        at++;
      }
      text.append(each);
    }
    tokens.add(new SqlToken(kind, text.toString(), start, at));
  }

  private void readBracketed() {
    int end = sql.indexOf(']', at);
    int stop = end < 0 ? sql.length() : end;
    String name = sql.substring(at + 1, stop);
    int start = at;
    at = Math.min(stop + 1, sql.length());
    tokens.add(new SqlToken(Kind.QUOTED_NAME, name, start, at));
  }

  private void readParameter() {
    int end = at + 1;
    while (end < sql.length() && isNamePart(sql.charAt(end))) {
      end++;
    }
    add(Kind.OTHER, end);
  }

  private void readWordOrNumber(char first) {
    if (!isNamePart(first)) {
      add(Kind.OTHER, at + 1);
      return;
    }
    if ((first == 'x' || first == 'X') && next() == '\'') {
      int end = sql.indexOf('\'', at + 2);
      add(Kind.OTHER, end < 0 ? sql.length() : end + 1);
      return;
    }
    int end = at + 1;
    while (end < sql.length() && isNamePart(sql.charAt(end))) {
      end++;
    }
    boolean isNumber = first >= '0' && first <= '9';
    add(isNumber ? Kind.OTHER : Kind.WORD, end);
  }

  private void add(Kind kind, int end) {
    tokens.add(new SqlToken(kind, sql.substring(at, end), at, end));
    at = end;
  }

  private char next() {
    return at + 1 < sql.length() ? sql.charAt(at + 1) : '\0';
  }

  static boolean isNamePart(char each) {
    return (each >= 'a' && each <= 'z')
        || (each >= 'A' && each <= 'Z')
        || (each >= '0' && each <= '9')
        || each == '_'
        || each == '$'
        || each >= '\u0080';
  }
}
