package dev.holdfast.clone.codec;

import static java.time.temporal.ChronoUnit.MILLIS;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.JsValue;
import dev.holdfast.clone.codec.bytes.WireTag;
import dev.holdfast.value.Alias;
import dev.holdfast.value.Fallback;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Readers of numbers, strings, dates and enums. */
final class ScalarReaders {

  private static final Map<Class<?>, TypeReader> READERS = new HashMap<>();

  /** Types that names of properties, and texts of defaults, are read as. */
  private static final Map<Class<?>, Function<String, Object>> NAMES = new HashMap<>();

  static {
    named(long.class, Long.class, Long::valueOf);
    named(int.class, Integer.class, Integer::valueOf);
    named(short.class, Short.class, Short::valueOf);
    named(byte.class, Byte.class, Byte::valueOf);
    named(double.class, Double.class, Double::valueOf);
    named(float.class, Float.class, Float::valueOf);
    named(boolean.class, Boolean.class, ScalarReaders::truth);
    named(BigInteger.class, BigInteger.class, BigInteger::new);
    named(Instant.class, Instant.class, text -> Instant.parse(text).truncatedTo(MILLIS));
    register(boolean.class, Boolean.class, ScalarReaders::readBoolean);
    register(long.class, Long.class, ScalarReaders::readLong);
    register(int.class, Integer.class, ScalarReaders::readInt);
    register(short.class, Short.class, ScalarReaders::readShort);
    register(byte.class, Byte.class, ScalarReaders::readByte);
    register(double.class, Double.class, ScalarReaders::readDouble);
    register(float.class, Float.class, ScalarReaders::readFloat);
    register(char.class, Character.class, ScalarReaders::readChar);
    READERS.put(String.class, new Scalar(String.class, ScalarReaders::readText));
    READERS.put(CharSequence.class, new Scalar(CharSequence.class, ScalarReaders::readText));
    READERS.put(BigInteger.class, new Scalar(BigInteger.class, ScalarReaders::readBigInteger));
    READERS.put(Number.class, new Scalar(Number.class, ScalarReaders::readNumber));
    READERS.put(Instant.class, new Scalar(Instant.class, ScalarReaders::readInstant));
    READERS.put(Date.class, new Scalar(Date.class, ScalarReaders::readDate));
  }

  private static void named(Class<?> primitive, Class<?> boxed, Function<String, Object> parser) {
    NAMES.put(primitive, parser);
    NAMES.put(boxed, parser);
  }

