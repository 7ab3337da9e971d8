package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.codec.bytes.WireTag;
import java.lang.reflect.Type;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads values that a {@link ValueConverter} has written. */
final class ConvertedReader extends TypeReader {

  private final ValueConverter converter;
  private final Type requested;
  private final TypeReader stored;

  ConvertedReader(JavaType type, ValueConverter converter, TypeReader stored) {
    super(type.raw());
    this.converter = converter;
    this.requested = type.toType();
    this.stored = stored;
  }

  @Override
  @Nullable Object read(Decoder in, int tag) {
    return tag == WireTag.NULL || tag == WireTag.UNDEFINED ? null : converted(stored.read(in, tag));
  }

  @Override
  Object ofName(String name) {
    return converted(stored.ofName(name));
  }

  /** What the application makes may be hashed in any way. */
  @Override
  boolean isLeaf() {
    return false;
  }

  @Override
  void requireReadable(Set<TypeReader> checked) {
    stored.requireReadable(checked);
  }

  private Object converted(@Nullable Object value) {
    Object converted;
    try {
      converted = value == null ? null : converter.fromStored(value, requested);
    } catch (RuntimeException e) {
      throw new CloneException("the codec of " + type().getTypeName() + " failed: " + e, type(), e);
    }
    if (!type().isInstance(converted)) {
      throw mismatch(
          "what its codec has returned: "
              + (converted == null ? "null" : converted.getClass().getTypeName()));
    }
    return converted;
  }
}
