/**
 * RocksDB storage backend: the key-value data of all objects in one database, a view of the
 * journal.
 *
 * <p>A turn buffers its writes ({@code RocksDbTurn}) and seals them as one journal record ({@code
 * Batch}). Until the record is durable, the batch lives in memory ({@code PendingWrites}); then it
 * goes into the database in the order of the journal ({@code Applier}, {@code SealedBatches}). Only
 * {@code Database} and {@code DatabaseFiles} touch RocksDB itself. The formats are in {@code
 * docs/formats/rocksdb-batch.md}.
 */
@NullMarked
package dev.holdfast.backend.rocksdb;

import org.jspecify.annotations.NullMarked;
