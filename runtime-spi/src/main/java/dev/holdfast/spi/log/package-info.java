/**
 * A log that several machines agree about: the seam between the journal of a shard and the engine
 * that replicates it. The entries are bytes here; the journal of a shard makes and reads them.
 */
@NullMarked
package dev.holdfast.spi.log;

import org.jspecify.annotations.NullMarked;
