package dev.holdfast.histories;

import dev.holdfast.histories.Verdict.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether the history of one object is linearizable: whether every call can be given a
 * moment between its begin and its answer, so that an object that runs one call after the other, in
 * the order of these moments, gives these answers.
 *
 * <p>The search is the usual one: depth first over the calls that may come next, with a memory of
 * the pairs of calls done and state that led to nothing (Wing and Gong, Lowe). A call whose answer
 * is unknown may come at any time after its begin, or never. Calls that may come next and change
 * nothing are taken at once: whatever explains the rest explains it then, too.
 *
 * <p>Histories of several objects are checked one object at a time; a history of objects is
 * linearizable if the history of each is.
 *
 * @param <S> a state
 * @param <I> what is called
 * @param <R> what is answered
 */
public final class LinearizabilityCheck<S, I, R> {

  /** How many pairs are kept unless told otherwise: some 200 MB. */
  public static final int CONFIGURATIONS_MAX = 1_000_000;

  private static final int SHOWN_MAX = 12;

  private final Model<S, I, R> model;

  /** Those with an answer, by their begin. */
  private final List<Operation<I, R>> answered;

  private final List<Operation<I, R>> unknown;
  private final int configurationsMax;

  private final BitSet done = new BitSet();
  private final BitSet unknownDone = new BitSet();
  private final Set<Configuration> seen = new HashSet<>();
  private final Deque<Frame<S>> path = new ArrayDeque<>();
  private int doneCount;
  private int deepestCount = -1;
  private String deepest = "";

  /** What was done, and the state that this led to. Not changed after it was made. */
  private record Configuration(int first, BitSet done, BitSet unknownDone, Object state) {}

  /** A place of the search: the state, what may come next, and what was tried of it. */
  private static final class Frame<S> {

    private final S state;

    /** Indices of answered calls, and the complements of indices of unknown ones. */
    private final int[] candidates;

    private int tried;

    /** The candidate that led to the next frame. */
    private int taken;

    Frame(S state, int[] candidates) {
      this.state = state;
      this.candidates = candidates;
    }
  }

  private LinearizabilityCheck(
      Model<S, I, R> model, List<Operation<I, R>> history, int configurationsMax) {
    this.model = model;
    this.answered =
        history.stream()
            .filter(Operation::isAnswered)
            .sorted(Comparator.comparingLong(Operation::begun))
            .toList();
    this.unknown = history.stream().filter(each -> !each.isAnswered()).toList();
    this.configurationsMax = configurationsMax;
  }

  /**
   * {@return whether a history is linearizable}
   *
   * @param <S> a state
   * @param <I> what is called
   * @param <R> what is answered
   * @param model what the object does
   * @param history all calls of the object, in any order
   */
  public static <S, I, R> Verdict check(Model<S, I, R> model, List<Operation<I, R>> history) {
    return check(model, history, CONFIGURATIONS_MAX);
  }

  /**
   * {@return whether a history is linearizable, by a search of bounded size}
   *
   * @param <S> a state
   * @param <I> what is called
   * @param <R> what is answered
   * @param model what the object does
   * @param history all calls of the object, in any order
   * @param configurationsMax how many pairs of calls done and state are kept, which bounds memory
   *     and time
   */
  public static <S, I, R> Verdict check(
      Model<S, I, R> model, List<Operation<I, R>> history, int configurationsMax) {
    return new LinearizabilityCheck<>(model, history, configurationsMax).search();
  }

  private Verdict search() {
    path.push(new Frame<>(model.initial(), candidates(model.initial())));
    rememberDeepest(model.initial());
    while (doneCount < answered.size()) {
      if (seen.size() >= configurationsMax) {
        return new Verdict(
            Outcome.UNDECIDED, "No order among " + configurationsMax + " tried; " + deepest);
      }
      Frame<S> here = path.element();
      if (here.tried < here.candidates.length) {
        step(here, here.candidates[here.tried++]);
      } else {
        path.pop();
        Frame<S> before = path.peek();
        if (before == null) {
          return new Verdict(Outcome.REFUSED, deepest);
        }
        mark(before.taken, false);
      }
    }
    return Verdict.GOOD;
  }

  /** Goes on with a call, if its answer fits and that leads to something new. */
  private void step(Frame<S> here, int candidate) {
    Operation<I, R> operation = operation(candidate);
    Model.Applied<S, R> applied = model.apply(here.state, operation.input());
    R result = operation.result();
    boolean fits =
        result == null
            ? !applied.state().equals(here.state) // without an effect it need not have happened
            : result.equals(applied.result());
    if (!fits) {
      return;
    }
    mark(candidate, true);
    int first = done.nextClearBit(0);
    if (seen.add(
        new Configuration(
            first, done.get(first, done.length()), copy(unknownDone), applied.state()))) {
      here.taken = candidate;
      path.push(new Frame<>(applied.state(), candidates(applied.state())));
      rememberDeepest(applied.state());
    } else {
      mark(candidate, false);
    }
  }

  private static BitSet copy(BitSet bits) {
    return bits.get(0, bits.length());
  }

  private Operation<I, R> operation(int candidate) {
    return candidate >= 0 ? answered.get(candidate) : unknown.get(~candidate);
  }

  private void mark(int candidate, boolean isDone) {
    if (candidate >= 0) {
      done.set(candidate, isDone);
      doneCount += isDone ? 1 : -1;
    } else {
      unknownDone.set(~candidate, isDone);
    }
  }

  /** {@return what may come next: nothing that is not done was answered before it began} */
  private int[] candidates(S state) {
    long firstAnswer = firstAnswer();
    List<Integer> found = new ArrayList<>();
    for (int i = done.nextClearBit(0);
        i < answered.size() && answered.get(i).begun() <= firstAnswer;
        i = done.nextClearBit(i + 1)) {
      if (isIdle(state, answered.get(i))) {
        return new int[] {i};
      }
      found.add(i);
    }
    for (int i = unknownDone.nextClearBit(0);
        i < unknown.size();
        i = unknownDone.nextClearBit(i + 1)) {
      if (unknown.get(i).begun() <= firstAnswer) {
        found.add(~i);
      }
    }
    return found.stream().mapToInt(Integer::intValue).toArray();
  }

  /** {@return whether the call is explained by the state, and leaves it as it is} */
  private boolean isIdle(S state, Operation<I, R> operation) {
    Model.Applied<S, R> applied = model.apply(state, operation.input());
    @Nullable R result = operation.result();
    return applied.state().equals(state) && applied.result().equals(result);
  }

  private long firstAnswer() {
    long first = Long.MAX_VALUE;
    for (int i = done.nextClearBit(0);
        i < answered.size() && answered.get(i).begun() <= first;
        i = done.nextClearBit(i + 1)) {
      first = Math.min(first, answered.get(i).ended());
    }
    return first;
  }

  private void rememberDeepest(S state) {
    if (doneCount <= deepestCount) {
      return;
    }
    deepestCount = doneCount;
    int[] next = path.element().candidates;
    deepest =
        "%d of %d answered calls have an order, %d have no answer; then the state is %s and one of these must be next: %s"
            .formatted(
                doneCount,
                answered.size(),
                unknown.size(),
                state,
                Arrays.stream(next)
                    .limit(SHOWN_MAX)
                    .mapToObj(candidate -> "[" + operation(candidate) + "]")
                    .collect(Collectors.joining(" ")));
  }
}
