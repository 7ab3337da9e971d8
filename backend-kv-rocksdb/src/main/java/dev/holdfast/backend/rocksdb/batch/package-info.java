/**
 * Batches: the writes of a turn, in the form in which the journal and the database receive them.
 */
@NullMarked
package dev.holdfast.backend.rocksdb.batch;

import org.jspecify.annotations.NullMarked;
