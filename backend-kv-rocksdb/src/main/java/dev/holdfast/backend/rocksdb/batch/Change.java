package dev.holdfast.backend.rocksdb.batch;

import org.jspecify.annotations.Nullable;

/**
 * The change of one key by a batch. Immutable.
 *
 * @param key the key, without the object's prefix
 * @param redo the value after the batch; null if the key has none
 * @param undo the value before the batch; null if the key had none
 */
@SuppressWarnings("ArrayRecordComponent")
public // never compared, never changed
record Change(byte[] key, byte @Nullable [] redo, byte @Nullable [] undo) {

  /**
   * Estimated memory of a change in addition to its bytes: map entry, record and two array headers.
   */
  private static final int OVERHEAD_BYTES = 120;

  /** {@return about how much memory the change takes} */
  public long bytes() {
    return (long) OVERHEAD_BYTES + key.length + lengthOf(redo) + lengthOf(undo);
  }

  private static int lengthOf(byte @Nullable [] bytes) {
    return bytes == null ? 0 : bytes.length;
  }
}
