package dev.holdfast.runtime.turns;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** One step of a random program that runs in an object. */
sealed interface Step {

  /** How many objects random programs use. */
  int OBJECTS = 4;

  /** Reads a counter, lets others try to get in between, and writes it raised by one. */
  record Increment() implements Step {}

  /** Ends the turn. */
  record Await() implements Step {}

  /** Leaves the runtime and comes back. */
  record Work() implements Step {}

  /** Calls another object, or the same one, and takes in what it replies. */
  record Call(int object, List<Step> steps) implements Step {}

  /** Sends a call without waiting for it. */
  record Send(int object, List<Step> steps) implements Step {}

  /** Starts a task and waits for it. */
  record Task(List<Step> steps) implements Step {}

  /** Runs steps as a critical section. */
  record Section(List<Step> steps) implements Step {}

  /** Throws an ordinary exception. */
  record Fail() implements Step {}

  /** Resets the object. */
  record Abort() implements Step {}

  /** A call from outside of all objects. */
  record TopCall(int object, List<Step> steps) {}

  /** Programs without anything that resets an object. */
  static Arbitrary<List<Step>> harmless(int depth) {
    return steps(depth, /* harmful= */ false);
  }

  /** Programs that may reset objects. */
  static Arbitrary<List<Step>> harmful(int depth) {
    return steps(depth, /* harmful= */ true);
  }

  static Arbitrary<TopCall> top(Arbitrary<List<Step>> steps) {
    return Combinators.combine(objects(), steps).as(TopCall::new);
  }

  private static Arbitrary<Integer> objects() {
    return Arbitraries.integers().between(0, OBJECTS - 1);
  }

  private static Arbitrary<List<Step>> steps(int depth, boolean harmful) {
    return step(depth, harmful).list().ofMaxSize(4);
  }

  private static Arbitrary<Step> step(int depth, boolean harmful) {
    Arbitrary<Step> leaf =
        Arbitraries.frequency(
            net.jqwik.api.Tuple.of(6, new Increment()),
            net.jqwik.api.Tuple.of(3, new Await()),
            net.jqwik.api.Tuple.of(2, new Work()),
            net.jqwik.api.Tuple.of(1, new Fail()),
            net.jqwik.api.Tuple.of(harmful ? 1 : 0, new Abort()));
    if (depth == 0) {
      return leaf;
    }
    Arbitrary<List<Step>> inner = Arbitraries.lazy(() -> steps(depth - 1, harmful));
    return Arbitraries.frequencyOf(
        net.jqwik.api.Tuple.of(5, leaf),
        net.jqwik.api.Tuple.of(3, Combinators.combine(objects(), inner).as(Call::new)),
        net.jqwik.api.Tuple.of(1, Combinators.combine(objects(), inner).as(Send::new)),
        net.jqwik.api.Tuple.of(1, inner.map(Task::new)),
        net.jqwik.api.Tuple.of(1, inner.map(Section::new)));
  }
}
