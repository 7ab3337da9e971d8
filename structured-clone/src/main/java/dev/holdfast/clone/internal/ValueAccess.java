package dev.holdfast.clone.internal;

import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * What the codec may do with values and applications may not: values keep the form in which they
 * were stored, and only the codec reads or changes it. The package of the values registers the
 * implementation, so that none of this is public there.
 *
 * @param <A> arrays
 * @param <O> objects
 * @param <E> errors
 * @param <R> regular expressions
 */
public abstract class ValueAccess<A, O, E, R> {

  private static volatile @Nullable ValueAccess<?, ?, ?, ?> registered;

  /** Registers the implementation; called once, when a class of values is initialized. */
  public static void register(ValueAccess<?, ?, ?, ?> access) {
    registered = access;
  }

  /** Returns the registered implementation. */
  public static ValueAccess<?, ?, ?, ?> registered() {
    ValueAccess<?, ?, ?, ?> access = registered;
    if (access == null) {
      throw new IllegalStateException("the class of values that registers is not initialized");
    }
    return access;
  }

  /** Returns an array of holes with the length and form of another array. */
  public abstract A emptyArrayLike(A other);

  /** Sets an element and keeps the form in which numbers were stored. */
  public abstract void append(A array, long index, @Nullable Object element);

  /** Appends a hole at the end. */
  public abstract void appendHole(A array);

  /** Returns the elements before the first hole: the list itself, not a copy. */
  public abstract List<@Nullable Object> packed(A array);

  /** Returns the elements after the first hole, by index: the map itself, not a copy. */
  public abstract SequencedMap<Long, @Nullable Object> scattered(A array);

  /** Returns whether numbers are written by their Java types even if all elements are numbers. */
  public abstract boolean numbersAsTheyAre(A array);

  /** Makes numbers be written by their Java types. */
  public abstract void setNumbersAsTheyAre(A array);

  /** Returns an object without properties that stores names in the same form as another object. */
  public abstract O emptyObjectLike(O other);

  /** Makes a name be stored with two bytes per character although one is enough. */
  public abstract void addWideName(O object, String name);

  /** Returns whether a name is stored with two bytes per character although one is enough. */
  public abstract boolean isWideName(O object, String name);

  /** Returns an error; JavaScript allows any value as its name. */
  public abstract E error(
      boolean plain, @Nullable Object name, @Nullable Object message, O properties);

  /** Returns the name of an error; JavaScript allows any value. */
  public abstract @Nullable Object name(E error);

  /** Returns the message as it is stored; null if the error itself has none. */
  public abstract @Nullable Object message(E error);

  /**
   * Returns a regular expression.
   *
   * @throws IllegalArgumentException if the pattern or the flags are refused
   */
  public abstract R regExp(Object source, String flags);

  /** Returns the pattern as it is stored. */
  public abstract Object source(R regExp);
}
