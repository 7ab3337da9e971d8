package dev.holdfast.health;

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
}
