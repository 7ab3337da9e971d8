package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.StructuredCloneException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The declared type of an argument or a result, which passes values within one program or to
 * another one. Both have the same classes: what is copied here is what would be read there. A
 * {@code List} is an {@code ArrayList}. What is declared as {@code Object} keeps the classes of the
 * mapping, and a record in it is a {@code JsObject}.
 *
 * <p>Immutable, thread-safe.
 */
public final class PassedType {

  private final StructuredClone values;
  private final JavaType type;
  private final TypeReader reader;
  private final boolean isReadAsCopied;
  private final boolean isRebuilt;

  PassedType(StructuredClone values, TypeReaders readers, JavaType type) {
    this.values = values;
    this.type = type;
    this.reader = readers.of(type);
    reader.requireReadable(none());
    this.isReadAsCopied = reader.isReadAsCopied(none());
    this.isRebuilt = reader.isRebuilt();
  }

  static Set<TypeReader> none() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }

  /**
   * Returns the method that says most of the types of a call: of methods that override each other,
   * the one with the narrowest types.
   *
   * @param method a method of the interface, as a proxy passes it
   * @param called the interface that is called
   * @return the same method, or one that overrides it
   */
  public static Method declarationOf(Method method, Class<?> called) {
    Method narrowest = method;
    for (Method each : called.getMethods()) {
      if (each.getName().equals(method.getName())
          && !each.isBridge()
          && narrowest.getReturnType().isAssignableFrom(each.getReturnType())
          && takes(narrowest, each.getParameterTypes())) {
        narrowest = each;
      }
    }
    return narrowest;
  }

  /** A bridge has the wider parameters of what it overrides; others have the same ones. */
  private static boolean takes(Method method, Class<?>[] parameters) {
    Class<?>[] own = method.getParameterTypes();
    if (!method.isBridge()) {
      return Arrays.equals(own, parameters);
    }
    boolean takes = own.length == parameters.length;
    for (int i = 0; takes && i < own.length; i++) {
      takes = own[i].isAssignableFrom(parameters[i]);
    }
    return takes;
  }

  /** {@return the type, with its variables resolved} */
  public Type type() {
    return type;
  }

  /**
   * Copies a value as it would be read elsewhere.
   *
   * @param value the value
   * @return a value that shares nothing with it that can change; itself if nothing can
   * @throws CloneException if it cannot be written, or not be read as the type
   */
  public @Nullable Object copy(Object value) {
    if (isReadAsCopied) {
      return values.copy(value);
    }
    Object rebuilt = isRebuilt ? reader.rebuilt(value) : null;
    return rebuilt != null ? rebuilt : read(write(value));
  }

  /**
   * Writes a value.
   *
   * @param value the value
   * @return its bytes
   * @throws CloneException if it cannot be written
   */
  public byte[] write(Object value) {
    return values.encodePassed(value, !isReadAsCopied && !isRebuilt);
  }

  /**
   * Reads a value that another version of the program may have written. A component that a class
   * lacks is passed over, unless the value lacks one of the class at the same time: then it was
   * renamed, most likely.
   *
   * @param bytes the bytes
   * @return the value
   * @throws StructuredCloneException if it is none of the type
   */
  public @Nullable Object read(byte[] bytes) {
    return values.decodePassed(bytes, reader);
  }
}
