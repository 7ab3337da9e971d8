package dev.holdfast.backend.rocksdb.batch;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.ObjectKey;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The prefix of all keys of one object in the database: the number of the namespace and the id.
 * Immutable; see {@code docs/formats/rocksdb-batch.md}.
 */
public final class ObjectPrefix {

  public static final int LENGTH_BYTES = Integer.BYTES + ObjectId.LENGTH_BYTES;

  private final byte[] bytes;

  /**
   * Creates the prefix of an object.
   *
   * @param namespaceNumber more than zero, so that the first byte leaves room for a carry
   * @param key the object
   */
  public ObjectPrefix(int namespaceNumber, ObjectKey key) {
    if (namespaceNumber <= 0) {
      throw new IllegalArgumentException("The number of a namespace is " + namespaceNumber);
    }
    this.bytes =
        ByteBuffer.allocate(LENGTH_BYTES).putInt(namespaceNumber).put(key.id().toBytes()).array();
  }

  private ObjectPrefix(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * {@return the prefix that has these bytes}
   *
   * @throws IllegalArgumentException if it is none
   */
  public static ObjectPrefix of(byte[] bytes) {
    if (bytes.length != LENGTH_BYTES || bytes[0] < 0) {
      throw new IllegalArgumentException("a prefix of " + bytes.length + " bytes");
    }
    return new ObjectPrefix(bytes.clone());
  }

  public int namespaceNumber() {
    return ByteBuffer.wrap(bytes).getInt();
  }

  /** {@return the bytes of the object's id} */
  public byte[] id() {
    return Arrays.copyOfRange(bytes, Integer.BYTES, LENGTH_BYTES);
  }

  /** {@return the key in the database of a key of the object} */
  public byte[] with(byte[] name) {
    byte[] key = Arrays.copyOf(bytes, LENGTH_BYTES + name.length);
    System.arraycopy(name, 0, key, LENGTH_BYTES, name.length);
    return key;
  }

  /** {@return the smallest key in the database that can belong to the object} */
  public byte[] start() {
    return bytes.clone();
  }

  /** {@return the first key in the database that is too large to belong to the object} */
  public byte[] end() {
    return Keys.endOfPrefix(bytes);
  }
}
