package dev.holdfast.backend.rocksdb;

/**
 * A key and its value. Immutable.
 *
 * @param key the key, without the object's prefix
 * @param value the value
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, never changed
record Pair(byte[] key, byte[] value) {

  int bytes() {
    return key.length + value.length;
  }
}
