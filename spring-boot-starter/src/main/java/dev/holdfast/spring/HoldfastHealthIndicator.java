package dev.holdfast.spring;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.health.HealthReason;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * The health of the runtime. DEGRADED is UP for a load balancer: the objects answer, and an
 * operator should read the reasons.
 */
final class HoldfastHealthIndicator extends AbstractHealthIndicator {

  private final ObjectRuntime runtime;

  HoldfastHealthIndicator(ObjectRuntime runtime) {
    super("The health of Holdfast cannot be read");
    this.runtime = runtime;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    dev.holdfast.health.Health health = runtime.health();
    builder.status(
        switch (health.state()) {
          case UP, DEGRADED -> Status.UP;
          case DOWN -> Status.DOWN;
        });
    builder.withDetail("state", health.state().name());
    for (HealthReason each : health.reasons()) {
      builder.withDetail(each.code(), each.text());
    }
  }
}
