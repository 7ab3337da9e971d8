package dev.holdfast.backend.rocksdb.batch;

import org.jspecify.annotations.Nullable;

/**
 * The write of a turn to a key. Immutable.
 *
 * @param value null if the turn has deleted the key
 */
@SuppressWarnings("ArrayRecordComponent")
public // never compared, never changed
record BufferedWrite(byte @Nullable [] value) {

  public static final BufferedWrite DELETED = new BufferedWrite(null);
}
