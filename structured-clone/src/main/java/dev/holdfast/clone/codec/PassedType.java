package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.JsValue;
import dev.holdfast.clone.StructuredCloneException;
import dev.holdfast.clone.codec.bytes.JsNumbers;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Currency;
import java.util.Date;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
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

  /**
   * Classes of the JDK that a value keeps on its way to another object where its declared type does
   * not say which one it is. A closed list: a mark is the place of a class in it, and nobody's
   * bytes name a class.
   */
  static final class PassedClasses {

    /** Stands for a value that its natural type describes. */
    static final int NONE = 0;

    /** Added to the mark of the content of an {@code Optional}. */
    static final int OPTIONAL = 0x80;

    /** Classes are only appended: their places, from 1 on, are part of the format. */
    private static final List<Class<?>> CLASSES =
        List.of(
            List.class,
            Set.class,
            Map.class,
            Integer.class,
            Short.class,
            Byte.class,
            Long.class,
            Double.class,
            Float.class,
            Character.class,
            BigDecimal.class,
            UUID.class,
            URI.class,
            Duration.class,
            Period.class,
            LocalDate.class,
            LocalTime.class,
            LocalDateTime.class,
            OffsetDateTime.class,
            OffsetTime.class,
            ZonedDateTime.class,
            Year.class,
            YearMonth.class,
            MonthDay.class,
            ZoneOffset.class,
            ZoneId.class,
            Currency.class,
            Locale.class,
            Date.class,
            short[].class,
            int[].class,
            long[].class,
            float[].class,
            double[].class);

    private static final Map<Class<?>, Integer> MARKS = new HashMap<>();

    static {
      CLASSES.forEach(each -> MARKS.put(each, MARKS.size() + 1));
    }

    private static final int LIST = markOf(List.class);
    private static final int SET = markOf(Set.class);
    private static final int MAP = markOf(Map.class);

    private static final ClassValue<Integer> BY_CLASS =
        new ClassValue<>() {
          @Override
          protected Integer computeValue(Class<?> type) {
            return markOf(type);
          }
        };

    private static int markOf(Class<?> type) {
      Integer known =
          MARKS.get(
              ZoneId.class.isAssignableFrom(type) && type != ZoneOffset.class
                  ? ZoneId.class
                  : type);
      if (known != null) {
        return known;
      }
      if (JsValue.class.isAssignableFrom(type)) {
        return NONE;
      }
      if (Set.class.isAssignableFrom(type)) {
        return SET;
      }
      if (Collection.class.isAssignableFrom(type)) {
        return LIST;
      }
      return Map.class.isAssignableFrom(type) ? MAP : NONE;
    }

    /** Returns the mark of a value; {@link #NONE} if its natural type has its class. */
    static int markOf(Object value) {
      return value instanceof Long number && JsNumbers.isExactInteger(number)
          ? NONE
          : BY_CLASS.get(value.getClass());
    }

    /** Returns what reads the values of a mark; null if there is no such mark. */
    static @Nullable TypeReader reader(int mark) {
      return mark <= CLASSES.size() ? TypeReaders.STANDARD.of(CLASSES.get(mark - 1)) : null;
    }

    private PassedClasses() {}
  }
}
