/**
 * What the database needs beside its turns: RocksDB's library and handles, its MANIFEST, the mark
 * beside it, and files of pairs that are too many for memory. Of the packages of the backend, it
 * depends on {@code batch} alone.
 */
@NullMarked
package dev.holdfast.backend.rocksdb.file;

import org.jspecify.annotations.NullMarked;
