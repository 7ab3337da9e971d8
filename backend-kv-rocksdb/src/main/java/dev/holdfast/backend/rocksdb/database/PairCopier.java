package dev.holdfast.backend.rocksdb.database;

import dev.holdfast.backend.rocksdb.batch.ObjectPrefix;
import dev.holdfast.backend.rocksdb.batch.Pair;
import dev.holdfast.backend.rocksdb.file.RocksDbBounds;
import java.util.Arrays;
import org.rocksdb.RocksIterator;

/**
 * Copies pairs out of an iterator. Native code fills reused buffers, and Java allocates the arrays
 * at their final size: this is a quarter faster than arrays allocated by native code, and removes
 * the object's prefix without a second copy.
 *
 * <p>Owned by one thread.
 */
final class PairCopier {

  private static final int KEY_BYTES = 128;
  private static final int VALUE_BYTES = 512;

  private byte[] key = new byte[KEY_BYTES];
  private byte[] value = new byte[VALUE_BYTES];

  /** {@return the pair at which an iterator is positioned, with the object's own key} */
  Pair copy(RocksIterator iterator) {
    return new Pair(copyName(iterator), copyValue(iterator));
  }

  private byte[] copyName(RocksIterator iterator) {
    int length = iterator.key(key, 0, key.length);
    if (length > key.length) {
      key = new byte[length];
      length = iterator.key(key, 0, length);
    }
    return Arrays.copyOfRange(key, ObjectPrefix.LENGTH_BYTES, length);
  }

  private byte[] copyValue(RocksIterator iterator) {
    int length = iterator.value(value, 0, value.length);
    if (length <= value.length) {
      return Arrays.copyOf(value, length);
    }
    if (length <= RocksDbBounds.COPY_BUFFER_BYTES_MAX) {
      value = new byte[RocksDbBounds.COPY_BUFFER_BYTES_MAX];
    }
    return iterator.value();
  }
}
