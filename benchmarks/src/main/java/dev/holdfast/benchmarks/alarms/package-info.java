/** Alarms: setting, firing, after a downtime, and pending ones. */
@NullMarked
package dev.holdfast.benchmarks.alarms;

import org.jspecify.annotations.NullMarked;
