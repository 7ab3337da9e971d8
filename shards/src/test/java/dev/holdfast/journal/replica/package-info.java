/** Tests of the journal of a shard. */
@NullMarked
package dev.holdfast.journal.replica;

import org.jspecify.annotations.NullMarked;
