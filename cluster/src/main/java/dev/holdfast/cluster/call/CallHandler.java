package dev.holdfast.cluster.call;

/** Takes the calls that other nodes send to this one. */
@FunctionalInterface
public interface CallHandler {

  /**
   * Takes a call and answers it exactly once, now or later, on any thread. Called by the thread
   * that reads the connection, in the order in which the caller has sent the calls; hands the call
   * over and returns, because nothing else is read meanwhile.
   *
   * @param call the call
   */
  void call(IncomingCall call);
}
