package dev.holdfast.crash.nodes;

import dev.holdfast.crash.nodes.Call.Outcome;
import dev.holdfast.histories.LinearizabilityCheck;
import dev.holdfast.histories.Operation;
import dev.holdfast.histories.Register;
import dev.holdfast.histories.Verdict;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What callers were answered, and what follows from it. Owned by one thread.
 *
 * <ul>
 *   <li>An acknowledged line is there exactly once, one that was not delivered is not, and one of
 *       unknown outcome at most once; the acknowledged lines of a caller have their order.
 *   <li>The history of each number is linearizable.
 *   <li>The purses have the money that they had at first.
 *   <li>A bell whose time was acknowledged rings, and no bell rings early.
 * </ul>
 */
final class Promises {

  /** How many operations the history of a number has: the check's time grows with it. */
  static final int OPERATIONS_MAX = 400;

  /** The check's time grows fast with the calls of unknown outcome. */
  static final int UNKNOWN_MAX = 8;

  private final Map<String, NumberHistory> numbers = new TreeMap<>();

  /** The numbers whose history was checked: it is no longer known, so no call of them counts. */
  private final Set<String> checkedNumbers = new HashSet<>();

  private final Map<String, LineHistory> lines = new TreeMap<>();

  /** The times of bells that have not rung yet; null if nobody knows whether it was set. */
  private final Map<String, @Nullable Long> bells = new LinkedHashMap<>();

  private final Set<String> silentBells = new HashSet<>();
  private final List<String> violations = new ArrayList<>();
  private int bellsRung;

  private static final class NumberHistory {

    private final List<Operation<Register.Call, Long>> operations = new ArrayList<>();
    private int unknownCount;
    private int underWay;

    boolean isFull() {
      return operations.size() >= OPERATIONS_MAX || unknownCount >= UNKNOWN_MAX;
    }
  }

  private static final class LineHistory {

    private final Map<String, Outcome> outcomes = new LinkedHashMap<>();
  }

  /** {@return what was broken} */
  List<String> violations() {
    return violations;
  }

  /** Adds something that must not be. */
  void broken(String what) {
    violations.add(what);
  }

  int numbersChecked() {
    return checkedNumbers.size();
  }

  int bellsRung() {
    return bellsRung;
  }

  int linesCount() {
    return lines.values().stream().mapToInt(each -> each.outcomes.size()).sum();
  }

  /** {@return whether a number has all the calls that its check can bear} */
  boolean isFull(String number) {
    NumberHistory history = numbers.get(number);
    return checkedNumbers.contains(number) || (history != null && history.isFull());
  }

  /** {@return the numbers that were called and are not checked yet} */
  List<String> numbers() {
    return List.copyOf(numbers.keySet());
  }

  /** {@return the objects with lines} */
  List<String> linesNames() {
    return List.copyOf(lines.keySet());
  }

  /** {@return how many lines an object may have} */
  int linesOf(String name) {
    LineHistory history = lines.get(name);
    return history == null ? 0 : history.outcomes.size();
  }

  /** {@return a bell that must have rung at a time; null if there is none} */
  @Nullable String bellThatMustHaveRung(long millis) {
    return bellsThatMustHaveRung(millis).findFirst().orElse(null);
  }

  /** {@return the bells that must have rung at a time and have not} */
  Stream<String> bellsThatMustHaveRung(long millis) {
    return bells.entrySet().stream()
        .filter(
            each -> {
              Long time = each.getValue();
              return time != null && time < millis;
            })
        .map(Map.Entry::getKey);
  }

  /** A call is under way. */
  void begun(Call call) {
    if (call.isOfNumber() && !checkedNumbers.contains(call.name())) {
      numbers.computeIfAbsent(call.name(), _ -> new NumberHistory()).underWay++;
    } else if (call.kind().equals("append")) {
      lines
          .computeIfAbsent(call.name(), _ -> new LineHistory())
          .outcomes
          .put(call.rest(), Outcome.UNKNOWN);
    }
  }

  /**
   * A call has ended.
   *
   * @param call the call
   * @param outcome what became of it
   * @param result its answer; empty unless it was answered
   * @param begun when it began
   * @param ended when its outcome was known
   */
  void ended(Call call, Outcome outcome, String result, long begun, long ended) {
    switch (call.kind()) {
      case "read", "add", "set" -> numberEnded(call, outcome, result, begun, ended);
      case "append" -> {
        LineHistory history = lines.get(call.name());
        if (history != null) {
          history.outcomes.put(call.rest(), outcome);
        }
      }
      case "bell" -> {
        switch (outcome) {
          case ANSWERED -> bellSet(call, Long.parseLong(result));
          case UNKNOWN -> bells.put(call.name(), null);
          case NONE -> silentBells.add(call.name());
        }
      }
      case "rings" -> {
        if (outcome == Outcome.ANSWERED) {
          rings(call.name(), result);
        }
      }
      default -> {}
    }
  }

