package dev.holdfast.histories;

import dev.holdfast.histories.Register.Call;
import java.util.Arrays;
import java.util.List;

/**
 * Histories of a register as text: calls, divided by semicolons, each {@code BEGUN-ENDED CALL =
 * ANSWER}; {@code ?} for the end of a call without an answer.
 */
final class Histories {

  private Histories() {}

  static List<Operation<Call, Long>> of(String text) {
    return Arrays.stream(text.split(";", -1)).map(String::strip).map(Histories::operation).toList();
  }

  private static Operation<Call, Long> operation(String text) {
    String[] words = text.split(" ", -1);
    String[] times = words[0].split("-", -1);
    long begun = Long.parseLong(times[0]);
    Call call =
        switch (words[1]) {
          case "read" -> new Register.Read();
          case "add" -> new Register.Add(Long.parseLong(words[2]));
          case "set" ->
              new Register.CompareAndSet(Long.parseLong(words[2]), Long.parseLong(words[3]));
          default -> throw new IllegalArgumentException(text);
        };
    return times[1].equals("?")
        ? Operation.unknown(call, begun)
        : Operation.answered(
            call, Long.parseLong(words[words.length - 1]), begun, Long.parseLong(times[1]));
  }

  /** Tries every order of every choice of calls: only for a few. */
  static boolean isLinearizableByAllOrders(List<Operation<Call, Long>> history) {
    return anyOrder(history, new boolean[history.size()], 0);
  }

  private static boolean anyOrder(
      List<Operation<Call, Long>> history, boolean[] done, long number) {
    boolean isComplete = true;
    for (int i = 0; i < done.length; i++) {
      isComplete &= done[i] || !history.get(i).isAnswered();
    }
    if (isComplete) {
      return true;
    }
    for (int i = 0; i < done.length; i++) {
      if (!done[i] && mayBeNext(history, done, i)) {
        Model.Applied<Long, Long> applied = new Register().apply(number, history.get(i).input());
        Long result = history.get(i).result();
        if (result == null || result.equals(applied.result())) {
          done[i] = true;
          if (anyOrder(history, done, applied.state())) {
            return true;
          }
          done[i] = false;
        }
      }
    }
    return false;
  }

  private static boolean mayBeNext(
      List<Operation<Call, Long>> history, boolean[] done, int candidate) {
    for (int i = 0; i < done.length; i++) {
      Operation<Call, Long> other = history.get(i);
      if (!done[i] && other.isAnswered() && other.ended() < history.get(candidate).begun()) {
        return false;
      }
    }
    return true;
  }
}
