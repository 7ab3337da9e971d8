/**
 * Finds alarms that are due, fires them at a bounded rate, and determines what follows a run:
 * retries, and the times of schedules.
 */
@NullMarked
package dev.holdfast.alarms;

import org.jspecify.annotations.NullMarked;
