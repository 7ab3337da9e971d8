package dev.holdfast.schedules;

import static org.assertj.core.api.Assertions.assertThat;

/** A counter that reads, lets other threads run, and writes: a planted race. */
final class LostUpdate {

  private int value;

  void scenario(DeterministicScheduler scheduler) {
    value = 0;
    scheduler.run(this::increment, this::increment);
    assertThat(value).withFailMessage("two increments gave %s", value).isEqualTo(2);
  }

  private void increment() {
    int read = value;
    Thread.yield();
    value = read + 1;
  }
}
