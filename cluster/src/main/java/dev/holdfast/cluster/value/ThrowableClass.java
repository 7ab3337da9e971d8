package dev.holdfast.cluster.value;

import dev.holdfast.clone.StructuredCloneException;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.value.Name;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A class of exceptions that {@link FailureClasses} does not list: of an application or a library.
 * An exception is its message, its cause and the fields of its class and of those above it, up to
 * the JDK's. It is made again by a constructor that is not private and takes the fields by their
 * names, beside {@code message} and {@code cause}; without fields, by one of the usual four.
 *
 * <p>Immutable.
 */
final class ThrowableClass {

  /** As texts of a frame have at most 65,535 bytes. */
  private static final int FIELD_BYTES_MAX = 49_100;

  /** As many details has an exception in a frame. */
  private static final int FIELDS_MAX = 16;

  private static final List<List<Class<?>>> USUAL =
      List.of(
          List.of(String.class, Throwable.class),
          List.of(String.class),
          List.of(Throwable.class),
          List.of());

  private static final ClassValue<ThrowableClass> CLASSES =
      new ClassValue<>() {
        @Override
        protected ThrowableClass computeValue(Class<?> type) {
          return new ThrowableClass(type);
        }
      };

  private final Class<?> type;
  private final Map<String, Field> fields = new LinkedHashMap<>();

  private ThrowableClass(Class<?> type) {
    this.type = type;
    for (Class<?> each = type; !isOfTheJdk(each); each = each.getSuperclass()) {
      for (Field field : each.getDeclaredFields()) {
        int modifiers = field.getModifiers();
        if (!Modifier.isStatic(modifiers)
            && !Modifier.isTransient(modifiers)
            && !field.isSynthetic()) {
          fields.put(field.getName(), field);
        }
      }
    }
  }

  private static boolean isOfTheJdk(Class<?> type) {
    String module = type.getModule().getName();
    return module != null && (module.startsWith("java.") || module.startsWith("jdk."));
  }

  static ThrowableClass of(Class<?> type) {
    return CLASSES.get(type);
  }

  /**
   * Finds a class that another node has named. Nothing of a class runs that is not one of
   * exceptions.
   *
   * @param loader of the interface that was called
   * @return the class; null if there is none such
   */
  static @Nullable ThrowableClass find(String name, @Nullable ClassLoader loader) {
    try {
      Class<?> found = Class.forName(name, /* initialize= */ false, loader);
      boolean isException =
          Throwable.class.isAssignableFrom(found) && !Modifier.isAbstract(found.getModifiers());
      return isException ? of(found) : null;
    } catch (ClassNotFoundException | LinkageError e) {
      return null; // of another version of the application
    }
  }

  /** {@return the fields of an exception as texts; empty if it has none, or one cannot travel} */
  List<String> details(Throwable failure) {
    List<String> details = new ArrayList<>();
    try {
      for (Field field : fields.values()) {
        if (!field.trySetAccessible()) {
          return List.of();
        }
        byte[] value = StructuredClone.standard().encodeReadable(field.get(failure));
        details.add(field.getName() + "=" + Base64.getEncoder().encodeToString(value));
        if (value.length > FIELD_BYTES_MAX || details.size() > FIELDS_MAX) {
          return List.of();
        }
      }
    } catch (StructuredCloneException | IllegalAccessException e) {
      return List.of(); // it cannot be made again elsewhere
    }
    return details;
  }

  /** Makes an exception of this class; null if it has no constructor for that. */
  @Nullable Throwable make(
      @Nullable String message, List<String> details, @Nullable Throwable cause) {
    try {
      return fields.isEmpty() ? makeUsual(message, cause) : makeOfFields(message, details, cause);
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return null; // it becomes a RemoteObjectException, which has all that is known
    }
  }

  private @Nullable Throwable makeUsual(@Nullable String message, @Nullable Throwable cause)
      throws ReflectiveOperationException {
    for (List<Class<?>> parameters : USUAL) {
      Constructor<?> constructor = constructor(parameters);
      if (constructor != null) {
        Object[] arguments =
            parameters.stream().map(each -> each == String.class ? message : cause).toArray();
        return caused((Throwable) constructor.newInstance(arguments), cause);
      }
    }
    return null;
  }

  private @Nullable Constructor<?> constructor(List<Class<?>> parameters) {
    try {
      Constructor<?> found = type.getDeclaredConstructor(parameters.toArray(Class<?>[]::new));
      return isOpen(found) ? found : null;
    } catch (NoSuchMethodException e) {
      return null;
    }
  }

  private static boolean isOpen(Constructor<?> constructor) {
    return !Modifier.isPrivate(constructor.getModifiers()) && constructor.trySetAccessible();
  }

  private @Nullable Throwable makeOfFields(
      @Nullable String message, List<String> details, @Nullable Throwable cause)
      throws ReflectiveOperationException {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    for (String detail : details) {
      int end = detail.indexOf('=');
      Field field = fields.get(detail.substring(0, Math.max(end, 0)));
      if (field != null) {
        byte[] value = Base64.getDecoder().decode(detail.substring(end + 1));
        values.put(
            field.getName(),
            StructuredClone.standard().passed(field.getGenericType(), type, type).read(value));
      }
    }
    for (Constructor<?> constructor : type.getDeclaredConstructors()) {
      @Nullable Object @Nullable [] arguments = arguments(constructor, values, message, cause);
      if (arguments != null && isOpen(constructor)) {
        return caused((Throwable) constructor.newInstance(arguments), cause);
      }
    }
    return null;
  }

  /** {@return what a constructor takes; null if it does not take all fields, or something else} */
  private @Nullable Object @Nullable [] arguments(
      Constructor<?> constructor,
      Map<String, @Nullable Object> values,
      @Nullable String message,
      @Nullable Throwable cause) {
    Parameter[] parameters = constructor.getParameters();
    @Nullable Object[] arguments = new @Nullable Object[parameters.length];
    int taken = 0;
    for (int i = 0; i < parameters.length; i++) {
      Name given = parameters[i].getAnnotation(Name.class);
      String name = given == null ? parameters[i].getName() : given.value();
      Field field = fields.get(name);
      if (field != null && field.getType() == parameters[i].getType() && values.containsKey(name)) {
        arguments[i] = values.get(name);
        taken++;
      } else if (name.equals("message") && parameters[i].getType() == String.class) {
        arguments[i] = message;
      } else if (name.equals("cause") && parameters[i].getType().isInstance(cause)) {
        arguments[i] = cause;
      } else if (!name.equals("cause") || cause != null || parameters[i].getType().isPrimitive()) {
        return null;
      }
    }
    return taken == fields.size() ? arguments : null;
  }

  private static Throwable caused(Throwable made, @Nullable Throwable cause) {
    return cause == null || made.getCause() != null ? made : made.initCause(cause);
  }
}
