package dev.holdfast.schedules;

import dev.holdfast.schedules.DeterministicScheduler.Scenario;
import java.lang.reflect.Constructor;
import java.util.List;

/** Runs a scenario in many schedules. Stateless; see {@link DeterministicScheduler}. */
final class Exploration {

  private Exploration() {}

  /** Runs the schedules of a range of seeds, or of the seed that a system property names. */
  static void ofSeeds(int schedules, Scenario scenario) {
    Long only = Long.getLong(DeterministicScheduler.SEED_PROPERTY);
    long first = only == null ? Long.getLong(DeterministicScheduler.FIRST_SEED_PROPERTY, 1) : only;
    long last = only == null ? first + schedules - 1 : only;
    for (long seed = first; seed <= last; seed++) {
      tryOne(
          new DeterministicScheduler(seed),
          scenario,
          " (replay with -D" + DeterministicScheduler.SEED_PROPERTY + "=" + seed + ")");
    }
  }

  /** Like {@link #ofSeeds}, with other threads run before accesses of shared state. */
  static void ofInterleavings(
      int schedules, Class<? extends Scenario> scenario, String... prefixes) {
    Scenario interleaved = interleaved(scenario, prefixes);
    ofSeeds(
        schedules,
        scheduler -> {
          // From a switch at every access to one in 64: short races and long detours both occur.
          scheduler.interleave(1 << scheduler.choose(7));
          interleaved.run(scheduler);
        });
  }

  /**
   * Runs all schedules with at most the given number of interruptions, and returns their number.
   */
  static long ofAllInterleavings(
      int interruptionsMax, Class<? extends Scenario> scenario, String... prefixes) {
    Scenario interleaved = interleaved(scenario, prefixes);
    Choices.Enumerated choices = new Choices.Enumerated(interruptionsMax);
    long number = 0;
    do {
      number++;
      DeterministicScheduler scheduler = new DeterministicScheduler(number, choices);
      scheduler.interleave(1);
      tryOne(scheduler, interleaved, " (schedule " + number + " of all)");
    } while (choices.advance());
    return number;
  }

  private static void tryOne(DeterministicScheduler scheduler, Scenario scenario, String advice) {
    try {
      scenario.run(scheduler);
    } catch (ScheduleFailure e) {
      throw e;
    } catch (Exception | AssertionError e) {
      throw new ScheduleFailure(scheduler.seed(), e + advice, e);
    }
  }

  /** Loads a scenario again, with the places added at which others may run. */
  private static Scenario interleaved(Class<? extends Scenario> scenario, String... prefixes) {
    ClassLoader loader = new InterleavingClassLoader(scenario.getClassLoader(), List.of(prefixes));
    Scenario interleaved;
    try {
      Constructor<?> constructor =
          Class.forName(scenario.getName(), true, loader).getDeclaredConstructor();
      constructor.setAccessible(true);
      interleaved = (Scenario) constructor.newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("Cannot make a " + scenario.getName(), e);
    }
    if (interleaved.getClass().equals(scenario)) {
      throw new IllegalArgumentException(
          scenario.getName() + " begins with none of " + List.of(prefixes));
    }
    return interleaved;
  }
}
