/**
 * {@code ./holdfast crash-test}: kills a writing process repeatedly and compares the data that it
 * has left with the answers that its callers received.
 *
 * <p>The comparison is exact: each object numbers its own steps, and the seed determines the writes
 * of step n of an object ({@link dev.holdfast.crash.StepPlan}). So one number that is read after a
 * crash determines the state that the object must have, key for key and row for row: a batch that
 * is partial, out of order or applied twice is always detected.
 */
@NullMarked
package dev.holdfast.crash;

import org.jspecify.annotations.NullMarked;
