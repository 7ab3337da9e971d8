package dev.holdfast.health;

/** How well a runtime works; the later value is the worse one. */
public enum HealthState {

  /** It takes calls and makes writes durable. */
  UP,

  /** It takes calls and makes writes durable, but something needs attention. */
  DEGRADED,

  /** No write can be acknowledged now. */
  DOWN
}
