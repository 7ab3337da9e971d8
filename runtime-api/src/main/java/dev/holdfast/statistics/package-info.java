/**
 * Numbers of a running runtime: counters, gauges and histograms, as immutable snapshots. {@link
 * dev.holdfast.ObjectRuntime#statistics} takes them. Counters start at zero when the runtime is
 * opened and never decrease, so the difference of two snapshots describes the time between them.
 */
@NullMarked
package dev.holdfast.statistics;

import org.jspecify.annotations.NullMarked;
