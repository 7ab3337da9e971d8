/**
 * The files of a copy of a shard beside those of the objects: the segments that it writes, what it
 * states of itself durably ({@code saved} and {@code bases}), and the parts of a group that is not
 * complete. {@code docs/formats/log-entry.md} has the layouts. The package {@code shard} decides
 * what is written.
 */
@NullMarked
package dev.holdfast.journal.replica;

import org.jspecify.annotations.NullMarked;
