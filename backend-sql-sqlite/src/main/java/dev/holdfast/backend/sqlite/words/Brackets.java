package dev.holdfast.backend.sqlite.words;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Finds matching brackets. */
public final class Brackets {

  private Brackets() {}

  /**
   * {@return for the index of each opening bracket, the one that closes it; 0 if there is none, and
   * for all other indexes}
   */
  public static int[] ends(List<SqlToken> tokens) {
    int[] ends = new int[tokens.size()];
    Deque<Integer> open = new ArrayDeque<>();
    for (int index = 0; index < ends.length; index++) {
      if (tokens.get(index).isSign('(')) {
        open.push(index);
      } else if (tokens.get(index).isSign(')') && !open.isEmpty()) {
        ends[open.pop()] = index;
      }
    }
    return ends;
  }
}
