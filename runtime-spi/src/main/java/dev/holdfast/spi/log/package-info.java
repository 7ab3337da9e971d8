/**
 * A log that several machines agree about, and what is in it: the seam between the journal of a
 * shard and the engine that replicates it. {@code docs/formats/log-entry.md} describes the entries.
 */
@NullMarked
package dev.holdfast.spi.log;

import org.jspecify.annotations.NullMarked;
