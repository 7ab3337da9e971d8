package dev.holdfast.log.ratis;

import java.lang.reflect.Field;

/** Private fields of Ratis, for what it has no option for. */
final class RatisInternals {

  private RatisInternals() {}

  /**
   * Reads a field.
   *
   * @throws IllegalStateException if Ratis is another version than this module was built with
   */
  static Object valueOf(Object owner, String name) {
    try {
      Field field = owner.getClass().getDeclaredField(name);
      field.setAccessible(true);
      return field.get(owner);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "Holdfast works with Apache Ratis 3.3.0, and the class path has another version."
              + " Remove that from the dependencies of the application",
          e);
    }
  }
}
