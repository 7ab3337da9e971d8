package dev.holdfast.backend.sqlite.words;

import java.util.List;

/** Finds matching brackets. */
public final class Brackets {

  private Brackets() {}

  /**
   * {@return the index of the bracket that closes the one at an index; after the last if there is
   * none}
   */
  public static int end(List<SqlToken> tokens, int open) {
    int depth = 0;
    for (int index = open; index < tokens.size(); index++) {
      SqlToken token = tokens.get(index);
      if (token.isSign('(')) {
        depth++;
      } else if (token.isSign(')') && --depth == 0) {
        return index;
      }
    }
    return tokens.size();
  }
}
