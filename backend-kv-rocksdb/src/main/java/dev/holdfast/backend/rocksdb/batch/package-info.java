/** Batches: what a turn has written, as the journal has it and the database will get it. */
@NullMarked
package dev.holdfast.backend.rocksdb.batch;

import org.jspecify.annotations.NullMarked;
