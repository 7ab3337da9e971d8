package dev.holdfast.cluster.call;

import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.frame.Frame.Thrown;
import dev.holdfast.cluster.frame.RefusalReason;
import dev.holdfast.cluster.frame.Value;
import dev.holdfast.cluster.route.ShardOwnership;
import java.util.Optional;

/** What became of a call that was sent to another node, or was to be sent. */
public sealed interface CallOutcome {

  /** The object has not begun the call, and will not: to send it again is safe. */
  sealed interface NotBegun extends CallOutcome {}

  /**
   * The call has ended, and its effects are durable.
   *
   * @param value its result
   */
  record Replied(Value value) implements CallOutcome {}

  /**
   * The call has ended with an exception.
   *
   * @param thrown the exception
   */
  record Failed(Thrown thrown) implements CallOutcome {}

  /**
   * The connection was lost after the call was sent: the object may have begun or completed it.
   *
   * @param why what happened to the connection
   */
  record Unknown(ClusterException why) implements CallOutcome {}

  /**
   * No byte of the call was sent.
   *
   * @param why there is no connection
   */
  record NotSent(ClusterException why) implements NotBegun {}

  /**
   * The node does not own the object.
   *
   * @param shard the shard of the object
   * @param owner the owner, if the node knows one
   */
  record Redirected(int shard, Optional<ShardOwnership> owner) implements NotBegun {}

  /**
   * The node refuses the call.
   *
   * @param reason why
   * @param message what to do
   */
  record RefusedCall(RefusalReason reason, String message) implements NotBegun {}

  /** The call was cancelled before it was sent, or before it had begun. */
  record Withdrawn() implements NotBegun {}
}
