package dev.holdfast.codec;

import java.lang.reflect.Type;
import java.util.function.Function;

/**
 * Stores values of classes that Holdfast cannot store by itself, or that are to be stored in
 * another way, as values of the table in {@code docs/structured-clone.md}: texts, numbers, byte
 * arrays, collections, records.
 *
 * <pre>{@code
 * NamespaceOptions.DEFAULT.withCodec(
 *     Codec.of(Money.class, String.class, Money::toString, Money::parse));
 * }</pre>
 *
 * <p>A codec of a namespace is asked for values of its classes wherever they are: stored, within
 * records and collections, in arguments and results of calls, whose copies are made through it, and
 * in parameters and rows of SQL. It is not asked for types that the table has, but for records,
 * other classes and sealed types. What it throws is the cause of the error of the operation.
 *
 * <p>Called by all threads, so it is thread-safe. A stored value is read by whatever codec the
 * namespace has then: one that is replaced reads what the earlier one wrote.
 *
 * @param <T> the type of the values
 */
public interface Codec<T> {

  /**
   * Returns whether this codec stores values of a class. Asked once for each class.
   *
   * @param type the class of a value that is stored, or the declared type of one that is read
   * @return whether it does; always the same for a class
   */
  boolean supports(Class<?> type);

  /**
   * Returns the type that values are stored as.
   *
   * @return a type of the table: {@link #encode} returns such values, and {@link #decode} gets them
   */
  Class<?> storedType();

  /**
   * Converts a value to what is stored.
   *
   * @param value the value
   * @return a value of {@link #storedType}
   */
  Object encode(T value);

  /**
   * Converts what was stored to a value.
   *
   * @param stored a value of {@link #storedType}
   * @param type the type to read, with its arguments
   * @return the value, of this type
   */
  T decode(Object stored, Type type);

  /**
   * Returns the codec of one class.
   *
   * @param <T> the class
   * @param <S> the stored type
   * @param type the class; its subclasses are not supported
   * @param storedType the type that its values are stored as
   * @param encoder converts a value to what is stored
   * @param decoder converts what was stored to a value
   * @return the codec
   */
  static <T, S> Codec<T> of(
      Class<T> type,
      Class<S> storedType,
      Function<? super T, ? extends S> encoder,
      Function<? super S, ? extends T> decoder) {
    return new ClassCodec<>(type, storedType, encoder, decoder);
  }
}
