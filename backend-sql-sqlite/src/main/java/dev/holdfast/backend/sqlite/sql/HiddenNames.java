package dev.holdfast.backend.sqlite.sql;

/** The names that belong to the runtime: those that begin with {@code _cf_}, in any case. */
final class HiddenNames {

  private static final String PREFIX = "_cf_";

  private HiddenNames() {}

  static boolean isHidden(String name) {
    return name.regionMatches(true, 0, PREFIX, 0, PREFIX.length());
  }

  /** {@return whether such a name begins somewhere in a text of any language} */
  static boolean isMentionedIn(String text) {
    int last = text.length() - PREFIX.length();
    for (int at = 0; at <= last; at++) {
      if (text.charAt(at) == '_'
          && text.regionMatches(true, at, PREFIX, 0, PREFIX.length())
          && (at == 0 || !SqlLexer.isNamePart(text.charAt(at - 1)))) {
        return true;
      }
    }
    return false;
  }
}
