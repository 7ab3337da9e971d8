/**
 * Metrics of a runtime for Micrometer: {@link dev.holdfast.micrometer.HoldfastMetrics} binds its
 * statistics and its health to a registry. {@code docs/operations/metrics.md} lists the meters.
 */
@NullMarked
package dev.holdfast.micrometer;

import org.jspecify.annotations.NullMarked;
