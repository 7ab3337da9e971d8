package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.JsValue;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Finds the reader of a type, and caches it with the class. */
final class TypeReaders {

  /** Reads any value as its natural type. */
  static final TypeReader UNTYPED =
      new TypeReader(Object.class) {
        @Override
        @Nullable Object read(Decoder in, int tag) {
          return in.read(tag);
        }

        @Override
        Object ofName(String name) {
          return name;
        }
      };

  private static final ClassValue<TypeReader> BY_CLASS =
      new ClassValue<>() {
        @Override
        protected TypeReader computeValue(Class<?> type) {
          return create(JavaType.of(type));
        }
      };

  private static final ClassValue<Map<JavaType, TypeReader>> BY_GENERIC_CLASS =
      new ClassValue<>() {
        @Override
        protected Map<JavaType, TypeReader> computeValue(Class<?> type) {
          return new ConcurrentHashMap<>();
        }
      };

  /**
   * Returns the reader of a type.
   *
   * @throws CloneException if values cannot be read as this type
   */
  static TypeReader of(Type type) {
    return type instanceof Class<?> c ? BY_CLASS.get(c) : of(JavaType.of(type));
  }

  static TypeReader of(JavaType type) {
    if (type.arguments().isEmpty()) {
      return BY_CLASS.get(type.raw());
    }
    Map<JavaType, TypeReader> readers = BY_GENERIC_CLASS.get(type.raw());
    TypeReader reader = readers.get(type);
    if (reader == null) {
      // Not computeIfAbsent: creating one looks up others.
      reader = create(type);
      readers.put(type, reader);
    }
    return reader;
  }

  private static TypeReader create(JavaType type) {
    Class<?> raw = type.raw();
    if (raw == Object.class) {
      return UNTYPED;
    }
    TypeReader scalar = ScalarReaders.of(raw);
    if (scalar != null) {
      return scalar;
    }
    if (JsValue.class.isAssignableFrom(raw)) {
      return new JsTypeReader(raw);
    }
    if (raw.isRecord()) {
      return new RecordReader(type);
    }
    if (raw.isArray()) {
      return raw.getComponentType().isPrimitive()
          ? new PrimitiveArrayReader(raw)
          : new ArrayReader(raw, of(type.argument(0)));
    }
    if (Iterable.class.isAssignableFrom(raw)) {
      return collection(type);
    }
    if (Map.class.isAssignableFrom(raw)) {
      return new MapReader(raw, of(type.argument(0)), of(type.argument(1)));
    }
    throw unsupported(raw);
  }

  private static TypeReader collection(JavaType type) {
    Class<?> raw = type.raw();
    if (raw != Iterable.class && !Collection.class.isAssignableFrom(raw)) {
      throw unsupported(raw);
    }
    return new CollectionReader(raw, of(type.argument(0)));
  }

  static CloneException unsupported(Class<?> type) {
    String hint =
        type.isInterface()
            ? "; the implementation of an interface is not guessed: ask for a record or read it as"
                + " JsObject"
            : "; ask for a record, or a type of the table in docs/structured-clone.md#the-mapping";
    return new CloneException("values cannot be read as " + type.getTypeName() + hint, type);
  }

  private TypeReaders() {}
}
