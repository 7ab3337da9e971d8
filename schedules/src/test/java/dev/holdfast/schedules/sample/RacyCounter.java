package dev.holdfast.schedules.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.schedules.DeterministicScheduler.Scenario;

/** A planted race: an increment that is not atomic. Nothing in it yields. */
public final class RacyCounter implements Scenario {

  private int value;

  @Override
  public void run(DeterministicScheduler scheduler) {
    value = 0;
    scheduler.run(this::increment, this::increment);
    assertThat(value).withFailMessage("two increments gave %s", value).isEqualTo(2);
  }

  private void increment() {
    value++;
  }
}
