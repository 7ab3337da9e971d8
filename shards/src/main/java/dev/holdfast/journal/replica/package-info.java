/**
 * The entries of a shard's log, and the files of a copy of the shard beside those of the objects:
 * the segments that it writes, the history that they give and when the oldest are removed, what the
 * copy states of itself durably ({@code saved} and {@code bases}), and the parts of a group that is
 * not complete. {@code docs/formats/log-entry.md} has the layouts. The package {@code shard}
 * decides what is written.
 */
@NullMarked
package dev.holdfast.journal.replica;

import org.jspecify.annotations.NullMarked;
