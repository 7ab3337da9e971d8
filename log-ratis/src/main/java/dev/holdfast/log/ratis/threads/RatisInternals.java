package dev.holdfast.log.ratis.threads;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Private fields and methods of Ratis, for what it has no option for. */
public final class RatisInternals {

  private record Name(Class<?> owner, String field) {}

  /** Some are read for each heartbeat. */
  private static final Map<Name, Field> KNOWN = new ConcurrentHashMap<>();

  private RatisInternals() {}

  /**
   * Reads a field.
   *
   * @param owner has it
   * @param name its name
   * @return what it has
   * @throws IllegalStateException if Ratis is another version than this module was built with
   */
  public static Object valueOf(Object owner, String name) {
    Object value = find(owner, name);
    if (value == null) {
      throw otherVersion(new NoSuchFieldException(name + " is empty"));
    }
    return value;
  }

  /**
   * Reads a field that may be empty.
   *
   * @param owner has it
   * @param name its name
   * @return what it has
   * @throws IllegalStateException if Ratis is another version than this module was built with
   */
  public static @Nullable Object find(Object owner, String name) {
    try {
      return field(owner, name).get(owner);
    } catch (ReflectiveOperationException e) {
      throw otherVersion(e);
    }
  }

  /**
   * Sets a field.
   *
   * @param owner has it
   * @param name its name
   * @param value what it has from now on
   * @throws IllegalStateException if Ratis is another version than this module was built with
   */
  public static void set(Object owner, String name, @Nullable Object value) {
    try {
      field(owner, name).set(owner, value);
    } catch (ReflectiveOperationException e) {
      throw otherVersion(e);
    }
  }

  /**
   * Calls a method that returns nothing.
   *
   * @param owner has it
   * @param name its name
   * @param arguments all that it takes
   * @throws IllegalStateException if it fails, or Ratis is another version than this module was
   *     built with
   */
  public static void call(Object owner, String name, Boolean... arguments) {
    Class<?>[] types = new Class<?>[arguments.length];
    Arrays.fill(types, boolean.class);
    try {
      Method method = owner.getClass().getDeclaredMethod(name, types);
      method.setAccessible(true);
      method.invoke(owner, (Object[]) arguments);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException("Ratis failed in " + name, e.getCause());
    } catch (ReflectiveOperationException e) {
      throw otherVersion(e);
    }
  }

  private static Field field(Object owner, String name) throws NoSuchFieldException {
    Name key = new Name(owner.getClass(), name);
    Field known = KNOWN.get(key);
    if (known != null) {
      return known;
    }
    Field field = declared(owner.getClass(), name);
    field.setAccessible(true);
    KNOWN.put(key, field);
    return field;
  }

  private static Field declared(Class<?> type, String name) throws NoSuchFieldException {
    try {
      return type.getDeclaredField(name);
    } catch (NoSuchFieldException e) {
      Class<?> parent = type.getSuperclass();
      if (parent == null) {
        throw e;
      }
      return declared(parent, name);
    }
  }

  private static IllegalStateException otherVersion(ReflectiveOperationException cause) {
    return new IllegalStateException(
        "Holdfast works with Apache Ratis 3.3.0, and the class path has another version."
            + " Remove that from the dependencies of the application",
        cause);
  }
}
