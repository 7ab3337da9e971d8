package dev.holdfast.clone.codec.component;

import dev.holdfast.clone.CloneException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A value class of Kotlin: a class that is its one property wherever the compiler can do without an
 * instance. So an instance is stored as the property, too.
 *
 * <p>Immutable, thread-safe.
 */
public final class InlineClass {

  private static final String ANNOTATION = "kotlin.jvm.JvmInline";

  private static final ClassValue<@Nullable InlineClass> CLASSES =
      new ClassValue<>() {
        @Override
        protected @Nullable InlineClass computeValue(Class<?> type) {
          return find(type);
        }
      };

  private final Class<?> type;
  private final Field property;
  private final Method unbox;
  private final Method check;
  private final Method box;

  private InlineClass(Class<?> type, Field property, Method unbox, Method check, Method box) {
    this.type = type;
    this.property = property;
    this.unbox = unbox;
    this.check = check;
    this.box = box;
  }

  /**
   * Returns a value class.
   *
   * @param type any class
   * @return null if it is none
   */
  public static @Nullable InlineClass of(Class<?> type) {
    return CLASSES.get(type);
  }

  private static @Nullable InlineClass find(Class<?> type) {
    boolean isInline =
        Arrays.stream(type.getDeclaredAnnotations())
            .anyMatch(each -> each.annotationType().getName().equals(ANNOTATION));
    if (!isInline) {
      return null;
    }
    try {
      for (Field field : type.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          Class<?> content = field.getType();
          return new InlineClass(
              type,
              field,
              type.getDeclaredMethod("unbox-impl"),
              type.getDeclaredMethod("constructor-impl", content),
              type.getDeclaredMethod("box-impl", content));
        }
      }
      return null;
    } catch (NoSuchMethodException e) {
      return null; // of a compiler that names them otherwise: no value
    }
  }

  /** {@return the class of the property} */
  public Class<?> contentClass() {
    return property.getType();
  }

  /** {@return the type of the property} */
  public Type contentType() {
    return property.getGenericType();
  }

  /**
   * {@return the property of an instance}
   *
   * @param instance the instance
   */
  public @Nullable Object unbox(Object instance) {
    return invoke(unbox, instance, new Object[0]);
  }

  /**
   * Makes an instance. What its initializer checks is checked.
   *
   * @param content the property
   * @return the instance
   * @throws CloneException if the initializer refuses it
   */
  public Object box(@Nullable Object content) {
    Object checked = invoke(check, null, new @Nullable Object[] {content});
    Object boxed = invoke(box, null, new @Nullable Object[] {checked});
    if (boxed == null) {
      throw new IllegalStateException("no instance of " + type);
    }
    return boxed;
  }

  @SuppressWarnings("NullAway") // static methods have no instance
  private @Nullable Object invoke(
      Method method, @Nullable Object instance, @Nullable Object[] arguments) {
    try {
      if (!method.trySetAccessible()) {
        throw new CloneException(
            "value class " + type.getTypeName() + " is not accessible; open its package", type);
      }
      return method.invoke(instance, arguments);
    } catch (InvocationTargetException e) {
      throw new CloneException(
          "value class " + type.getTypeName() + " refused the value: " + e.getCause(), type, e);
    } catch (IllegalAccessException | IllegalArgumentException e) {
      throw new CloneException(
          "value class " + type.getTypeName() + " cannot be used: " + e, type, e);
    }
  }
}
