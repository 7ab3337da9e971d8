/**
 * Divides the journal of a data directory into journals of shards: each has the records of its
 * objects, in their order, at new positions. What records name by its position is named by the new
 * one.
 */
@NullMarked
package dev.holdfast.verify.split;

import org.jspecify.annotations.NullMarked;
