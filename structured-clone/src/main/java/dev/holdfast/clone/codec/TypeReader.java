package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.codec.bytes.WireTag;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads values as one Java type. Immutable, thread-safe; what one reading needs is in the {@link
 * Decoder}.
 */
abstract class TypeReader {

  private final Class<?> type;

  TypeReader(Class<?> type) {
    this.type = type;
  }

  Class<?> type() {
    return type;
  }

  @Nullable Object read(Decoder in) {
    return read(in, in.in().tag());
  }

  /** Reads a value whose tag has been read. */
  abstract @Nullable Object read(Decoder in, int tag);

  /**
   * Converts the name of a property, for maps that were stored as objects.
   *
   * @throws CloneException if no name is of this type
   */
  Object ofName(String name) {
    throw new CloneException("expected " + type.getTypeName() + ", found a name: " + name, type);
  }

  /** Returns whether hashing a value of this type is safe whatever it contains. */
  boolean isLeaf() {
    return false;
  }

  /**
   * Returns whether a copy of a value, made by its class, has the classes that it would be read
   * with. A list is copied as its kind, and read as an {@code ArrayList}.
   *
   * @param checked the readers that have been checked, or are being checked
   */
  boolean isReadAsCopied(Set<TypeReader> checked) {
    return false;
  }

  /** Returns whether {@link #rebuilt} may give a value. */
  boolean isRebuilt() {
    return false;
  }

  /**
   * Makes what a value would be read as, without writing it.
   *
   * @return a collection or a map with the same content; null if part of it can change
   */
  @Nullable Object rebuilt(Object value) {
    return null;
  }

  /** {@return what a component of this type is that the value lacks; not asked of primitives} */
  @Nullable Object ofAbsent() {
    return null;
  }

  /**
   * Checks that the types within this one can be read.
   *
   * @param checked the readers that have been checked, or are being checked; a type may contain
   *     itself
   * @throws CloneException if one cannot be read, with its path
   */
  void requireReadable(Set<TypeReader> checked) {}

  CloneException mismatch(int tag) {
    return mismatch(WireTag.name(tag));
  }

  CloneException mismatch(String found) {
    return new CloneException("expected " + type.getTypeName() + ", found " + found, type);
  }

  /** Returns the object of a reference, if it has been read as this type before. */
  Object sameObject(Decoder in) {
    Object object = in.reference();
    if (!type.isInstance(object)) {
      throw mismatch(
          "a reference to an object that has been read as " + object.getClass().getTypeName());
    }
    return object;
  }
}
