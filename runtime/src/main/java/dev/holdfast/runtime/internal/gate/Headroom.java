package dev.holdfast.runtime.internal.gate;

/**
 * Makes sure that there is stack left before something begins that must not end in the middle.
 *
 * <p>Object code may recurse until its stack is used up, and the error then strikes at the entry of
 * any method, the engine's own included: between a lock and its unlock, in the middle of a batch.
 * Here it strikes before anything has changed. Costs about a nanosecond a call, so not everything
 * can ask for much; a turn whose thread is gone all the same is ended by others. Stateless.
 */
public final class Headroom {

  /**
   * Calls nested in each other: four KiB or more when compiled, a multiple when interpreted. What
   * follows is two dozen calls deep.
   */
  private static final int CALLS = 256;

  private Headroom() {}

  /**
   * Returns if there is enough for whatever the engine, the storage and the journal do in one
   * piece.
   *
   * @throws StackOverflowError if not
   */
  public static void require() {
    require(CALLS);
  }

  /**
   * Returns if there is enough for so many calls.
   *
   * @param calls nested in each other
   * @throws StackOverflowError if not
   */
  static void require(int calls) {
    if (descend(calls) != 0) {
      throw new AssertionError("descended to somewhere else");
    }
  }

  /** Not a tail call, which a compiler might make a loop of. */
  private static int descend(int calls) {
    return calls == 0 ? 0 : descend(calls - 1) & calls;
  }
}
