package dev.holdfast.backend.rocksdb.batch;

/**
 * A key and its value. Immutable.
 *
 * @param key the key, without the object's prefix
 * @param value the value
 */
@SuppressWarnings("ArrayRecordComponent")
public // never compared, never changed
record Pair(byte[] key, byte[] value) {

  public int bytes() {
    return key.length + value.length;
  }
}
