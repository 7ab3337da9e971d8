package dev.holdfast.filter;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Carries a value that belongs to a thread, such as a logging context, a trace or a principal, from
 * the code that makes a call to the object code that the call runs.
 *
 * <p>Object code runs on the thread of its caller or on another one, depending on how busy the
 * object is, so it must not rely on thread-locals of its caller. What a carrier takes is set around
 * the code of the call in either case: for blocking and asynchronous calls, and for tasks, timers,
 * actions ({@link dev.holdfast.ObjectContext#afterDurable}) and listeners of published events,
 * which get what was current when object code started, added or published them. An alarm runs when
 * no caller exists any more, maybe in another process: it gets what was current when it was set, if
 * the carrier has a {@linkplain #textForm text form}. So does a call to another node of a cluster,
 * which gets nothing of a carrier without one. Consumers of emitted events get nothing, nor do
 * listeners on another node.
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
   * #capture} was called on, and may have another value.
   *
   * @param value what was captured
   * @return restores what the thread had before; closed on the same thread, after the code of the
   *     call has ended
   * @throws RuntimeException instead of the result of the call, whose code does not run
   */
  Scope set(T value);

  /**
   * Returns how alarms store values of this carrier, and how calls to other nodes of a cluster
   * carry them. The default is null: then alarms and such calls carry nothing of it.
   *
   * @return the same at each call, in each process that opens the data directory, and on each node
   */
  default @Nullable TextForm<T> textForm() {
    return null;
  }

  /**
   * How values are stored with an alarm, as a {@linkplain Headers#kept kept header} with the name
   * {@code carried-} and the name of the form, and travel to another node, as such a header that is
   * not kept. The called object does not see the header, and what its caller has set under the name
   * does not travel. All that an alarm keeps has at most {@value Headers#KEPT_BYTES_MAX} bytes;
   * setting one that would keep more fails with a {@link HeadersException}, and nothing changes. So
   * does a call to another node whose headers would have more than {@value Headers#BYTES_MAX}
   * bytes. The writer may leave out what a run of an alarm does not need.
   *
   * <pre>{@code
   * public TextForm<Principal> textForm() {
   *   return new TextForm<>("user", Principal::getName, users::byName);
   * }
   * }</pre>
   *
   * @param <T> the type of the value
   * @param name of the carrier among the carriers of the runtime: a token in lower case
   * @param writer returns the text of a value; null for none. What it throws fails the call that
   *     sets the alarm, or the call to another node
   * @param reader returns the value of a text; null for none. What it throws is a failure of the
   *     handler, which is repeated, or fails the call, whose code does not run
   */
  record TextForm<T>(
      String name,
      Function<? super T, @Nullable String> writer,
      Function<String, ? extends @Nullable T> reader) {

    /**
     * Checks the name.
     *
     * @throws HeadersException if the name is not a token in lower case
     */
    public TextForm {
      Headers.of(name, "");
    }
  }

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
