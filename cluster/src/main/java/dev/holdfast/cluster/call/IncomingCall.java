package dev.holdfast.cluster.call;

import dev.holdfast.ObjectId;
import dev.holdfast.cluster.frame.Frame;
import dev.holdfast.cluster.frame.Frame.Call;
import dev.holdfast.cluster.frame.Frame.Failure;
import dev.holdfast.cluster.frame.Frame.Header;
import dev.holdfast.cluster.frame.Frame.Redirect;
import dev.holdfast.cluster.frame.Frame.Refused;
import dev.holdfast.cluster.frame.Frame.Reply;
import dev.holdfast.cluster.frame.Frame.Thrown;
import dev.holdfast.cluster.frame.RefusalReason;
import dev.holdfast.cluster.frame.Value;
import dev.holdfast.cluster.route.ShardOwnership;
import dev.holdfast.runtime.RemoteCaller;
import dev.holdfast.spi.log.NodeId;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A call that another node has sent. It is answered exactly once: by {@link #reply} or {@link
 * #fail} after it has ended, by {@link #redirect} or {@link #refuse} if the object has not begun
 * it. An answer waits for room, so it is given by a thread that may block. If the connection has
 * ended, answers go nowhere. Thread-safe.
 */
public final class IncomingCall {

  private final IncomingLink link;
  private final Call call;
  private final long deadlineNanos;

  // Guarded by this.
  private @Nullable Runnable whenCancelled;
  private boolean isCancelled;

  IncomingCall(IncomingLink link, Call call, long deadlineNanos) {
    this.link = link;
    this.call = call;
    this.deadlineNanos = deadlineNanos;
  }

  /** {@return the node that calls} */
  public NodeId caller() {
    return link.peer;
  }

  /** {@return whether a client calls, which is no member} */
  public boolean isOfClient() {
    return link.isOfClient();
  }

  /** {@return the namespace of the object} */
  public String namespace() {
    return call.namespace();
  }

  /** {@return the object} */
  public ObjectId id() {
    return call.id();
  }

  /** {@return the text of the method} */
  public String method() {
    return call.method();
  }

  /** {@return the arguments} */
  public List<Value> arguments() {
    return call.arguments();
  }

  /** {@return what filters of the caller have added} */
  public List<Header> headers() {
    return call.headers();
  }

  /** {@return the executions that wait for this call, the outermost first} */
  public List<RemoteCaller> chain() {
    return call.chain();
  }

  /** {@return until when the caller waits, on the monotonic clock of this node; empty for ever} */
  public OptionalLong deadlineNanos() {
    return call.timeoutNanos() == 0 ? OptionalLong.empty() : OptionalLong.of(deadlineNanos);
  }

  /** {@return whether the caller does not wait any more, or its connection has ended} */
  public synchronized boolean isCancelled() {
    return isCancelled;
  }

  /**
   * Sets what to do when the caller does not wait any more: withdraw the call if it has not begun.
   *
   * @param action runs at once if that is so already, else on the thread that reads the connection:
   *     short, never blocks, never throws
   * @throws IllegalStateException if an action was set before
   */
  public void onCancel(Runnable action) {
    synchronized (this) {
      if (whenCancelled != null) {
        throw new IllegalStateException("A call has one action for its cancellation.");
      }
      whenCancelled = action;
      if (!isCancelled) {
        return;
      }
    }
    action.run();
  }

  void cancel() {
    Runnable action;
    synchronized (this) {
      action = isCancelled ? null : whenCancelled;
      isCancelled = true;
    }
    if (action != null) {
      action.run();
    }
  }

  /**
   * Answers with a result. What it depends on is durable.
   *
   * @param value the result; one that is too long becomes a failure
   * @throws IllegalStateException if the call was answered
   */
  public void reply(Value value) {
    link.answer(this, new Reply(call.number(), value));
  }

  /**
   * Answers with an exception. What it depends on is durable.
   *
   * @param thrown the exception
   * @throws IllegalStateException if the call was answered
   */
  public void fail(Thrown thrown) {
    link.answer(this, new Failure(call.number(), thrown));
  }

  /**
   * Answers that the object is not here and that the call has not begun.
   *
   * @param shard the shard of the object
   * @param owner its owner; null if none is known
   * @throws IllegalStateException if the call was answered
   */
  public void redirect(int shard, @Nullable ShardOwnership owner) {
    Frame answer =
        owner == null
            ? new Redirect(call.number(), shard, 0, null)
            : new Redirect(call.number(), shard, owner.epoch(), owner.node());
    link.answer(this, answer);
  }

  /**
   * Answers that the call has not begun and will not.
   *
   * @param reason one of a call
   * @param message what to do
   * @throws IllegalStateException if the call was answered
   */
  public void refuse(RefusalReason reason, String message) {
    link.answer(this, new Refused(call.number(), reason, message));
  }

  /**
   * Runs a part of the way to the answer. If it throws, the connection ends: without an answer the
   * caller would wait for ever, and so it learns that the outcome is unknown.
   *
   * @param part answers the call, or has it answered later
   */
  public void answerBy(Runnable part) {
    try {
      part.run();
    } catch (RuntimeException | Error e) {
      link.end(ConnectionErrors.lost("node " + link.peer, e));
      throw e;
    }
  }

  long number() {
    return call.number();
  }

  @Override
  public String toString() {
    return "call "
        + call.number()
        + " of node "
        + link.peer
        + ": "
        + call.namespace()
        + "/"
        + call.id()
        + " "
        + call.method();
  }
}
