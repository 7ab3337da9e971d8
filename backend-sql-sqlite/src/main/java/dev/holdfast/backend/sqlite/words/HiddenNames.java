package dev.holdfast.backend.sqlite.words;

/** The names that belong to the runtime: those that begin with {@code _cf_}, in any case. */
public final class HiddenNames {

  private static final String PREFIX = "_cf_";

  /** SQLite's prefix of the name of a constraint's index, before the name of its table. */
  private static final String INDEX_PREFIX = "sqlite_autoindex_";

  private HiddenNames() {}

  public static boolean isHidden(String name) {
    return AsciiCase.startsWith(name, PREFIX, 0)
        || (AsciiCase.startsWith(name, INDEX_PREFIX, 0)
            && AsciiCase.startsWith(name, PREFIX, INDEX_PREFIX.length()));
  }

  /** {@return whether such a name may begin somewhere in a text of any language} */
  public static boolean isMentionedIn(String text) {
    return has(text, false);
  }

  /**
   * {@return whether the letters of such a name are anywhere in a text, also within other names}
   *
   * @param text a text of any language
   */
  public static boolean isWithin(String text) {
    return has(text, true);
  }

  private static boolean has(String text, boolean withinNames) {
    int last = text.length() - PREFIX.length();
    for (int at = 0; at <= last; at++) {
      if (text.charAt(at) == '_'
          && AsciiCase.startsWith(text, PREFIX, at)
          && (withinNames || at == 0 || !isLatinNamePart(text.charAt(at - 1)))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Other characters of names, such as a byte order mark, may be spaces to another parser of the
   * text.
   */
  private static boolean isLatinNamePart(char each) {
    return each < '\u0080' && SqlLexer.isNamePart(each);
  }
}
