package dev.holdfast.backend.rocksdb;

import org.jspecify.annotations.Nullable;

/**
 * What a batch does to one key. Immutable.
 *
 * @param key the key, without the object's prefix
 * @param redo the value after the batch; null if there is none
 * @param undo the value before the batch; null if there was none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, never changed
record Change(byte[] key, byte @Nullable [] redo, byte @Nullable [] undo) {}