  private void numberEnded(Call call, Outcome outcome, String result, long begun, long ended) {
    NumberHistory history = numbers.get(call.name());
    if (checkedNumbers.contains(call.name())) {
      return;
    }
    if (history == null) {
      throw new IllegalStateException("A call that did not begin has ended: " + call);
    }
    history.underWay--;
    Register.Call input = input(call);
    switch (outcome) {
      case ANSWERED ->
          history.operations.add(Operation.answered(input, Long.parseLong(result), begun, ended));
      case UNKNOWN -> {
        if (!(input instanceof Register.Read)) {
          history.operations.add(Operation.unknown(input, begun));
          history.unknownCount++;
        }
      }
      case NONE -> {}
    }
    if (history.isFull() && history.underWay == 0) {
      check(call.name());
    }
  }

  private static Register.Call input(Call call) {
    String[] words = call.rest().split(" ", -1);
    return switch (call.kind()) {
      case "read" -> new Register.Read();
      case "add" -> new Register.Add(Long.parseLong(words[0]));
      default -> new Register.CompareAndSet(Long.parseLong(words[0]), Long.parseLong(words[1]));
    };
  }

  /** Checks the history of a number, and forgets it. */
  void check(String number) {
    NumberHistory history = numbers.remove(number);
    if (history == null) {
      return;
    }
    checkedNumbers.add(number);
    Verdict verdict = LinearizabilityCheck.check(new Register(), history.operations);
    if (!verdict.isLinearizable()) {
      broken(
          "the history of the number %s is %s: %s. Its calls: %s"
              .formatted(number, verdict.outcome(), verdict.explanation(), history.operations));
    }
  }

  private void bellSet(Call call, long millis) {
    if (millis < Long.parseLong(call.rest())) {
      broken("the bell %s has a time before the one that was asked for".formatted(call.name()));
    }
    bells.put(call.name(), millis);
  }

  private void rings(String bell, String found) {
    if (found.isEmpty()) {
      return;
    }
    for (String late : found.split(",", -1)) {
      if (Long.parseLong(late) < 0) {
        broken("the bell %s rang %s ms before its time".formatted(bell, late.substring(1)));
      }
    }
    if (silentBells.contains(bell)) {
      broken("the bell %s rang, though its time was surely not set".formatted(bell));
    }
    if (bells.containsKey(bell)) {
      bells.remove(bell);
      bellsRung++;
    }
  }

  /** {@return whether a bell has not rung} */
  boolean isSilent(String bell) {
    return bells.containsKey(bell);
  }

  /** A bell has not rung until long after its time. */
  void silent(String bell) {
    broken("the bell %s, whose time was acknowledged, did not ring".formatted(bell));
  }

  /** Compares the lines of an object with what was answered. */
  void checkLines(String name, List<String> found) {
    Map<String, Integer> counts = new HashMap<>();
    found.forEach(line -> counts.merge(line, 1, Integer::sum));
    Map<String, Outcome> outcomes = lines.getOrDefault(name, new LineHistory()).outcomes;
    outcomes.forEach(
        (line, outcome) -> {
          int count = counts.getOrDefault(line, 0);
          boolean isRight =
              switch (outcome) {
                case ANSWERED -> count == 1;
                case NONE -> count == 0;
                case UNKNOWN -> count <= 1;
              };
          if (!isRight) {
            broken(
                "the line %s of %s was %s and is there %d times"
                    .formatted(line, name, outcome, count));
          }
        });
    counts.keySet().stream()
        .filter(line -> !outcomes.containsKey(line))
        .forEach(line -> broken("nobody appended the line %s of %s".formatted(line, name)));
    checkOrder(name, found, outcomes);
  }

  /** A line is named by its caller and a number that grows. */
  private void checkOrder(String name, List<String> found, Map<String, Outcome> outcomes) {
    Map<String, Long> last = new HashMap<>();
    for (String line : found) {
      if (outcomes.get(line) == Outcome.ANSWERED) {
        String[] words = line.split("\\.", -1);
        long number = Long.parseLong(words[1]);
        if (last.getOrDefault(words[0], -1L) > number) {
          broken("the line %s of %s is behind a later one of its caller".formatted(line, name));
        }
        last.put(words[0], number);
      }
    }
  }

  /** Compares the money of all purses with what they had at first. */
  void checkMoney(long sum, int purses) {
    if (sum != purses * PurseObject.OPENING) {
      broken(
          "%d purses have %d together instead of %d"
              .formatted(purses, sum, purses * PurseObject.OPENING));
    }
  }
}
