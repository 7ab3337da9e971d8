package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.JsBuffer;
import dev.holdfast.clone.JsView;
import dev.holdfast.clone.codec.bytes.WireTag;
import java.lang.reflect.Array;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads buffers and views as {@code byte[]}, and typed arrays and arrays of numbers as the other
 * primitive arrays.
 */
final class PrimitiveArrayReader extends TypeReader {

  private final TypeReader element;

  PrimitiveArrayReader(Class<?> type, TypeReader element) {
    super(type);
    this.element = element;
  }

  @Override
  boolean isReadAsCopied(Set<TypeReader> checked) {
    return true;
  }

  @Override
  void requireReadable(Set<TypeReader> checked) {
    if (type() == boolean[].class || type() == char[].class) {
      throw TypeReaders.unsupported(type());
    }
  }

  @Override
  @Nullable Object read(Decoder in, int tag) {
    if (tag == WireTag.DENSE_ARRAY && type() != byte[].class) {
      return readNumbers(in);
    }
    if (tag == WireTag.NULL || tag == WireTag.UNDEFINED) {
      return null;
    }
    Object value = in.read(tag);
    if (type().isInstance(value)) {
      return value;
    }
    Object array = type() == byte[].class ? bytes(value) : elements(in, value, tag);
    if (array == null) {
      throw mismatch(WireTag.name(tag));
    }
    return array;
  }

  private static byte @Nullable [] bytes(@Nullable Object value) {
    if (value instanceof JsBuffer buffer) {
      return buffer.bytes();
    }
    return value instanceof JsView view && view.kind().elementBytes() == 1
        ? view.toByteArray()
        : null;
  }

  private @Nullable Object elements(Decoder in, @Nullable Object value, int tag) {
    if (!(value instanceof JsView view)) {
      return null;
    }
    Object array = ArrayShapes.PrimitiveArrays.toArray(view, type());
    if (array != null && tag != WireTag.REFERENCE) {
      // Later references are to the Java array.
      in.set(in.last(), array);
    }
    return array;
  }

  private Object readNumbers(Decoder in) {
    int length = in.in().length();
    Object array = in.add(Array.newInstance(type().getComponentType(), length));
    for (int i = 0; i < length; i++) {
      try {
        Array.set(array, i, element.read(in));
      } catch (CloneException e) {
        throw e.within("[" + i + "]");
      }
    }
    if (in.in().peek() != WireTag.DENSE_ARRAY_END) {
      throw mismatch("an array with named properties; read it as JsArray");
    }
    in.in().skip(WireTag.DENSE_ARRAY_END);
    in.expectCount(0, "properties");
    in.expectCount(length, "elements");
    return array;
  }
}
