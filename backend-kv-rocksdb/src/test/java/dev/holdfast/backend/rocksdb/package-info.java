/** Tests of the RocksDB backend. */
@NullMarked
package dev.holdfast.backend.rocksdb;

import org.jspecify.annotations.NullMarked;
