/**
 * The database in RocksDB: opened, refused if it cannot belong to the journal, read, written and
 * copied. Knows no turns and no batches that wait; the backend above it decides what is written.
 */
@NullMarked
package dev.holdfast.backend.rocksdb.database;

import org.jspecify.annotations.NullMarked;
