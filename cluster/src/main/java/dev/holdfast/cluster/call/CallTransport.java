package dev.holdfast.cluster.call;

import dev.holdfast.spi.log.NodeId;

/** Brings calls to other nodes. Thread-safe. */
@FunctionalInterface
public interface CallTransport {

  /**
   * Sends a call to a node, at most once. Does not wait: what becomes of the call completes its
   * outcome. Calls of one thread to one node arrive in their order.
   *
   * @param node the node
   * @param call the call
   * @param timeoutNanos how long the caller waits; the owner withdraws a call that has not begun by
   *     then. 0 for ever
   * @return the call on its way
   * @throws dev.holdfast.errors.UncopyableValueException if the call is longer than a frame may be;
   *     nothing was sent
   */
  PendingCall send(NodeId node, CallUnderWay call, long timeoutNanos);
}
