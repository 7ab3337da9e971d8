package dev.holdfast.schedules;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The choices that make a schedule: drawn from a seed, all of them one after the other, or always
 * the first. Owned by the thread that explores.
 */
sealed interface Choices {

  /** Chooses a number of at least 0 and less than the bound. */
  int next(int bound);

  /** Decides, before an access of shared state, whether another thread goes first. */
  boolean interrupts(int period);

  /** {@return whether one that was interrupted may be chosen to go on at once} */
  boolean mayResumeInterrupted();

  /** A schedule by chance, the same for the same seed. */
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

  /** The one schedule in which whoever could run first runs first. Stateless. */
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
   * Every schedule with no more than so many interruptions: depth first, by counting up the last
   * choice that has another value left. Most races need one or two interruptions, and without a
   * bound the number of schedules explodes.
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

    /** Goes on to the next schedule; false if there is none. */
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
