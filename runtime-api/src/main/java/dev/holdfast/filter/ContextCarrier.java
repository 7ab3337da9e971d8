package dev.holdfast.filter;

import org.jspecify.annotations.Nullable;

/**
 * Carries a value that belongs to a thread, such as a logging context, a trace or a principal, from
 * the code that makes a call to the object code that the call runs.
 *
 * <p>Object code runs on the thread of its caller or on another one, depending on how busy the
 * object is, so it must not rely on thread-locals of its caller. What a carrier takes is set around
 * the code of the call in either case: for blocking and asynchronous calls, and for the tasks and
 * timers that object code starts, which get what was current when they were started. An alarm
 * carries nothing: it runs when no caller exists any more; {@link Headers#kept} of a filter travel
 * with it.
 *
 * <pre>{@code
 * objects.carrier(new ContextCarrier<Map<String, String>>() {
 *   public Map<String, String> capture() { return MDC.getCopyOfContextMap(); }
 *   public Scope set(Map<String, String> context) {
 *     Map<String, String> before = MDC.getCopyOfContextMap();
 *     MDC.setContextMap(context);
 *     return () -> restore(before);
 *   }
 * });
 * }</pre>
 *
 * <p>All calls share a carrier, so it must be thread-safe.
 *
 * @param <T> the type of the value
 */
public interface ContextCarrier<T> {

  /**
   * Takes the value of the current thread. Called by the thread that makes a call, or starts a task
   * or a timer, at that moment.
   *
   * @return the value; null if there is none, then {@link #set} is not called
   * @throws RuntimeException to refuse the call
   */
  @Nullable T capture();

  /**
   * Sets a value for the current thread, which runs the call. The thread may be the one that {@link
   * #capture} was called on, and may have a value of its own.
   *
   * @param value what was captured
   * @return restores what the thread had before; closed on the same thread, after the code of the
   *     call has ended
   * @throws RuntimeException instead of the result of the call, whose code does not run
   */
  Scope set(T value);

  /** A value that is set. */
  @FunctionalInterface
  interface Scope extends AutoCloseable {

    /**
     * Restores what the thread had before.
     *
     * @throws RuntimeException instead of the result of the call; its writes stay
     */
    @Override
    void close();
  }
}
