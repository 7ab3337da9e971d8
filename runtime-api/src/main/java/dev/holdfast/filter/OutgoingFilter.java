package dev.holdfast.filter;

import org.jspecify.annotations.Nullable;

/**
 * Code around each call of an object as its caller makes it: for traces, retries, refusals, metrics
 * of the caller's side.
 *
 * <p>A filter runs outside the turn of the object that is called. If an object calls, it runs in
 * that object's turn, and each {@link OutgoingCall#proceed()} is a wait of that object. It runs on
 * the thread that makes the call: for {@code ObjectStub.async} that is a new virtual thread,
 * outside of all turns. All callers share a filter, so it must be thread-safe.
 */
@FunctionalInterface
public interface OutgoingFilter {

  /**
   * Runs around one call. Returns what {@link OutgoingCall#proceed()} returns, or another result,
   * which is not copied.
   *
   * @param call the call; not used after this method has returned
   * @return the result for the caller
   * @throws Throwable instead of a result. An exception of {@link OutgoingCall#proceed()} is the
   *     one that the caller gets without filters; a checked one that the method of the object does
   *     not declare reaches the caller as the cause of an {@link
   *     java.lang.reflect.UndeclaredThrowableException}
   */
  @Nullable Object filter(OutgoingCall call) throws Throwable;

  /**
   * Returns the headers that an asynchronous call is to have. Called by the thread that calls
   * {@code ObjectStub.async}, at that moment, because {@link #filter} runs on another thread later:
   * what is known only here, such as the trace of the current thread, goes into headers.
   *
   * @param headers the headers of the call or alarm that the calling object works on; none outside
   *     of objects
   * @return the headers, by default unchanged
   * @throws RuntimeException to refuse the call: its future fails
   */
  default Headers capture(Headers headers) {
    return headers;
  }
}
