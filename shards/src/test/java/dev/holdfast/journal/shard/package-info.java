/** Tests of the journal of a shard. */
@NullMarked
package dev.holdfast.journal.shard;

import org.jspecify.annotations.NullMarked;
