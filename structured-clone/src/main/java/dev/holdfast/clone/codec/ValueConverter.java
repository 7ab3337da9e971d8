package dev.holdfast.clone.codec;

import java.lang.reflect.Type;

/**
 * Stores values of classes that the mapping does not have as values that it has, wherever they are
 * within a value. Asked for classes, records and sealed types, before they are taken apart; not for
 * enums, collections, arrays and the other types of the mapping.
 *
 * <p>Thread-safe. What it throws is the cause of the {@link dev.holdfast.clone.CloneException}.
 */
public interface ValueConverter {

  /**
   * Returns whether this converts values of a class; always the same answer.
   *
   * @param type the class of a value that is written, or the declared class of one that is read
   * @return whether it does
   */
  boolean converts(Class<?> type);

  /**
   * Returns the type that values are stored as.
   *
   * @return the type of the results of {@link #toStored}, as which they are read again
   */
  Class<?> storedType();

  /**
   * Converts a value that is written.
   *
   * @param value the value
   * @return a value of the mapping
   */
  Object toStored(Object value);

  /**
   * Converts a value that is read.
   *
   * @param stored what {@link #toStored} has returned, read again
   * @param type the type to read it as, with its arguments
   * @return the value
   */
  Object fromStored(Object stored, Type type);
}
