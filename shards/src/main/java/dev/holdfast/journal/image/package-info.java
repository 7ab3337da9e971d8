/**
 * Files of the objects of a shard for a node whose copy needs records that nobody has any more: the
 * owner copies its own, and the node puts them in the place of those that it had.
 */
@NullMarked
package dev.holdfast.journal.image;

import org.jspecify.annotations.NullMarked;
