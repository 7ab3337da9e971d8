/**
 * Step 7 of a call, for namespaces in RocksDB: the key-value data of all objects in one database,
 * which is a view of the journal.
 *
 * <p>A turn buffers its writes ({@code RocksDbTurn}) and seals them as one journal record ({@code
 * Batch}). Until the record is durable, the batch is in memory ({@code UnappliedWrites}); then it
 * is written to the database in journal order ({@code Applier}, {@code SealedBatches}). Turns touch
 * RocksDB through {@code database.Database} alone. {@code Seal} applies a restore. The formats are
 * in {@code docs/formats/rocksdb-batch.md}.
 */
@NullMarked
package dev.holdfast.backend.rocksdb;

import org.jspecify.annotations.NullMarked;
