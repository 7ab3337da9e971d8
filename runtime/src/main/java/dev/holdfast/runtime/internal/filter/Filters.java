package dev.holdfast.runtime.internal.filter;

import dev.holdfast.filter.CallFilter;
import dev.holdfast.filter.Headers;
import dev.holdfast.filter.OutgoingFilter;
import dev.holdfast.runtime.internal.turn.Execution;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The filters around the calls of one namespace. A namespace without filters has them too, with
 * empty lists, if another one of the runtime has some: headers travel through it. Immutable.
 */
public final class Filters {

  final CallFilter[] delivered;
  final OutgoingFilter[] outgoing;

  /**
   * Creates them.
   *
   * @param delivered around calls and alarms, in the turn; the first is the outermost
   * @param outgoing around calls as they are made; the first is the outermost
   */
  public Filters(List<CallFilter> delivered, List<OutgoingFilter> outgoing) {
    this.delivered = delivered.toArray(CallFilter[]::new);
    this.outgoing = outgoing.toArray(OutgoingFilter[]::new);
  }

  /** What the innermost filter of a delivered call proceeds to. */
  @FunctionalInterface
  public interface Innermost {

    /**
     * Runs the code of the object.
     *
     * @return its result
     * @throws Throwable whatever it throws
     */
    @Nullable Object run() throws Throwable;
  }

  /** What the innermost filter of an outgoing call proceeds to, perhaps several times. */
  @FunctionalInterface
  public interface Departure {

    /**
     * Makes the call.
     *
     * @param headers of the call
     * @param whenHeld what runs before the reply waits for the disk; null for nothing
     * @return the result
     * @throws Throwable whatever the call throws
     */
    @Nullable Object run(Headers headers, @Nullable Runnable whenHeld) throws Throwable;
  }

  /** {@return whether calls pass a filter when they are made} */
  public boolean hasOutgoing() {
    return outgoing.length > 0;
  }

  /**
   * Runs the filters around object code.
   *
   * @param execution whose turn it is; it has the headers of the call
   * @param description of the call
   * @param code the object code
   * @return the result of the outermost filter
   * @throws Throwable whatever that throws
   */
  public @Nullable Object deliver(Execution execution, Description description, Innermost code)
      throws Throwable {
    return delivered.length == 0
        ? code.run()
        : new DeliveredStep(this, execution, description, code, 0, execution.headers()).filter();
  }

  /**
   * Runs the filters around a call as it is made.
   *
   * @param description of the call
   * @param headers of the call
   * @param departure makes the call
   * @return the result of the outermost filter
   * @throws Throwable whatever that throws
   */
  public @Nullable Object send(Description description, Headers headers, Departure departure)
      throws Throwable {
    return outgoing.length == 0
        ? departure.run(headers, null)
        : new OutgoingStep(this, description, departure, 0, headers, null).filter();
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
