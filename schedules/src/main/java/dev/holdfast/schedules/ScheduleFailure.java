package dev.holdfast.schedules;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A failed schedule: a thread failed, or no thread can ever continue. The message has the seed that
 * replays it.
 */
public final class ScheduleFailure extends AssertionError {

  @Serial private static final long serialVersionUID = 1L;

  private final long seed;

  ScheduleFailure(long seed, String message, @Nullable Throwable cause) {
    super("Seed " + seed + ": " + message, cause);
    this.seed = seed;
  }

  /** {@return the seed that replays the schedule} */
  public long seed() {
    return seed;
  }
}
