/**
 * Finds alarms that are due: {@code Dispatcher} reads the next ones from the catalogs of the
 * backends, which are ordered by time, and fires them at a bounded rate. {@code AlarmRules} decides
 * what follows a run: retries, and the times of schedules. {@code Dispatcher} tries later what
 * could not run.
 *
 * <p>An alarm itself is stored with its object, and its handler runs as an event of the object:
 * {@code dev.holdfast.runtime.internal.alarm}.
 */
@NullMarked
package dev.holdfast.alarms;

import org.jspecify.annotations.NullMarked;
