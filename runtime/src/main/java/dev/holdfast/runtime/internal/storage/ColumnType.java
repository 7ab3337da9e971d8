package dev.holdfast.runtime.internal.storage;

import dev.holdfast.clone.StructuredCloneException;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.clone.codec.ValueClass;
import dev.holdfast.clone.codec.ValueConverter;
import java.lang.invoke.MethodType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Converts values of SQLite to a Java type: exactly, or not at all. Immutable.
 *
 * @param type the Java type, never primitive
 * @param isNullable whether it can hold NULL
 * @param converter converts a value; returns null if the value does not fit
 */
record ColumnType(Class<?> type, boolean isNullable, Function<Object, @Nullable Object> converter) {

  private static final Map<Class<?>, Function<Object, @Nullable Object>> CONVERTERS =
      new HashMap<>();

  static {
    CONVERTERS.put(Object.class, value -> value);
    CONVERTERS.put(Long.class, value -> value instanceof Long number ? number : null);
    CONVERTERS.put(
        Integer.class,
        value ->
            within(value, Integer.MIN_VALUE, Integer.MAX_VALUE)
                ? (Object) ((Long) value).intValue()
                : null);
    CONVERTERS.put(
        Short.class,
        value ->
            within(value, Short.MIN_VALUE, Short.MAX_VALUE)
                ? (Object) ((Long) value).shortValue()
                : null);
    CONVERTERS.put(
        Byte.class,
        value ->
            within(value, Byte.MIN_VALUE, Byte.MAX_VALUE)
                ? (Object) ((Long) value).byteValue()
                : null);
    CONVERTERS.put(
        Boolean.class, value -> within(value, 0, 1) ? (Object) ((Long) value == 1) : null);
    CONVERTERS.put(Double.class, ColumnType::toDouble);
    CONVERTERS.put(Float.class, ColumnType::toFloat);
    CONVERTERS.put(String.class, value -> value instanceof String text ? text : null);
    CONVERTERS.put(byte[].class, value -> value instanceof byte[] bytes ? bytes : null);
    CONVERTERS.put(BigInteger.class, ColumnType::toBigInteger);
    CONVERTERS.put(BigDecimal.class, ColumnType::toBigDecimal);
    CONVERTERS.put(Character.class, ColumnType::toCharacter);
    CONVERTERS.put(
        Instant.class, value -> value instanceof Long millis ? Instant.ofEpochMilli(millis) : null);
  }

  /** Returns the type of a component of a record or a class. */
  static ColumnType of(ValueClass<?> target, int index, Columns columns) {
    Type generic = target.componentType(index);
    Class<?> declared = rawOf(generic);
    boolean isOptional = declared == Optional.class;
    if (isOptional) {
      declared = contentOf(generic);
    }
    ColumnType type = of(declared, columns.values());
    if (type == null) {
      throw columns.refusal(
          "The component \""
              + target.name(index)
              + "\" of "
              + target.type().getName()
              + " is a "
              + generic.getTypeName()
              + ", which SQLite has no value for. Declare it as String, long or the like, and"
              + " convert it in the record, or give the namespace a codec for it.");
    }
    return isOptional ? type.optional() : type;
  }

  /** Returns how values of a Java type are read from a column; null if they cannot be. */
  static @Nullable ColumnType of(Class<?> declared, StructuredClone values) {
    Class<?> boxed = MethodType.methodType(declared).wrap().returnType();
    ValueConverter codec = values.converterOf(boxed);
    if (codec != null) {
      ColumnType stored = of(codec.storedType(), values);
      return stored == null ? null : stored.converted(boxed, codec);
    }
    Function<Object, @Nullable Object> converter =
        boxed.isEnum()
            ? value -> parsed(boxed, value)
            : CONVERTERS.getOrDefault(
                boxed, StructuredClone.hasText(boxed) ? value -> parsed(boxed, value) : null);
    return converter == null ? null : new ColumnType(boxed, !declared.isPrimitive(), converter);
  }

  /** {@return the class of a type; {@code Object} for a type variable} */
  private static Class<?> rawOf(Type type) {
    return switch (type) {
      case Class<?> declared -> declared;
      case ParameterizedType parameterized -> (Class<?>) parameterized.getRawType();
      default -> Object.class;
    };
  }

  private static Class<?> contentOf(Type optional) {
    return optional instanceof ParameterizedType type
            && type.getActualTypeArguments()[0] instanceof Class<?> content
        ? content
        : Object.class;
  }

  private ColumnType optional() {
    return new ColumnType(
        Optional.class,
        /* isNullable= */ false,
        value -> {
          Object content = converter.apply(value);
          return content == null ? null : Optional.of(content);
        });
  }

  private ColumnType converted(Class<?> target, ValueConverter codec) {
    return new ColumnType(
        target,
        /* isNullable= */ true,
        value -> {
          Object stored = converter.apply(value);
          return stored == null ? null : codec.fromStored(stored, target);
        });
  }

  private static @Nullable Object parsed(Class<?> type, Object value) {
    try {
      return value instanceof String text ? StructuredClone.ofText(text, type) : null;
    } catch (StructuredCloneException e) {
      return null;
    }
  }

  /** Converts the value of a component. */
  @Nullable Object convert(@Nullable Object value, String component, Columns columns) {
    return convert(
        value, "the component \"" + component + "\"", "Declare the component as ", columns);
  }

  /** Converts the value of a column. */
  @Nullable Object convertColumn(@Nullable Object value, String column, Columns columns) {
    return convert(value, "\"" + column + "\"", "Ask for ", columns);
  }

  private @Nullable Object convert(
      @Nullable Object value, String place, String advice, Columns columns) {
    if (value == null && type == Optional.class) {
      return Optional.empty();
    }
    if (value == null && isNullable) {
      return null;
    }
    if (value == null) {
      throw columns.refusal(
          "The column of "
              + place
              + " is NULL, which a primitive component cannot hold. "
              + advice
              + type.getSimpleName()
              + ", or replace NULL in the query with COALESCE.");
    }
    Object converted = converter.apply(value);
    if (converted == null) {
      throw columns.refusal(
          "The value of "
              + place
              + " does not fit "
              + type.getSimpleName()
              + ": it is a "
              + value.getClass().getSimpleName()
              + (value instanceof Number ? ", " + value : "")
              + ". "
              + advice
              + "another type, or CAST the column.");
    }
    return converted;
  }

  private static boolean within(Object value, long min, long max) {
    return value instanceof Long number && number >= min && number <= max;
  }

  private static @Nullable Object toDouble(Object value) {
    return switch (value) {
      case Double number -> number;
      case Long number when (long) (double) number == number && number != Long.MAX_VALUE ->
          (double) number;
      default -> null;
    };
  }

  private static @Nullable Object toFloat(Object value) {
    Object number = toDouble(value);
    return number instanceof Double exact && (exact.isNaN() || (double) exact.floatValue() == exact)
        ? exact.floatValue()
        : null;
  }

  private static @Nullable Object toCharacter(Object value) {
    return value instanceof String text && text.length() == 1 ? (Object) text.charAt(0) : null;
  }

  private static @Nullable Object toBigInteger(Object value) {
    return value instanceof Long number ? BigInteger.valueOf(number) : null;
  }

  private static @Nullable Object toBigDecimal(Object value) {
    return switch (value) {
      case Long number -> BigDecimal.valueOf(number);
      case Double number when Double.isFinite(number) -> new BigDecimal(number);
      case String text -> parsed(text);
      default -> null;
    };
  }

  private static @Nullable BigDecimal parsed(String text) {
    try {
      return new BigDecimal(text);
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
