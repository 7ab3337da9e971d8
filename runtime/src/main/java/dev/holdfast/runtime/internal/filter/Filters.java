package dev.holdfast.runtime.internal.filter;

import dev.holdfast.filter.CallFilter;
import dev.holdfast.filter.ContextCarrier;
import dev.holdfast.filter.Headers;
import dev.holdfast.filter.OutgoingFilter;
import dev.holdfast.runtime.internal.turn.Execution;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The filters around the calls of one namespace, and what travels with calls. A namespace without
 * filters has them too, with empty lists, if another one of the runtime has some or if there are
 * carriers: headers travel through it. Immutable.
 */
public final class Filters {

  final CallFilter[] delivered;
  final OutgoingFilter[] outgoing;
  private final ContextCarrier<?>[] carriers;

  /**
   * Creates them.
   *
   * @param delivered around calls and alarms, in the turn; the first is the outermost
   * @param outgoing around calls as they are made; the first is the outermost
   * @param carriers take what travels with each call; carriers of the whole runtime
   */
  public Filters(
      List<CallFilter> delivered, List<OutgoingFilter> outgoing, List<ContextCarrier<?>> carriers) {
    this.carriers = carriers.toArray(ContextCarrier<?>[]::new);
    this.delivered = delivered.toArray(CallFilter[]::new);
    this.outgoing = outgoing.toArray(OutgoingFilter[]::new);
  }

  /** {@return what the current thread has for a call that it makes} */
  public Carried context() {
    return Carried.capture(carriers);
  }

  /**
   * {@return what an alarm keeps of the current thread}
   *
   * @throws dev.holdfast.filter.HeadersException if it is too long
   */
  public Headers contextText() {
    return Carried.text(carriers);
  }

  /**
   * {@return what an alarm has kept of the thread that has set it, or a call of another process
   * has}
   *
   * @param headers that the alarm or the call has
   */
  public Carried contextOf(Headers headers) {
    return Carried.ofText(carriers, headers);
  }

  /**
   * {@return the headers of an alarm or a call without those of carriers}
   *
   * @param headers that it has
   */
  public Headers withoutContext(Headers headers) {
    return carriers.length == 0 ? headers : Carried.withoutText(headers);
  }

  /**
   * {@return the headers of a call to another process, with what the current thread has for it}
   *
   * @param headers that the call has; what they have in the place of a carrier is left out
   * @throws dev.holdfast.filter.HeadersException if what the thread has cannot be headers
   */
  public Headers withContext(Headers headers) {
    return carriers.length == 0
        ? headers
        : Carried.withText(carriers, Carried.withoutText(headers));
  }

  /** {@return whether calls pass a filter when they are made} */
  public boolean hasOutgoing() {
    return outgoing.length > 0;
  }

  /**
   * Runs the filters around object code.
   *
   * @param execution whose turn it is; it has the headers of the call
   * @param call runs the object code
   * @return the result of the outermost filter
   * @throws Throwable whatever that throws
   */
  public @Nullable Object deliver(Execution execution, Arrival call) throws Throwable {
    return delivered.length == 0
        ? call.run()
        : new DeliveredStep(this, execution, call, 0, execution.headers()).filter();
  }

  /**
   * Runs the filters around a call as it is made; there is at least one.
   *
   * @param call makes the call
   * @param headers of the call
   * @return the result of the outermost filter
   * @throws Throwable whatever that throws
   */
  public @Nullable Object send(Departure call, Headers headers) throws Throwable {
    return new OutgoingStep(this, call, 0, headers, null).filter();
  }

  /**
   * Returns the headers of an asynchronous call.
   *
   * @param current those that the caller has
   * @return those that its filters make of them
   */
  public Headers capture(Headers current) {
    Headers headers = current;
    for (OutgoingFilter filter : outgoing) {
      headers = filter.capture(headers);
    }
    return headers;
  }
}
