package dev.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * One call of an object, written as a function of its interface.
 *
 * @param <T> the object's interface
 * @param <R> the result
 */
@FunctionalInterface
public interface ObjectCall<T, R extends @Nullable Object> {

  /**
   * Makes the call.
   *
   * @param object the stub to call
   * @return the result of the call
   * @throws Exception whatever the object throws
   */
  R apply(T object) throws Exception;
}
