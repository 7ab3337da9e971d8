package dev.holdfast.backend.sqlite.words;

import dev.holdfast.backend.sqlite.words.SqlToken.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * Splits a SQL text into tokens exactly as SQLite does, character by character like its {@code
 * sqlite3GetToken}; {@code SqlLexerTest} compares it with the library. What is not a token to
 * SQLite is refused, with SQLite's error text, and so are two characters that are easily
 * overlooked: U+000B, which SQLite treats as a space only after another space, and a byte order
 * mark that is not the first character of the text. Confined to one thread.
 */
public final class SqlLexer {

  private static final char BYTE_ORDER_MARK = '\uFEFF';
  private static final char VERTICAL_TAB = '\u000B';
  private static final char END = '\0';

  private final String sql;
  private final List<SqlToken> tokens = new ArrayList<>();
  private int at;

  private SqlLexer(String sql) {
    this.sql = sql;
  }

  /**
   * {@return the tokens of a text without U+0000, and without spaces and comments}
   *
   * @throws SqlRefusedException if it has a character or form that is not known
   */
  public static List<SqlToken> tokens(String sql) {
    SqlLexer lexer = new SqlLexer(sql);
    while (lexer.at < sql.length()) {
      lexer.readToken();
    }
    return lexer.tokens;
  }

  private void readToken() {
    char first = sql.charAt(at);
    switch (first) {
      case ' ', '\t', '\n', '\f', '\r' -> at++;
      case '-' -> readDash();
      case '/' -> readSlash();
      case ';' -> add(Kind.SEMICOLON, at + 1);
      case '(', ')', ',', '+', '*', '%', '&', '~' -> add(Kind.SIGN, at + 1);
      case '=' -> add(Kind.SIGN, peek(1) == '=' ? at + 2 : at + 1);
      case '<' -> add(Kind.SIGN, "=><".indexOf(peek(1)) >= 0 ? at + 2 : at + 1);
      case '>' -> add(Kind.SIGN, "=>".indexOf(peek(1)) >= 0 ? at + 2 : at + 1);
      case '|' -> add(Kind.SIGN, peek(1) == '|' ? at + 2 : at + 1);
      case '!' -> readExclamationMark();
      case '\'' -> readQuoted(Kind.STRING, '\'');
      case '"', '`' -> readQuoted(Kind.QUOTED_NAME, first);
      case '[' -> readBracketed();
      case '?' -> readNumberedParameter();
      case '$', '@', ':', '#' -> readNamedParameter();
      case '.' -> readDot();
      case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> readNumber();
      case BYTE_ORDER_MARK -> readByteOrderMark();
      default -> readWord(first);
    }
  }

  private void readDash() {
    if (peek(1) == '>') {
      add(Kind.SIGN, peek(2) == '>' ? at + 3 : at + 2);
    } else if (peek(1) == '-') {
      int end = sql.indexOf('\n', at);
      at = end < 0 ? sql.length() : end;
    } else {
      add(Kind.SIGN, at + 1);
    }
  }

  private void readSlash() {
    // At the very end it begins no comment.
    if (peek(1) != '*' || at + 2 == sql.length()) {
      add(Kind.SIGN, at + 1);
      return;
    }
    int end = sql.indexOf("*/", at + 2);
    at = end < 0 ? sql.length() : end + 2;
  }

  private void readExclamationMark() {
    if (peek(1) != '=') {
      throw unrecognized(at + 1);
    }
    add(Kind.SIGN, at + 2);
  }

  private void readQuoted(Kind kind, char quote) {
    StringBuilder text = new StringBuilder();
    int end = at + 1;
    while (end < sql.length()) {
      char each = sql.charAt(end++);
      if (each == quote) {
        if (end == sql.length() || sql.charAt(end) != quote) {
          tokens.add(new SqlToken(kind, text.toString(), sql.substring(at, end), at));
          at = end;
          return;
        }
        end++;
      }
      text.append(each);
    }
    throw unrecognized(end);
  }

  private void readBracketed() {
    int end = sql.indexOf(']', at);
    if (end < 0) {
      throw unrecognized(sql.length());
    }
    String written = sql.substring(at, end + 1);
    tokens.add(new SqlToken(Kind.QUOTED_NAME, sql.substring(at + 1, end), written, at));
    at = end + 1;
  }

  private void readNumberedParameter() {
    int end = at + 1;
    while (isDigit(end)) {
      end++;
    }
    add(Kind.PARAMETER, end);
  }

