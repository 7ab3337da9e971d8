package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.JsValue;
import dev.holdfast.clone.codec.bytes.WireTag;
import dev.holdfast.clone.codec.component.Construction;
import dev.holdfast.clone.codec.component.InlineClass;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Finds the reader of a type, and caches it with the class. Thread-safe. */
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

  static final TypeReaders STANDARD = new TypeReaders(List.of());

  private final List<ValueConverter> converters;

  private final ClassValue<Optional<ValueConverter>> converterByClass =
      new ClassValue<>() {
        @Override
        protected Optional<ValueConverter> computeValue(Class<?> type) {
          return Shapes.isOfTheMapping(type)
              ? Optional.empty()
              : converters.stream().filter(each -> each.converts(type)).findFirst();
        }
      };

  private final ClassValue<TypeReader> byClass =
      new ClassValue<>() {
        @Override
        protected TypeReader computeValue(Class<?> type) {
          return create(JavaType.of(type));
        }
      };

  private final ClassValue<Map<JavaType, TypeReader>> byGenericClass =
      new ClassValue<>() {
        @Override
        protected Map<JavaType, TypeReader> computeValue(Class<?> type) {
          return new ConcurrentHashMap<>();
        }
      };

  /** The classes found readable. A class that is not readable is checked again. */
  private final ClassValue<AtomicBoolean> readable =
      new ClassValue<>() {
        @Override
        protected AtomicBoolean computeValue(Class<?> type) {
          return new AtomicBoolean();
        }
      };

  /**
   * Returns the reader of a type.
   *
   * @throws CloneException if values cannot be read as this type
   */
  TypeReader of(Type type) {
    return type instanceof Class<?> c ? byClass.get(c) : of(JavaType.of(type));
  }

  TypeReader of(JavaType type) {
    if (type.arguments().isEmpty()) {
      return byClass.get(type.raw());
    }
    Map<JavaType, TypeReader> readers = byGenericClass.get(type.raw());
    TypeReader reader = readers.get(type);
    if (reader == null) {
      // Not computeIfAbsent: creating one looks up others.
      reader = create(type);
      readers.put(type, reader);
    }
    return reader;
  }

  private TypeReader create(JavaType type) {
    Class<?> raw = type.raw();
    if (raw == Object.class) {
      return UNTYPED;
    }
    ValueConverter converter = converterOf(raw);
    if (converter != null) {
      Class<?> stored = converter.storedType();
      if (converterOf(stored) != null) {
        throw new CloneException(
            "the codec of "
                + raw.getTypeName()
                + " stores "
                + stored.getTypeName()
                + ", which a codec stores, too; store a type of the table in"
                + " docs/structured-clone.md#the-mapping",
            raw);
      }
      return new ConvertedReader(type, converter, of(stored));
    }
    TypeReader scalar = ScalarReaders.of(raw);
    if (scalar != null) {
      return scalar;
    }
    if (JsValue.class.isAssignableFrom(raw)) {
      return new JsTypeReader(raw);
    }
    InlineClass inline = InlineClass.of(raw);
    if (inline != null) {
      return new InlineReader(raw, inline, of(JavaType.of(inline.contentType(), type.variables())));
    }
    if (raw.isSealed()) {
      return new SealedReader(type, this);
    }
    if (raw == Optional.class) {
      return new OptionalReader(of(type.argument(0)));
    }
    if (raw.isArray()) {
      return raw.getComponentType().isPrimitive()
          ? new PrimitiveArrayReader(raw, of(raw.getComponentType()))
          : new ArrayReader(raw, of(type.argument(0)));
    }
    if (Iterable.class.isAssignableFrom(raw)) {
      return collection(type);
    }
    if (Map.class.isAssignableFrom(raw)) {
      return new MapReader(raw, of(type.argument(0)), of(type.argument(1)));
    }
    Construction construction = Construction.of(raw);
    if (construction.isPossible()) {
      return new RecordReader(type, this);
    }
    throw unsupported(raw, construction.refusal());
  }

  /**
   * Checks that values of a class can be read as it.
   *
   * @throws CloneException if its values, or values of a type within it, cannot be read
   */
  void requireReadable(Class<?> type) {
    AtomicBoolean checked = readable.get(type);
    if (!checked.get()) {
      of(type).requireReadable(Collections.newSetFromMap(new IdentityHashMap<>()));
      checked.set(true);
    }
  }

  private TypeReader collection(JavaType type) {
    Class<?> raw = type.raw();
    if (raw != Iterable.class && !Collection.class.isAssignableFrom(raw)) {
      throw unsupported(raw);
    }
    return new CollectionReader(raw, of(type.argument(0)));
  }

  static CloneException unsupported(Class<?> type) {
    return unsupported(type, "");
  }

  private static CloneException unsupported(Class<?> type, String reason) {
    String hint =
        type.isInterface()
            ? "; the implementation of an interface is not guessed: make it sealed, ask for a"
                + " record or read it as JsObject"
            : (reason.isEmpty() ? "" : ": " + reason)
                + "; ask for a record, or a type of the table in"
                + " docs/structured-clone.md#the-mapping";
    return new CloneException("values cannot be read as " + type.getTypeName() + hint, type);
  }

  /**
   * Creates readers.
   *
   * @param converters asked in this order; the first that converts a class does
   */
  TypeReaders(List<ValueConverter> converters) {
    this.converters = List.copyOf(converters);
  }

  boolean hasConverters() {
    return !converters.isEmpty();
  }

  /** Returns what converts values of a class; null if nothing does. */
  @Nullable ValueConverter converterOf(Class<?> type) {
    return converters.isEmpty() ? null : converterByClass.get(type).orElse(null);
  }

  /** Reads the property of a value class of Kotlin as an instance. */
  static final class InlineReader extends TypeReader {

    private final InlineClass inline;
    private final TypeReader content;

    InlineReader(Class<?> type, InlineClass inline, TypeReader content) {
      super(type);
      this.inline = inline;
      this.content = content;
    }

    @Override
    @Nullable Object read(Decoder in, int tag) {
      return tag == WireTag.NULL || tag == WireTag.UNDEFINED
          ? null
          : inline.box(content.read(in, tag));
    }

    @Override
    Object ofName(String name) {
      return inline.box(content.ofName(name));
    }

    @Override
    boolean isLeaf() {
      return content.isLeaf();
    }

    @Override
    boolean isReadAsCopied(Set<TypeReader> checked) {
      return content.isReadAsCopied(checked);
    }

    @Override
    void requireReadable(Set<TypeReader> checked) {
      content.requireReadable(checked);
    }
  }
}
