package dev.holdfast.filter;

import org.jspecify.annotations.Nullable;

/**
 * Code around each call that an object receives, and around each run of an alarm: for traces,
 * authorization, metrics, an audit log.
 *
 * <p>A filter runs in the object's turn, on the thread that runs the object's code, and is part of
 * that code: what it writes is in the batch of the turn in which it writes, an exception is the
 * reply of the call, and a long filter holds up the object. The instance exists when it runs, so a
 * filter that refuses a call does not avoid its activation.
 *
 * <p>An operator's operations, tasks and timers pass no filter. All objects of the namespace share
 * a filter, so it must be thread-safe.
 */
@FunctionalInterface
public interface CallFilter {

  /**
   * Runs around one call. Returns what {@link DeliveredCall#proceed()} returns, or another result
   * for the caller. The result is copied after the outermost filter, as without filters.
   *
   * @param call the call; not used after this method has returned
   * @return the result of the call; ignored for an alarm, and for a method that returns nothing
   * @throws Throwable as the reply of the call. An exception of {@link DeliveredCall#proceed()} is
   *     the object's own; a checked one that the method of the object does not declare reaches the
   *     caller as the cause of an {@link java.lang.reflect.UndeclaredThrowableException}. For an
   *     alarm it is a failure of the handler
   */
  @Nullable Object filter(DeliveredCall call) throws Throwable;

  /**
   * Returns a filter that undoes what a call has written when it throws: keys, rows, alarms and
   * emitted events. Without it they stay, since an exception is an answer like another. Each call
   * runs in {@link dev.holdfast.storage.ObjectStorage#transaction}: other events of the object wait
   * for its end, {@code deleteAll} is refused, and what other objects have done for it stays.
   *
   * @return the filter, for {@link dev.holdfast.ObjectRegistrar#filter(String, CallFilter)}
   */
  static CallFilter rollbackOnException() {
    return call -> call.storage().transaction(_ -> proceed(call));
  }

  private static @Nullable Object proceed(DeliveredCall call) throws Exception {
    try {
      return call.proceed();
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("An object threw neither an exception nor an error.", e);
    }
  }
}
