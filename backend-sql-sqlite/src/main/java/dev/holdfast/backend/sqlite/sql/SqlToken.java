package dev.holdfast.backend.sqlite.sql;

import java.util.Locale;

/**
 * A word of a SQL text.
 *
 * @param kind what it is
 * @param text as written, without quotes and with doubled quotes made single where it was quoted
 * @param start its first character in the text
 * @param end behind its last character
 */
record SqlToken(Kind kind, String text, int start, int end) {

  /** What a token is. */
  enum Kind {
    /** A keyword or a name without quotes. */
    WORD,
    /** A name in quotes; a string, where there is nothing of the name. */
    QUOTED_NAME,
    /** A string; also a name, where SQLite expects one. */
    STRING,
    /** The end of a statement, unless within a trigger. */
    SEMICOLON,
    /** Anything else: an operator, a number, a blob, a parameter. */
    OTHER
  }

  /** {@return whether this is the keyword} */
  boolean is(String keyword) {
    return kind == Kind.WORD && text.equalsIgnoreCase(keyword);
  }

  /** {@return whether this is the sign} */
  boolean isSign(char sign) {
    return kind == Kind.OTHER && text.length() == 1 && text.charAt(0) == sign;
  }

  /** {@return whether SQLite may take this for a name} */
  boolean mayBeName() {
    return kind == Kind.WORD || kind == Kind.QUOTED_NAME || kind == Kind.STRING;
  }

  String upperCase() {
    return text.toUpperCase(Locale.ROOT);
  }
}
