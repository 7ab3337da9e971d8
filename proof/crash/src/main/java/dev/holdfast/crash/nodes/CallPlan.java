package dev.holdfast.crash.nodes;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Which call comes next, drawn from a seed and from what was answered so far. Owned by one thread.
 */
final class CallPlan {

  static final int PURSE_COUNT = 8;

  private static final int NUMBER_COUNT = 4;
  private static final int LINES_COUNT = 3;
  private static final int LINES_MAX = 400;
  private static final long BELL_MILLIS_MAX = 4_000;

  /** When a bell is asked for its ring, after its time. */
  private static final long BELL_PATIENCE_MILLIS = 1_500;

  private final SplittableRandom random;
  private final Promises promises;

  /** The generation of each number and each object with lines: a full one gets a successor. */
  private final int[] numberGenerations = new int[NUMBER_COUNT];

  private final int[] lineGenerations = new int[LINES_COUNT];

  /** The last answer of a number: what a compare-and-set expects. */
  private final Map<String, String> lastAnswers = new HashMap<>();

  private long next;

  CallPlan(SplittableRandom random, Promises promises) {
    this.random = random;
    this.promises = promises;
  }

  static String purse(int index) {
    return "p" + index;
  }

  /**
   * {@return the next call of a caller}
   *
   * @param caller the name of the caller
   * @param nowMillis the time of the wall clock
   */
  Call next(String caller, long nowMillis) {
    next++;
    int percent = random.nextInt(100);
    if (percent < 62) {
      return ofNumber();
    }
    if (percent < 78) {
      return new Call("append", lines(), caller + "." + next);
    }
    if (percent < 92) {
      int giver = random.nextInt(PURSE_COUNT);
      int taker = (giver + 1 + random.nextInt(PURSE_COUNT - 1)) % PURSE_COUNT;
      return new Call(
          "give", purse(giver), "g" + next + " " + purse(taker) + " " + random.nextInt(1, 50));
    }
    String silent = promises.bellThatMustHaveRung(nowMillis - BELL_PATIENCE_MILLIS);
    return silent != null
        ? new Call("rings", silent, "")
        : new Call(
            "bell", "b" + next, String.valueOf(nowMillis + random.nextLong(BELL_MILLIS_MAX)));
  }

  /** {@return a read of a number, for a node that may have an old state} */
  Call read() {
    return new Call("read", number(random.nextInt(NUMBER_COUNT)), "");
  }

  private Call ofNumber() {
    String name = number(random.nextInt(NUMBER_COUNT));
    int percent = random.nextInt(100);
    if (percent < 45) {
      return new Call("read", name, "");
    }
    if (percent < 75) {
      return new Call("add", name, String.valueOf(random.nextInt(1, 1_000)));
    }
    return new Call(
        "set", name, lastAnswers.getOrDefault(name, "0") + " " + random.nextInt(1, 1_000_000));
  }

  /** Numbers are on both engines, by turns. */
  private String number(int index) {
    String name = numberName(index);
    if (promises.isFull(name)) {
      lastAnswers.remove(name);
      numberGenerations[index]++;
    }
    return numberName(index);
  }

  private String numberName(int index) {
    return (index % 2 == 0 ? "n" : "r") + index + "." + numberGenerations[index];
  }

  private String lines() {
    int index = random.nextInt(LINES_COUNT);
    if (promises.linesOf(linesName(index)) >= LINES_MAX) {
      lineGenerations[index]++;
    }
    return linesName(index);
  }

  private String linesName(int index) {
    return "l" + index + "." + lineGenerations[index];
  }

  /** Remembers an answer. */
  void answered(Call call, @Nullable String result) {
    if (result != null && (call.kind().equals("read") || call.kind().equals("add"))) {
      lastAnswers.put(call.name(), result);
    }
  }
}