  private static Object truth(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("neither true nor false");
    };
  }

  private static void register(Class<?> primitive, Class<?> boxed, Parsing parsing) {
    READERS.put(primitive, new Scalar(primitive, parsing));
    READERS.put(boxed, new Scalar(boxed, parsing));
  }

  static @Nullable TypeReader of(Class<?> type) {
    if (type.isEnum() && !JsValue.class.isAssignableFrom(type)) {
      Map<String, Object> constants = constantsOf(type);
      Object fallback = fallbackOf(type);
      return new NamedReader(type, name -> constants.getOrDefault(name, fallback));
    }
    Function<String, Object> parser = TextForms.parser(type);
    return parser == null ? READERS.get(type) : new NamedReader(type, parser::apply);
  }

  private static Map<String, Object> constantsOf(Class<?> type) {
    Map<String, Object> constants = new HashMap<>();
    for (Object constant : type.getEnumConstants()) {
      constants.put(((Enum<?>) constant).name(), constant);
    }
    for (Object constant : type.getEnumConstants()) {
      Alias alias = fieldOf(constant, type).getAnnotation(Alias.class);
      for (String name : alias == null ? new String[0] : alias.value()) {
        Object other = constants.putIfAbsent(name, constant);
        if (other != null) {
          throw new CloneException(
              "@Alias(\"" + name + "\") of " + constant + " is also a name of " + other, type);
        }
      }
    }
    return constants;
  }

  /** Returns the constant that stands for unknown names; null if the enum has none. */
  private static @Nullable Object fallbackOf(Class<?> type) {
    Object found = null;
    for (Object constant : type.getEnumConstants()) {
      if (fieldOf(constant, type).isAnnotationPresent(Fallback.class)) {
        if (found != null) {
          throw new CloneException(
              type.getTypeName() + " has @Fallback twice: " + found + " and " + constant, type);
        }
        found = constant;
      }
    }
    return found;
  }

  private static Field fieldOf(Object constant, Class<?> type) {
    try {
      return type.getField(((Enum<?>) constant).name());
    } catch (NoSuchFieldException e) {
      throw new IllegalStateException("an enum without the field of its constant: " + type, e);
    }
  }

  /** Reads the bytes after a tag; null if the tag does not begin a value of this type. */
  @FunctionalInterface
  private interface Parsing {
    @Nullable Object read(Decoder in, int tag);
  }

  /** Creates a value from a text; null if no value has that name. */
  @FunctionalInterface
  private interface TextParser {
    @Nullable Object parse(String text);
  }

  /** A type that contains no other types. */
  private static final class Scalar extends TypeReader {

    private final Parsing parsing;

    Scalar(Class<?> type, Parsing parsing) {
      super(type);
      this.parsing = parsing;
    }

    @Override
    @Nullable Object read(Decoder in, int tag) {
      Object value = parsing.read(in, tag);
      return value != null ? value : nothing(tag);
    }

    private @Nullable Object nothing(int tag) {
      if (tag == WireTag.NULL || tag == WireTag.UNDEFINED) {
        if (type().isPrimitive()) {
          throw mismatch(tag);
        }
        return null;
      }
      throw mismatch(
          tag == WireTag.INT32
                  || tag == WireTag.UINT32
                  || tag == WireTag.DOUBLE
                  || tag == WireTag.BIG_INT
              ? "a number that it cannot hold exactly"
              : WireTag.name(tag));
    }

    @Override
    Object ofName(String name) {
      if (type() == String.class || type() == CharSequence.class) {
        return name;
      }
      Function<String, Object> parser = NAMES.get(type());
      if (parser == null) {
        return super.ofName(name);
      }
      try {
        return parser.apply(name);
      } catch (RuntimeException e) {
        throw new CloneException(
            "expected " + type().getTypeName() + ", found a name: " + name, type(), e);
      }
    }

    @Override
    boolean isLeaf() {
      return true;
    }

    /** A class below the declared one is not read again. */
    @Override
    boolean isReadAsCopied(Set<TypeReader> checked) {
      return type() == BigInteger.class || Modifier.isFinal(type().getModifiers());
    }
  }

  /** A type whose values are written as a string: enums and the classes of {@link TextForms}. */
  private static final class NamedReader extends TypeReader {

    private final TextParser parser;

    NamedReader(Class<?> type, TextParser parser) {
      super(type);
      this.parser = parser;
    }

    @Override
    @Nullable Object read(Decoder in, int tag) {
      if (tag == WireTag.NULL || tag == WireTag.UNDEFINED) {
        return null;
      }
      String text = readText(in, tag);
      if (text == null) {
        throw mismatch(tag);
      }
      return ofName(text);
    }

    @Override
    Object ofName(String name) {
      Object value;
      try {
        value = parser.parse(name);
      } catch (RuntimeException e) {
        throw new CloneException(
            "expected " + type().getTypeName() + ", found \"" + name + "\"", type(), e);
      }
      if (value == null) {
        throw mismatch("\"" + name + "\"");
      }
      return value;
    }

    @Override
    boolean isLeaf() {
      return true;
    }

    @Override
    boolean isReadAsCopied(Set<TypeReader> checked) {
      return true;
    }
  }

  private static @Nullable String readText(Decoder in, int tag) {
    return switch (tag) {
      case WireTag.ONE_BYTE_STRING -> in.in().oneByteString();
      case WireTag.TWO_BYTE_STRING -> in.in().twoByteString();
      case WireTag.UTF8_STRING -> in.in().utf8String();
      default -> null;
    };
  }

  private static @Nullable Object readBoolean(Decoder in, int tag) {
    return tag == WireTag.TRUE ? Boolean.TRUE : tag == WireTag.FALSE ? Boolean.FALSE : null;
  }

  private static @Nullable Object readNumber(Decoder in, int tag) {
    return switch (tag) {
      case WireTag.INT32, WireTag.UINT32, WireTag.DOUBLE, WireTag.BIG_INT -> in.read(tag);
      default -> null;
    };
  }

  private static @Nullable Object readLong(Decoder in, int tag) {
    return switch (tag) {
      case WireTag.INT32 -> (long) in.in().int32();
      case WireTag.UINT32 -> Integer.toUnsignedLong(in.in().varint());
      case WireTag.DOUBLE -> exactLong(in.in().float64());
      case WireTag.BIG_INT -> exactLong(in.in().bigInt());
      default -> null;
    };
  }

  private static @Nullable Long exactLong(double number) {
    long integer = (long) number;
    // The second half: 2^63 becomes the greatest long, which as a double is 2^63 again.
    return (double) integer == number && integer != Long.MAX_VALUE ? (Long) integer : null;
  }

  private static @Nullable Long exactLong(BigInteger number) {
    return number.bitLength() < Long.SIZE ? (Long) number.longValue() : null;
  }

  private static @Nullable Object readInt(Decoder in, int tag) {
    Long value = (Long) readLong(in, tag);
    return value != null && value == value.intValue() ? (Integer) value.intValue() : null;
  }

  private static @Nullable Object readShort(Decoder in, int tag) {
    Long value = (Long) readLong(in, tag);
    return value != null && value == value.shortValue() ? (Short) value.shortValue() : null;
  }

  private static @Nullable Object readByte(Decoder in, int tag) {
    Long value = (Long) readLong(in, tag);
    return value != null && value == value.byteValue() ? (Byte) value.byteValue() : null;
  }

  private static @Nullable Object readDouble(Decoder in, int tag) {
    return switch (tag) {
      case WireTag.DOUBLE -> in.in().float64();
      case WireTag.INT32 -> (double) in.in().int32();
      case WireTag.UINT32 -> (double) Integer.toUnsignedLong(in.in().varint());
      default -> null;
    };
  }

  private static @Nullable Object readFloat(Decoder in, int tag) {
    Double value = (Double) readDouble(in, tag);
    return value != null && value.equals((double) value.floatValue()) ? value.floatValue() : null;
  }

  private static @Nullable Object readChar(Decoder in, int tag) {
    String text = readText(in, tag);
    return text != null && text.length() == 1 ? text.charAt(0) : null;
  }

  private static @Nullable Object readBigInteger(Decoder in, int tag) {
    if (tag == WireTag.BIG_INT) {
      return in.in().bigInt();
    }
    Long value = (Long) readLong(in, tag);
    return value == null ? null : BigInteger.valueOf(value);
  }

  private static @Nullable Object readInstant(Decoder in, int tag) {
    Object date = readTime(in, tag);
    return date instanceof Date old ? old.toInstant() : date instanceof Instant ? date : null;
  }

  private static @Nullable Object readDate(Decoder in, int tag) {
    Object date = readTime(in, tag);
    if (date instanceof Instant instant) {
      Date old = Date.from(instant);
      if (tag == WireTag.DATE) {
        in.set(in.last(), old);
      }
      return old;
    }
    return date instanceof Date ? date : null;
  }

  private static @Nullable Object readTime(Decoder in, int tag) {
    return tag == WireTag.DATE || tag == WireTag.REFERENCE ? in.read(tag) : null;
  }

  private ScalarReaders() {}
}
