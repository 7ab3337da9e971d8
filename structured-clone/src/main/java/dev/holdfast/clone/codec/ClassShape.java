package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.internal.CloneBounds;
import java.util.Collection;
import java.util.Map;

/**
 * How the codec handles the instances of one class. Computed once per class and cached with it, so
 * that a value needs one look-up to reach its code.
 *
 * <p>Immutable, thread-safe.
 */
abstract class ClassShape {

  private static final ClassValue<ClassShape> SHAPES =
      new ClassValue<>() {
        @Override
        protected ClassShape computeValue(Class<?> type) {
          return Shapes.create(type);
        }
      };

  static ClassShape of(Class<?> type) {
    return SHAPES.get(type);
  }

  /** Writes an instance. */
  abstract void encode(Encoder out, Object value);

  /** Returns a copy of an instance, or the instance if nothing in it can change. */
  abstract Object copy(Copier copier, Object value);

  /** Returns whether no instance of the class can change, so that it is its own copy. */
  boolean isImmutable() {
    return false;
  }

  /** Returns whether a collection class of the JDK has no instance that can be changed. */
  static boolean isImmutableCollection(Class<?> type) {
    if (!Collection.class.isAssignableFrom(type) && !Map.class.isAssignableFrom(type)) {
      return false;
    }
    String name = type.getName();
    return name.startsWith("java.util.ImmutableCollections$")
        || name.startsWith("java.util.Collections$Empty")
        || name.startsWith("java.util.Collections$Singleton");
  }

  static CloneException tooDeep() {
    return new CloneException("nested more than " + CloneBounds.DEPTH_MAX + " deep", null);
  }

  /** A class that can be neither written nor copied. */
  static final class Unsupported extends ClassShape {

    private final Class<?> type;
    private final String reason;

    /**
     * @param reason what the class lacks; empty if it is not meant to be a value
     */
    Unsupported(Class<?> type, String reason) {
      this.type = type;
      this.reason = reason;
    }

    @Override
    void encode(Encoder out, Object value) {
      throw failure("written");
    }

    @Override
    Object copy(Copier copier, Object value) {
      throw failure("copied");
    }

    /** Returns the error of an instance that cannot be written, or copied. */
    CloneException failure(String what) {
      return new CloneException(
          type.getTypeName()
              + " cannot be "
              + what
              + (reason.isEmpty() ? "" : ": " + reason)
              + "; make it a record, or convert it to a type of the table in"
              + " docs/structured-clone.md#the-mapping",
          type);
    }
  }

  /** A class whose instances are their own copies. */
  static final class Immutable extends ClassShape {

    /** Writes an instance. */
    @FunctionalInterface
    interface Writer {
      void write(Encoder out, Object value);
    }

    private final Writer writer;

    Immutable(Writer writer) {
      this.writer = writer;
    }

    @Override
    void encode(Encoder out, Object value) {
      writer.write(out, value);
    }

    @Override
    Object copy(Copier copier, Object value) {
      return value;
    }

    @Override
    boolean isImmutable() {
      return true;
    }
  }
}
