package dev.holdfast.filter;

/**
 * A call as its caller makes it. Each {@link #proceed()} is a new call: it is delivered again, with
 * new copies of the arguments, and may change the object again. {@link #proceed()} returns when the
 * reply has left the output gate of the object.
 *
 * <p>Repeat a call only if its failure says that it was not delivered, or if the object tolerates a
 * second delivery. Only the first call of {@code ObjectStub.async} has a place in the order of
 * calls. The time limit of {@code ObjectStub.withTimeout} is for each call.
 */
public interface OutgoingCall extends FilteredCall {

  /**
   * Sets what runs when the object has replied and its reply has to wait at the output gate until
   * the writes that it depends on are durable: the wait ends when {@link #proceed()} returns or
   * throws. It does not run for a reply that depends on nothing undurable, nor for a call between
   * two objects of one runtime, because those do not wait.
   *
   * @param action runs once for each {@link #proceed()} at most, by the thread that waits, which
   *     with a time limit is not the filter's. What it throws replaces the reply. Replaces an
   *     earlier action
   * @throws IllegalStateException if the filter has returned, or another thread than the filter's
   *     calls
   */
  void whenHeld(Runnable action);
}
