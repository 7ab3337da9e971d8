package dev.holdfast.health;

import java.util.Comparator;
import java.util.List;

/**
 * Whether a runtime works. Immutable.
 *
 * <p>Fit for a readiness check: a runtime that is {@link HealthState#DOWN} acknowledges no write. A
 * restart repairs only a failed journal or engine, so a check that restarts the process should look
 * for these two reasons.
 *
 * @param state the worst state of the reasons; {@link HealthState#UP} without a reason
 * @param reasons all reasons that hold now, the worst first
 */
public record Health(HealthState state, List<HealthReason> reasons) {

  /** Copies the list. */
  public Health {
    reasons = List.copyOf(reasons);
  }

  /**
   * {@return a state for reasons: the worst one of them}
   *
   * @param reasons all reasons that hold now
   * @throws NullPointerException if one of them is null
   */
  public static Health of(List<HealthReason> reasons) {
    return new Health(
        reasons.stream()
            .map(HealthReason::state)
            .max(Comparator.naturalOrder())
            .orElse(HealthState.UP),
        reasons);
  }
}
