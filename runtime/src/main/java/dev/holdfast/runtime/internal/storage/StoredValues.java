package dev.holdfast.runtime.internal.storage;

import dev.holdfast.clone.StructuredCloneException;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.errors.StorageLimitException;
import dev.holdfast.errors.UncopyableValueException;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.storage.StorageLimits;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Converts values to the bytes that are stored, and back. Immutable.
 *
 * @param object the object that owns the values
 * @param format how values of its namespace are stored
 */
record StoredValues(ObjectKey object, StructuredClone format) {

  private static final int BYTES_MAX =
      StorageLimits.VALUE_BYTES_MAX + StorageLimits.VALUE_HEADER_BYTES;

  byte[] encode(String key, @Nullable Object value) {
    byte[] bytes;
    try {
      bytes = format.encodeReadable(value);
    } catch (StructuredCloneException e) {
      throw uncopyable(
          "The value for key \"" + key + "\" cannot be stored: " + NamespaceValues.explain(e), e);
    }
    if (bytes.length > BYTES_MAX) {
      throw new StorageLimitException(
          object.namespace(),
          object.id(),
          "Values cannot be larger than "
              + StorageLimits.VALUE_BYTES_MAX
              + " bytes. A value of size "
              + bytes.length
              + " was provided. It is for the key \""
              + key
              + "\"; split it, or store it in a table.");
    }
    return bytes;
  }

  @Nullable Object decode(String key, byte[] bytes, Type type) {
    try {
      return format.decode(bytes, type);
    } catch (StructuredCloneException e) {
      throw uncopyable(
          "The value of key \""
              + key
              + "\" cannot be read as "
              + type.getTypeName()
              + ": "
              + e.getMessage(),
          e);
    }
  }

  private UncopyableValueException uncopyable(String message, StructuredCloneException cause) {
    return new UncopyableValueException(object.namespace(), object.id(), message, cause);
  }
}
