package dev.holdfast.clone.codec.bytes;

import java.util.Collection;
import java.util.List;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * The reference's rule for arrays of numbers: if all elements are numbers and at least one is not a
 * small integer, all are stored as doubles.
 */
public final class NumberArrays {

  /**
   * Writes the leading numbers of an array: all elements as doubles if the reference does so,
   * otherwise the small integers at its start.
   *
   * @return the number of elements written
   */
  public static int write(ByteSink out, Collection<?> elements, int size) {
    int start = out.position();
    int integers =
        elements instanceof RandomAccess && elements instanceof List<?> list
            ? out.leadingIntegers(list)
            : 0;
    // Only now check the other elements: most arrays of numbers contain small integers only.
    if (integers == size || !areDoubles(elements, integers)) {
      return integers;
    }
    out.rewind(start);
    int count = 0;
    for (Object element : elements) {
      if (element instanceof Number number) {
        out.taggedDouble(WireTag.DOUBLE, number.doubleValue());
        count++;
      }
    }
    return count;
  }

  /** Returns whether all elements are numbers and at least one is not a small integer. */
  private static boolean areDoubles(Collection<?> elements, int leadingIntegers) {
    boolean large = false;
    int index = 0;
    for (Object element : elements) {
      if (index++ < leadingIntegers) {
        continue;
      }
      if (!isNumber(element)) {
        return false;
      }
      large |= !isSmallInteger(element);
    }
    return large;
  }

  /** Returns whether a Java value is a JavaScript number, and not a BigInt. */
  private static boolean isNumber(@Nullable Object element) {
    return element instanceof Long number
        ? JsNumbers.isExactInteger(number)
        : element instanceof Integer
            || element instanceof Double
            || element instanceof Float
            || element instanceof Short
            || element instanceof Byte;
  }

  /** Returns whether a Java value is a number that is not written as a double. */
  private static boolean isSmallInteger(@Nullable Object element) {
    if (element instanceof Long number) {
      return JsNumbers.isSmallInteger(number);
    }
    return element instanceof Integer number
        ? JsNumbers.isSmallInteger(number)
        : element instanceof Short || element instanceof Byte;
  }

  /**
   * Converts the elements of an array that was stored as doubles to the Java types that they were
   * probably written from: all {@code Long}, if one of them is written this way only from a long
   * and all are integers; otherwise all {@code Double}.
   */
  public static void unify(List<@Nullable Object> doubles) {
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
    // Not -0, which no long represents.
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
