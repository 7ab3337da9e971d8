package dev.holdfast.backend.sqlite.words;

/**
 * A token of a SQL text.
 *
 * @param kind what it is
 * @param text as written, without quotes and with doubled quotes made single where it was quoted
 * @param written as it is in the text
 * @param start the index of its first character in the text
 */
public record SqlToken(Kind kind, String text, String written, int start) {

  /** What a token is. */
  public enum Kind {
    /** A keyword or a name without quotes. */
    WORD,
    /** A name in quotes; a string, where nothing has the name. */
    QUOTED_NAME,
    /** A string; also a name, where SQLite expects one. */
    STRING,
    /** A number. */
    NUMBER,
    /** A blob. */
    BLOB,
    /** A parameter. */
    PARAMETER,
    /** The end of a statement, unless within a trigger. */
    SEMICOLON,
    /** An operator, a bracket, a comma or a dot. */
    SIGN
  }

  /** {@return the index after its last character in the text} */
  public int end() {
    return start + written.length();
  }

  /** {@return whether this is the keyword} */
  public boolean is(String keyword) {
    return kind == Kind.WORD && AsciiCase.equal(text, keyword);
  }

  /** {@return whether this is the sign} */
  public boolean isSign(char sign) {
    return kind == Kind.SIGN && text.length() == 1 && text.charAt(0) == sign;
  }

  /** {@return whether this is an equal sign; SQLite does not distinguish one from two} */
  public boolean isEqualSign() {
    return kind == Kind.SIGN && (text.equals("=") || text.equals("=="));
  }

  /** {@return whether SQLite may read this as a name} */
  public boolean mayBeName() {
    return kind == Kind.WORD || kind == Kind.QUOTED_NAME || kind == Kind.STRING;
  }

  /** {@return the text in lower case, as SQLite compares names} */
  public String lowerCase() {
    return AsciiCase.lower(text);
  }
}
