package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.words.Keywords;
import dev.holdfast.backend.sqlite.words.SqlToken;

/** The lists of the guard, for tests of other packages. */
public final class GuardLists {

  private GuardLists() {}

  /**
   * {@return whether a function is on one of the lists, or a keyword}
   *
   * @param name the function
   */
  public static boolean isKnownFunction(String name) {
    return AllowedFunctions.isKnown(name)
        || Keywords.isKeyword(new SqlToken(SqlToken.Kind.WORD, name, name, 0));
  }
}
