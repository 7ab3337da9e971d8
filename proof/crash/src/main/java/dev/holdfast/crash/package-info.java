/**
 * {@code ./holdfast crash-test}: kills a writing process again and again and compares what it has
 * left with what it was told.
 *
 * <p>The trick that makes the comparison exact: each object numbers its own steps, and what step n
 * of an object writes follows from the seed ({@link dev.holdfast.crash.StepPlan}). So one number
 * read after a crash says which state the object must have, key for key and row for row: a batch
 * that is there in part, or out of order, or twice, cannot hide.
 */
@NullMarked
package dev.holdfast.crash;

import org.jspecify.annotations.NullMarked;
