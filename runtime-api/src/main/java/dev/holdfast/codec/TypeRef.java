package dev.holdfast.codec;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;

/**
 * A type with its arguments, which a {@code Class} does not have. Made as an anonymous class:
 *
 * <pre>{@code
 * private static final TypeRef<List<Line>> LINES = new TypeRef<>() {};
 *
 * List<Line> lines = storage.get("lines", LINES).orElse(List.of());
 * }</pre>
 *
 * <p>Immutable, thread-safe. Two are equal if their types are.
 *
 * @param <T> the type
 */
// T is only in the class file of the subclass.
public abstract class TypeRef<T> {

  private final Type type;

  /**
   * Creates a reference to the type argument of the subclass.
   *
   * @throws IllegalArgumentException if the subclass gives no type argument, or a type variable of
   *     a method or class around it, whose value nobody knows at run time
   */
  protected TypeRef() {
    if (!(getClass().getGenericSuperclass() instanceof ParameterizedType direct)
        || direct.getRawType() != TypeRef.class) {
      throw new IllegalArgumentException(
          "A TypeRef is an anonymous class with a type argument: new TypeRef<List<Line>>() {}");
    }
    this.type = direct.getActualTypeArguments()[0];
    if (type instanceof TypeVariable<?> variable) {
      throw new IllegalArgumentException(
          "The type variable "
              + variable
              + " has no value at run time: write the type itself, as in new"
              + " TypeRef<List<Line>>() {}");
    }
  }

  /** {@return the type} */
  public final Type type() {
    return type;
  }

  @Override
  public final boolean equals(Object other) {
    return other instanceof TypeRef<?> that && type.equals(that.type);
  }

  @Override
  public final int hashCode() {
    return type.hashCode();
  }

  /** {@return the name of the type} */
  @Override
  public final String toString() {
    return type.getTypeName();
  }
}