  /** As in Tcl it may contain pairs of colons, and end with a text in brackets without spaces. */
  private void readNamedParameter() {
    int end = at + 1;
    int nameLength = 0;
    while (end < sql.length()) {
      char each = sql.charAt(end);
      if (isNamePart(each)) {
        nameLength++;
      } else if (each == '(' && nameLength > 0) {
        end = endOfArgument(end);
        break;
      } else if (each == ':' && charAt(end + 1) == ':') {
        end++;
      } else {
        break;
      }
      end++;
    }
    if (nameLength == 0) {
      throw unrecognized(end);
    }
    if (sql.charAt(at) == '#' && isDigit(at + 1)) {
      // A register, for statements of SQLite's own.
      throw SqlRefusedException.unexpected(sql.substring(at, end));
    }
    add(Kind.PARAMETER, end);
  }

  private int endOfArgument(int bracket) {
    int end = bracket + 1;
    while (end < sql.length() && sql.charAt(end) != ')' && !isSpace(sql.charAt(end))) {
      end++;
    }
    if (charAt(end) != ')') {
      throw unrecognized(end);
    }
    return end + 1;
  }

  private void readDot() {
    if (isDigit(at + 1)) {
      readNumber();
    } else {
      add(Kind.SIGN, at + 1);
    }
  }

  private void readNumber() {
    int end = at;
    if (charAt(at) == '0' && (peek(1) == 'x' || peek(1) == 'X') && isHexDigit(at + 2)) {
      end += 3;
      while (isHexDigit(end) || charAt(end) == '_') {
        end++;
      }
    } else {
      end = endOfDigits(end);
      if (charAt(end) == '.') {
        end = endOfDigits(end + 1);
      }
      boolean hasSign = charAt(end + 1) == '+' || charAt(end + 1) == '-';
      boolean hasExponent = isDigit(end + 1) || (hasSign && isDigit(end + 2));
      if ((charAt(end) == 'e' || charAt(end) == 'E') && hasExponent) {
        end = endOfDigits(end + 2);
      }
    }
    if (isNamePart(charAt(end))) {
      throw unrecognized(endOfName(end));
    }
    requireGoodSeparators(end);
    add(Kind.NUMBER, end);
  }

  private int endOfDigits(int from) {
    int end = from;
    while (isDigit(end) || charAt(end) == '_') {
      end++;
    }
    return end;
  }

  /** A separator stands between two digits. */
  private void requireGoodSeparators(int end) {
    boolean isHex = peek(1) == 'x' || peek(1) == 'X';
    for (int index = sql.indexOf('_', at); index >= 0 && index < end; ) {
      boolean isBetween =
          isHex
              ? isHexDigit(index - 1) && isHexDigit(index + 1)
              : isDigit(index - 1) && isDigit(index + 1);
      if (!isBetween) {
        throw unrecognized(end);
      }
      index = sql.indexOf('_', index + 1);
    }
  }

  private void readByteOrderMark() {
    if (at != 0) {
      throw unrecognized(at + 1);
    }
    at++;
  }

  private void readWord(char first) {
    if ((first == 'x' || first == 'X') && peek(1) == '\'') {
      readBlob();
      return;
    }
    if (!isNamePart(first)) {
      throw unrecognized(at + 1);
    }
    add(Kind.WORD, endOfName(at));
  }

  private void readBlob() {
    int end = at + 2;
    while (isHexDigit(end)) {
      end++;
    }
    if (charAt(end) != '\'' || (end - at) % 2 != 0) {
      int quote = sql.indexOf('\'', end);
      throw unrecognized(quote < 0 ? sql.length() : quote + 1);
    }
    add(Kind.BLOB, end + 1);
  }

  private int endOfName(int from) {
    int end = from;
    while (isNamePart(charAt(end))) {
      end++;
    }
    return end;
  }

  private void add(Kind kind, int end) {
    String written = sql.substring(at, end);
    tokens.add(new SqlToken(kind, written, written, at));
    at = end;
  }

  private SqlRefusedException unrecognized(int end) {
    return SqlRefusedException.syntax("unrecognized token: \"" + sql.substring(at, end) + "\"");
  }

  private char peek(int distance) {
    return charAt(at + distance);
  }

  /** The character at an index; after the end, none. */
  private char charAt(int index) {
    return index < sql.length() ? sql.charAt(index) : END;
  }

  private boolean isDigit(int index) {
    char each = charAt(index);
    return each >= '0' && each <= '9';
  }

  private boolean isHexDigit(int index) {
    char each = charAt(index);
    return isDigit(index) || (each >= 'a' && each <= 'f') || (each >= 'A' && each <= 'F');
  }

  private static boolean isSpace(char each) {
    return each == ' ' || (each >= '\t' && each <= '\r') || each == VERTICAL_TAB;
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
