package dev.holdfast.runtime;

import dev.holdfast.filter.ContextCarrier;
import dev.holdfast.filter.Headers;
import dev.holdfast.runtime.internal.filter.Filters;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What {@linkplain ContextCarrier carriers} with a text form take along with calls from one process
 * to another: a header of the call, which the called object does not see. Thread-safe.
 */
public final class CarriedCalls {

  private final Filters carriers;

  CarriedCalls(List<ContextCarrier<?>> carriers) {
    this.carriers = new Filters(List.of(), List.of(), carriers);
  }

  /**
   * {@return the headers of a call that leaves this process, with what the current thread has}
   *
   * @param headers that the caller has given
   * @throws dev.holdfast.filter.HeadersException if what the thread has cannot be headers
   */
  public Headers sent(Headers headers) {
    return carriers.withContext(headers);
  }

  /**
   * {@return code that runs with what the current thread has}
   *
   * @param <R> the type of its result
   * @param code the code, for another thread
   * @throws NullPointerException if it is null
   */
  public <R extends @Nullable Object> Callable<R> with(Callable<R> code) {
    return carriers.context().with(code);
  }

  /**
   * Makes a call that has come from another process, with what that has sent on the current thread.
   *
   * @param <R> what the call gives
   * @param headers of the call
   * @param call makes the call; it takes what the thread has
   * @return what the call gives
   * @throws RuntimeException what the call throws
   */
  public <R> R received(Headers headers, Supplier<R> call) {
    return carriers.contextOf(headers).<R, RuntimeException>around(call::get);
  }

  /**
   * {@return the headers of such a call without those of carriers}
   *
   * @param headers of the call
   */
  public Headers without(Headers headers) {
    return carriers.withoutContext(headers);
  }
}
