/**
 * Metrics and traces of a runtime for Micrometer: {@link dev.holdfast.micrometer.HoldfastMetrics}
 * binds its statistics and its health to a registry, and {@link
 * dev.holdfast.micrometer.ObservedCalls} makes an observation of each call. {@code
 * docs/operations/metrics.md} lists the meters, {@code docs/operations/traces.md} the spans.
 */
@NullMarked
package dev.holdfast.micrometer;

import org.jspecify.annotations.NullMarked;
