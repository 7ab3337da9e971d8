package dev.holdfast.schedules;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The choices that define a schedule: drawn from a seed, enumerated exhaustively, or always the
 * first. Confined to the exploring thread.
 */
sealed interface Choices {

  /** Chooses a number of at least 0 and less than the bound. */
  int next(int bound);

  /** Decides, before an access of shared state, whether another thread runs first. */
  boolean interrupts(int period);

  /** {@return whether an interrupted thread may be chosen to continue at once} */
  boolean mayResumeInterrupted();

  /** A random schedule, the same for the same seed. */
  record Drawn(SplittableRandom random) implements Choices {

    @Override
    public int next(int bound) {
      return random.nextInt(bound);
    }

    @Override
    public boolean interrupts(int period) {
      return random.nextInt(period) == 0;
    }

    @Override
    public boolean mayResumeInterrupted() {
      return true;
    }
  }

  /** The one schedule in which the thread that became runnable first runs first. Stateless. */
  record Oldest() implements Choices {

    @Override
    public int next(int bound) {
      return 0;
    }

    @Override
    public boolean interrupts(int period) {
      return false;
    }

    @Override
    public boolean mayResumeInterrupted() {
      return true;
    }
  }

  /**
   * Every schedule with at most a given number of interruptions: depth first, by incrementing the
   * last choice that has another value left. Most races need one or two interruptions, and without
   * a bound the number of schedules explodes.
   */
  final class Enumerated implements Choices {

    private final int interruptionsMax;
    private final List<Choice> path = new ArrayList<>();
    private int depth;
    private int interruptions;

    Enumerated(int interruptionsMax) {
      this.interruptionsMax = interruptionsMax;
    }

    private record Choice(int value, int bound) {}

    @Override
    public int next(int bound) {
      if (bound == 1) {
        return 0;
      }
      if (depth == path.size()) {
        path.add(new Choice(0, bound));
      }
      Choice choice = path.get(depth++);
      if (choice.bound() != bound) {
        throw new IllegalStateException(
            "The scenario does not repeat itself: choice "
                + depth
                + " was one of "
                + choice.bound()
                + " and is one of "
                + bound);
      }
      return choice.value();
    }

    @Override
    public boolean interrupts(int period) {
      if (interruptions == interruptionsMax || next(2) == 0) {
        return false;
      }
      interruptions++;
      return true;
    }

    @Override
    public boolean mayResumeInterrupted() {
      return false;
    }

    /** Advances to the next schedule; false if there is none. */
    boolean advance() {
      depth = 0;
      interruptions = 0;
      while (!path.isEmpty()) {
        Choice last = path.removeLast();
        if (last.value() + 1 < last.bound()) {
          path.add(new Choice(last.value() + 1, last.bound()));
          return true;
        }
      }
      return false;
    }
  }
}
