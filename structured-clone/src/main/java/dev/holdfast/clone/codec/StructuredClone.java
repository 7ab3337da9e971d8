package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.CloneFormatException;
import dev.holdfast.clone.JsString;
import dev.holdfast.clone.JsUndefined;
import dev.holdfast.clone.StructuredCloneException;
import dev.holdfast.clone.codec.bytes.ByteSource;
import dev.holdfast.clone.codec.bytes.WireTag;
import dev.holdfast.clone.internal.CloneBounds;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads values in the V8 structured clone format, and copies Java values by the same
 * rules. The mapping between Java and JavaScript types is in the documentation of the package.
 *
 * <p>Shared objects stay shared and cycles stay closed, through every kind of collection. Values
 * may be nested {@value #DEPTH_MAX} deep.
 *
 * <p>Immutable, thread-safe. The values themselves must not be changed while they are written or
 * copied.
 */
public final class StructuredClone {

  /**
   * The maximum nesting of collections, records and errors. This depth fits the usual stack of 1
   * MiB, however the code was compiled, and leaves a fifth for the caller. The reference was
   * observed to accept a thousand.
   */
  public static final int DEPTH_MAX = CloneBounds.DEPTH_MAX;

  private static final StructuredClone STANDARD = new StructuredClone(false, TypeReaders.STANDARD);
  private static final StructuredClone EXACT = new StructuredClone(true, TypeReaders.STANDARD);

  private final boolean exact;
  private final TypeReaders readers;

  private StructuredClone(boolean exact, TypeReaders readers) {
    this.exact = exact;
    this.readers = readers;
  }

  /**
   * Returns the codec for applications.
   *
   * @return the codec, always the same
   */
  public static StructuredClone standard() {
    return STANDARD;
  }

  /**
   * Returns a codec that also distinguishes values that differ only in their bytes, so that every
   * value of the reference runtime is written back unchanged. The only difference to {@link
   * #standard()}: a string that is stored with two bytes per character unnecessarily is read as
   * {@link JsString}.
   *
   * @return the codec, always the same
   */
  public static StructuredClone exact() {
    return EXACT;
  }

  /**
   * Returns this codec with converters for classes that the mapping does not have. They are asked
   * in their order; the first that converts a class does.
   *
   * @param converters the converters; they replace the converters of this codec
   * @return the codec, which caches what it knows of classes: keep it
   */
  public StructuredClone withConverters(List<ValueConverter> converters) {
    return new StructuredClone(exact, new TypeReaders(converters));
  }

  /**
   * Returns how values of a declared type are passed, after a check that they can be written and
   * read: also the components of a record, type arguments and the classes of a sealed type.
   *
   * @param type the type of an argument or a result
   * @param declaring what declares the method
   * @param inheriting the interface or class that is called, which is the same or below it
   * @return how its values are passed
   * @throws CloneException if a value of the type, or of one within it, could not be read; the
   *     message has the path
   */
  public PassedType passed(Type type, Class<?> declaring, Class<?> inheriting) {
    return new PassedType(this, readers, JavaType.inherited(type, declaring, inheriting));
  }

  /**
   * Returns what converts values of a class.
   *
   * @param type the class of a value, or a declared type
   * @return the converter; null if the mapping decides, or the class is stored by its components
   */
  public @Nullable ValueConverter converterOf(Class<?> type) {
    return readers.converterOf(type);
  }

  /**
   * Returns whether values of a class are stored as a text that {@link #textOf} returns: {@code
   * UUID}, {@code Duration}, {@code Locale} and the like.
   *
   * @param type the class
   * @return whether they are
   */
  public static boolean hasText(Class<?> type) {
    return TextForms.has(type);
  }

  /**
   * Returns the text that a value is stored as.
   *
   * @param value a value of a class that {@link #hasText}
   * @return the text
   * @throws CloneException if no text describes the value
   */
  public static String textOf(Object value) {
    return TextForms.text(value);
  }

  /**
   * Returns the value of a text.
   *
   * @param text the text
   * @param type a class that {@link #hasText}, or an enum
   * @return the value, of this class
   * @throws CloneException if the text is none of such a value
   */
  public static Object ofText(String text, Class<?> type) {
    return TypeReaders.STANDARD.of(type).ofName(text);
  }

  /** Copies a value of which only its converter knows what can change in it. */
  Object storedAndRead(Object value) {
    Object read = decode(encode(value), readers.of(value.getClass()));
    if (read == null) {
      throw new IllegalStateException("a converted value is read as null: " + value.getClass());
    }
    return read;
  }

  /**
   * Writes a value.
   *
   * @param value the value
   * @return its bytes, with a header
   * @throws CloneException if part of it cannot be represented in the format, or it is nested too
   *     deep
   */
  public byte[] encode(@Nullable Object value) {
    try {
      return new Encoder(readers).encode(value);
    } catch (StackOverflowError e) {
      throw stackTooSmall(e);
    }
  }

  /**
   * Writes a value that will be read as its own class again: like {@link #encode}, but a record or
   * class is refused if {@link #decode(byte[], Class)} could never read it as its class, because a
   * component is declared as an interface whose implementation would have to be guessed. Components
   * declared as {@code Object} or as a type variable, and their contents, are not checked: they are
   * read as their natural type.
   *
   * @param value the value
   * @return its bytes, with a header
   * @throws CloneException if part of it cannot be represented in the format, it is nested too
   *     deep, or it has a record that cannot be read; the message has the path of the component
   */
  public byte[] encodeReadable(@Nullable Object value) {
    try {
      return new Encoder(readers).checkRecords().encode(value);
    } catch (StackOverflowError e) {
      throw stackTooSmall(e);
    }
  }

  /** Writes a value that is passed. */
  byte[] encodePassed(Object value, boolean marksClasses) {
    try {
      Encoder encoder = new Encoder(readers).checkRecords();
      return (marksClasses ? encoder.markClasses() : encoder).encode(value);
    } catch (StackOverflowError e) {
      throw stackTooSmall(e);
    }
  }

  /**
   * Reads a value as its natural Java type.
   *
   * @param bytes the bytes; bytes after the value are ignored
   * @return the value; {@code null} is null, {@code undefined} is {@link JsUndefined#UNDEFINED}
   * @throws CloneFormatException if the bytes are not a value, or it is nested too deep
   */
  public @Nullable Object decode(byte[] bytes) {
    return decode(bytes, TypeReaders.UNTYPED);
  }

  /**
   * Reads a value as a Java type. A component that the value lacks is its {@link
   * dev.holdfast.value.Default}, else null, or empty if it is a collection, a map or an {@code
   * Optional}. A property that the type lacks is refused unless {@link dev.holdfast.value.Ignored}
   * names it: the component may have been renamed, and would be lost.
   *
   * @param <T> the type
   * @param bytes the bytes; bytes after the value are ignored
   * @param type the requested type; {@code Object.class} for the natural one
   * @return the value; null for {@code null} and {@code undefined}
   * @throws CloneException if the value is not of this type, lacks a primitive component without a
   *     default, or has a property that the type lacks; or if the type cannot be read
   * @throws CloneFormatException if the bytes are not a value
   */
  @SuppressWarnings("unchecked")
  public <T> @Nullable T decode(byte[] bytes, Class<T> type) {
    // Not Class.cast: it does not support primitive types.
    return (T) decode(bytes, readers.of(type));
  }

  /**
   * Reads a value as a Java type with type arguments, such as {@code List<Item>}.
   *
   * @param bytes the bytes; bytes after the value are ignored
   * @param type the requested type, for example from {@link
   *     java.lang.reflect.Method#getGenericReturnType()}
   * @return the value; null for {@code null} and {@code undefined}
   * @throws CloneException if the value is not of this type, or the type cannot be read
   * @throws CloneFormatException if the bytes are not a value
   */
  public @Nullable Object decode(byte[] bytes, Type type) {
    return decode(bytes, readers.of(type));
  }

  private @Nullable Object decode(byte[] bytes, TypeReader reader) {
    return decode(bytes, reader, new Decoder(new ByteSource(bytes), exact));
  }

  /** Reads a value that nobody writes again. */
  @Nullable Object decodePassed(byte[] bytes, TypeReader reader) {
    Decoder decoder = new Decoder(new ByteSource(bytes), exact);
    decoder.readPassed();
    return decode(bytes, reader, decoder);
  }

  private @Nullable Object decode(byte[] bytes, TypeReader reader, Decoder decoder) {
    try {
      int version = decoder.readHeader();
      try {
        return reader.read(decoder);
      } catch (CloneFormatException e) {
        if (version != WireTag.VERSION_MIN) {
          throw e;
        }
        return decodeWithViewFlags(bytes, reader, e);
      }
    } catch (StackOverflowError e) {
      throw decoder.in().fault("nested too deep for the stack of this thread");
    }
  }

  /** Some engines already wrote the flags of views in version 13. */
  private @Nullable Object decodeWithViewFlags(
      byte[] bytes, TypeReader reader, CloneFormatException failure) {
    Decoder decoder = new Decoder(new ByteSource(bytes), exact);
    decoder.readHeader();
    decoder.expectViewFlags();
    try {
      return reader.read(decoder);
    } catch (StructuredCloneException e) {
      failure.addSuppressed(e);
      throw failure;
    }
  }

  /**
   * Returns a copy that shares no mutable state with the value. Immutable values are not copied:
   * strings, boxed primitives, {@code java.time}, enums, big numbers, records of these, and
   * unmodifiable collections of the JDK with such content are returned as they are. Every {@code
   * Instant} is truncated to the millisecond towards the past, as in {@link #encode}.
   *
   * @param <T> the type of the value
   * @param value the value
   * @return the copy, of the same class; a collection whose class is not in the JDK becomes an
   *     {@code ArrayList}, {@code LinkedHashSet} or similar
   * @throws CloneException if part of it cannot be copied, or it is nested too deep
   */
  @SuppressWarnings("unchecked")
  public <T extends @Nullable Object> T copy(T value) {
    if (value == null) {
      return value;
    }
    ClassShape shape = ClassShape.of(value.getClass());
    if (shape.isImmutable()) {
      return value;
    }
    try {
      return (T)
          Objects.requireNonNull(
              (readers.hasConverters() ? new Copier.Converting(this) : new Copier()).copy(value));
    } catch (StackOverflowError e) {
      throw stackTooSmall(e);
    }
  }

  private static CloneException stackTooSmall(StackOverflowError e) {
    return new CloneException("nested too deep for the stack of this thread", null, e);
  }
}
