package dev.holdfast.clone;

import java.util.Collection;
import java.util.List;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * The reference's rule for arrays of numbers: if all elements are numbers and one of them is no
 * small integer, all are stored as doubles.
 */
final class NumberArrays {

  /** Tells whether a list is such an array. */
  static boolean areDoubles(Collection<?> elements) {
    boolean large = false;
    if (elements instanceof List<?> list && elements instanceof RandomAccess) {
      // Without an iterator: most lists end the search at their first element.
      for (int i = 0; i < list.size(); i++) {
        Object element = list.get(i);
        if (!isNumber(element)) {
          return false;
        }
        large |= !isSmall(element);
      }
      return large;
    }
    for (Object element : elements) {
      if (!isNumber(element)) {
        return false;
      }
      large |= !isSmall(element);
    }
    return large;
  }

  /** Tells whether a Java value is a JavaScript number, and not a BigInt. */
  private static boolean isNumber(@Nullable Object element) {
    return element instanceof Long number
        ? JsNumbers.isExactInteger(number)
        : element instanceof Integer
            || element instanceof Double
            || element instanceof Float
            || element instanceof Short
            || element instanceof Byte;
  }

  private static boolean isSmall(@Nullable Object number) {
    return switch (number) {
      case Long integer -> JsNumbers.isSmallInteger(integer);
      case Integer integer -> JsNumbers.isSmallInteger(integer);
      case Double _, Float _ -> false;
      case null, default -> true;
    };
  }

  /**
   * Makes the elements of an array that was stored as doubles only what a Java list of them would
   * have been written from: all {@code Long}, if there is one that only a long writes so and none
   * that is no integer; else all {@code Double}.
   */
  static void unify(List<@Nullable Object> doubles) {
    boolean anyLong = false;
    boolean allIntegers = true;
    for (Object element : doubles) {
      anyLong |= element instanceof Long;
      allIntegers &= element instanceof Long || isInteger((Double) element);
    }
    if (anyLong) {
      boolean longs = allIntegers;
      doubles.replaceAll(element -> longs ? longOf(element) : doubleOf(element));
    }
  }

  private static boolean isInteger(@Nullable Double value) {
    // Not -0, which has no long.
    return value != null
        && value == value.longValue()
        && JsNumbers.isExactInteger(value.longValue())
        && !value.equals(-0.0);
  }

  private static @Nullable Object longOf(@Nullable Object number) {
    return number instanceof Double value ? (Object) value.longValue() : number;
  }

  private static @Nullable Object doubleOf(@Nullable Object number) {
    return number instanceof Long value ? (Object) value.doubleValue() : number;
  }

  private NumberArrays() {}
}
