package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.codec.component.Components;
import dev.holdfast.clone.codec.component.Construction;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * A record, or a class whose constructor takes exactly its fields: what its components are, and how
 * an instance is made of them. For what stores values in another form, such as columns of a table.
 *
 * <p>Immutable, thread-safe.
 *
 * @param <T> the class
 */
public final class ValueClass<T> {

  private final Class<T> type;
  private final Components components;

  private ValueClass(Class<T> type, Components components) {
    this.type = type;
    this.components = components;
  }

  /**
   * Returns the components of a class.
   *
   * @param <T> the class
   * @param type the class
   * @return its components
   * @throws CloneException if it is neither a record nor a class with such a constructor, or is not
   *     accessible; the message states the reason
   */
  public static <T> ValueClass<T> of(Class<T> type) {
    Construction construction = Construction.of(type);
    if (!construction.isPossible()) {
      String refusal = construction.refusal();
      throw new CloneException(
          type.getTypeName()
              + " is neither a record nor a final class with a constructor that takes its fields"
              + (refusal.isEmpty() ? "" : ": " + refusal)
              + "; make it a record",
          type);
    }
    return new ValueClass<>(type, Components.of(type));
  }

  /** {@return the class} */
  public Class<T> type() {
    return type;
  }

  /** {@return the class, as messages name it} */
  public String described() {
    return components.described();
  }

  /** {@return how many components there are} */
  public int count() {
    return components.count();
  }

  /**
   * {@return the name of a component}
   *
   * @param index its index
   */
  public String name(int index) {
    return components.name(index);
  }

  /**
   * {@return the declared type of a component}
   *
   * @param index its index
   */
  public Type componentType(int index) {
    return components.type(index);
  }

  /**
   * {@return the index of a component; -1 if there is none}
   *
   * @param name its name, or an alias of it
   */
  public int indexOf(String name) {
    return components.indexOf(name);
  }

  /**
   * Returns an instance.
   *
   * @param values of the components, in their order
   * @return the instance
   * @throws CloneException if the constructor refuses them, with its exception as the cause
   */
  public T create(@Nullable Object[] values) {
    return type.cast(components.create(values));
  }
}
