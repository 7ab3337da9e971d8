package dev.holdfast.clone.codec;

import dev.holdfast.clone.JsBuffer;
import dev.holdfast.clone.JsValue;
import dev.holdfast.clone.codec.bytes.WireTag;
import org.jspecify.annotations.Nullable;

/** Reads values as one of the {@link JsValue} types. */
final class JsTypeReader extends TypeReader {

  JsTypeReader(Class<?> type) {
    super(type);
  }

  @Override
  @Nullable Object read(Decoder in, int tag) {
    if (tag == WireTag.NULL) {
      return null;
    }
    Object value = in.read(tag);
    if (type().isInstance(value)) {
      return value;
    }
    if (value instanceof byte[] bytes && type() == JsBuffer.class) {
      return JsBuffer.fixed(bytes);
    }
    if (tag == WireTag.UNDEFINED) {
      return null;
    }
    throw mismatch(WireTag.name(tag));
  }
}
