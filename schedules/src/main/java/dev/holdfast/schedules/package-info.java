/**
 * Runs threads one at a time in an order that a seed chooses, or in every order; start with {@link
 * dev.holdfast.schedules.DeterministicScheduler}.
 */
@NullMarked
package dev.holdfast.schedules;

import org.jspecify.annotations.NullMarked;
