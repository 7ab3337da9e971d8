package dev.holdfast.clone;

import dev.holdfast.clone.internal.IdentityTable;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * Defines when two keys of a JavaScript {@code Map}, or elements of a {@code Set}, are the same:
 * primitives by value, with all numbers of one kind, NaN equal to itself and -0 to 0; objects by
 * identity.
 */
final class JsKey {

  private static final long EXACT_INTEGER_MAX = 1L << 53;

  /** Stands for a key that is a JavaScript object. */
  private record Identity(Object object) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Identity identity && IdentityTable.same(identity.object, object);
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(object);
    }
  }

  /**
   * Returns the representative of a key in a hash table. Never calls code of the key's own class.
   */
  static @Nullable Object of(@Nullable Object key) {
    return switch (key) {
      case null -> null;
      case String text -> text;
      case Long number -> ofInteger(number);
      case Double number -> ofDouble(number);
      case Float number -> ofDouble(number);
      case Byte number -> (long) number;
      case Short number -> (long) number;
      case Integer number -> (long) number;
      case Character character -> character.toString();
      case Boolean truth -> truth;
      case BigInteger number when number.getClass() == BigInteger.class -> number;
      case JsUndefined undefined -> undefined;
      case JsString text -> text.value();
      case Enum<?> constant -> constant.name();
      default -> new Identity(key);
    };
  }

  private static Object ofInteger(long number) {
    return Math.abs(number) <= EXACT_INTEGER_MAX && number != Long.MIN_VALUE
        ? (Object) number
        : BigInteger.valueOf(number);
  }

  private static Object ofDouble(double number) {
    long integer = (long) number;
    return integer == number && Math.abs(number) <= EXACT_INTEGER_MAX
        ? (Object) integer
        : (Object) number;
  }

  private JsKey() {}
}
