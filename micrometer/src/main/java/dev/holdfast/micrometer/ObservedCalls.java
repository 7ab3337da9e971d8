package dev.holdfast.micrometer;

import dev.holdfast.filter.CallFilter;
import dev.holdfast.filter.DeliveredCall;
import dev.holdfast.filter.FilteredCall;
import dev.holdfast.filter.Headers;
import dev.holdfast.filter.OutgoingCall;
import dev.holdfast.filter.OutgoingFilter;
import dev.holdfast.micrometer.CallContext.Kind;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Filters that make an observation of each call, on the caller's side and in the object, of each
 * run of an alarm, and of each wait at the output gate. With {@link CallTracingHandler} they are
 * the spans of a trace that crosses calls between objects, asynchronous calls and alarms. {@code
 * docs/operations/traces.md} lists them.
 *
 * <pre>{@code
 * ObservedCalls observed = new ObservedCalls(registry);
 * Holdfast.open(path, objects -> objects
 *     .namespace("carts", Cart.class, CartObject::new)
 *     .outgoing(observed)
 *     .filter(observed));
 * }</pre>
 *
 * <p>Register it as the first of the {@code filter}s, so that it sees what the others do, and as
 * the last of the {@code outgoing} ones, so that each repeated call is a separate call.
 *
 * <p>Handlers of observations run on the threads of calls, for {@code filter} in the turn of the
 * object. An exception of a handler is logged once and changes no call; a handler that blocks holds
 * up the object, so export in the background.
 *
 * <p>Thread-safe.
 */
public final class ObservedCalls implements CallFilter, OutgoingFilter {

  private final ObservationRegistry registry;
  private final HandlerFailures failures = new HandlerFailures();

  /**
   * Creates the filters.
   *
   * @param registry gets the observations
   */
  public ObservedCalls(ObservationRegistry registry) {
    this.registry = registry;
  }

  @Override
  public @Nullable Object filter(DeliveredCall call) throws Throwable {
    Kind kind = call.alarm().isPresent() ? Kind.ALARM : Kind.EXECUTION;
    return proceed(call, Observed.call(registry, failures, kind, call));
  }

  @Override
  public @Nullable Object filter(OutgoingCall call) throws Throwable {
    Observed observed = Observed.call(registry, failures, Kind.CALL, call);
    call.whenHeld(observed::hold);
    return proceed(call, observed);
  }

  private static @Nullable Object proceed(FilteredCall call, Observed observed) throws Throwable {
    observed.start();
    try {
      return call.proceed(observed.headers());
    } catch (Throwable failure) {
      observed.fail(failure);
      throw failure;
    } finally {
      observed.stop();
    }
  }

  /**
   * Puts the observation of the current thread into the headers, because another thread will make
   * the call. In an object they are there: its calls have the headers of its execution.
   */
  @Override
  public Headers capture(Headers headers) {
    Observation current = registry.getCurrentObservation();
    if (current == null || current.getContextView() instanceof CallContext) {
      return headers;
    }
    Observed sent = Observed.send(registry, failures, headers);
    sent.start();
    sent.stop();
    return sent.headers();
  }
}
