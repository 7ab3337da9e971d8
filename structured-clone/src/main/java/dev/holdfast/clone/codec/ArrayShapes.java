package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.JsView;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Java arrays: {@code byte[]} is a buffer, other numbers are typed arrays, objects are a JavaScript
 * array.
 */
final class ArrayShapes {

  static ClassShape create(Class<?> type) {
    Class<?> component = type.getComponentType();
    if (type == byte[].class) {
      return new BytesShape();
    }
    if (component.isPrimitive()) {
      return new PrimitivesShape(type);
    }
    return new CollectionShapes.ObjectsShape(Shapes.isImmutableType(component, List.of()));
  }

  /** Bytes. */
  private static final class BytesShape extends ClassShape {
    @Override
    void encode(Encoder out, Object value) {
      out.writeBuffer((byte[]) value);
    }

    @Override
    Object copy(Copier copier, Object value) {
      return copier.copyOnce(value, bytes -> ((byte[]) bytes).clone());
    }
  }

  /** An array of any other primitive type. */
  private static final class PrimitivesShape extends ClassShape {

    private final Class<?> type;

    PrimitivesShape(Class<?> type) {
      this.type = type;
    }

    @Override
    void encode(Encoder out, Object value) {
      JsView view = PrimitiveArrays.toView(value);
      if (view == null) {
        throw new CloneException(
            type.getTypeName() + " cannot be written; use a list, or an array of numbers", type);
      }
      JsShapes.writeView(out, view, value);
    }

    @Override
    Object copy(Copier copier, Object value) {
      return copier.copyOnce(value, PrimitiveArrays::copy);
    }
  }

  /** Conversion between Java's primitive arrays and the bytes of typed arrays. */
  static final class PrimitiveArrays {

    /**
     * Returns a new view with the elements; null for boolean and char, which have no typed array.
     */
    // The buffers are allocated here, whole arrays at offset 0.
    @SuppressWarnings("ByteBufferBackingArray")
    static @Nullable JsView toView(Object array) {
      return switch (array) {
        case short[] shorts -> {
          ByteBuffer bytes = allocate(shorts.length, Short.BYTES);
          bytes.asShortBuffer().put(shorts);
          yield JsView.of(JsView.Kind.INT16, bytes.array());
        }
        case int[] ints -> {
          ByteBuffer bytes = allocate(ints.length, Integer.BYTES);
          bytes.asIntBuffer().put(ints);
          yield JsView.of(JsView.Kind.INT32, bytes.array());
        }
        case long[] longs -> {
          ByteBuffer bytes = allocate(longs.length, Long.BYTES);
          bytes.asLongBuffer().put(longs);
          yield JsView.of(JsView.Kind.BIG_INT64, bytes.array());
        }
        case float[] floats -> {
          ByteBuffer bytes = allocate(floats.length, Float.BYTES);
          bytes.asFloatBuffer().put(floats);
          yield JsView.of(JsView.Kind.FLOAT32, bytes.array());
        }
        case double[] doubles -> {
          ByteBuffer bytes = allocate(doubles.length, Double.BYTES);
          bytes.asDoubleBuffer().put(doubles);
          yield JsView.of(JsView.Kind.FLOAT64, bytes.array());
        }
        default -> null;
      };
    }

    private static ByteBuffer allocate(int elements, int elementBytes) {
      long bytes = (long) elements * elementBytes;
      if (bytes > Integer.MAX_VALUE - 8) {
        throw new CloneException("an array of " + bytes + " bytes", null);
      }
      return ByteBuffer.allocate((int) bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    static Object copy(Object array) {
      return switch (array) {
        case boolean[] a -> a.clone();
        case char[] a -> a.clone();
        case short[] a -> a.clone();
        case int[] a -> a.clone();
        case long[] a -> a.clone();
        case float[] a -> a.clone();
        case double[] a -> a.clone();
        default -> throw new IllegalArgumentException(array.getClass().toString());
      };
    }

    /** Returns the elements of a view as an array of the Java type that corresponds to its kind. */
    static @Nullable Object toArray(JsView view, Class<?> arrayType) {
      ByteBuffer bytes = ByteBuffer.wrap(view.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
      int count = view.byteLength() / view.kind().elementBytes();
      if (arrayType == short[].class && view.kind() == JsView.Kind.INT16) {
        short[] shorts = new short[count];
        bytes.asShortBuffer().get(shorts);
        return shorts;
      }
      if (arrayType == int[].class && view.kind() == JsView.Kind.INT32) {
        int[] ints = new int[count];
        bytes.asIntBuffer().get(ints);
        return ints;
      }
      if (arrayType == long[].class && view.kind() == JsView.Kind.BIG_INT64) {
        long[] longs = new long[count];
        bytes.asLongBuffer().get(longs);
        return longs;
      }
      if (arrayType == float[].class && view.kind() == JsView.Kind.FLOAT32) {
        float[] floats = new float[count];
        bytes.asFloatBuffer().get(floats);
        return floats;
      }
      if (arrayType == double[].class && view.kind() == JsView.Kind.FLOAT64) {
        double[] doubles = new double[count];
        bytes.asDoubleBuffer().get(doubles);
        return doubles;
      }
      return null;
    }

    private PrimitiveArrays() {}
  }

  private ArrayShapes() {}
}
