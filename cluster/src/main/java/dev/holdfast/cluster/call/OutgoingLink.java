package dev.holdfast.cluster.call;

import dev.holdfast.TimeSource;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.frame.Frame;
import dev.holdfast.cluster.frame.Frame.Call;
import dev.holdfast.cluster.frame.Frame.Cancel;
import dev.holdfast.cluster.frame.Frame.Failure;
import dev.holdfast.cluster.frame.Frame.Hello;
import dev.holdfast.cluster.frame.Frame.Ping;
import dev.holdfast.cluster.frame.Frame.Redirect;
import dev.holdfast.cluster.frame.Frame.Refused;
import dev.holdfast.cluster.frame.Frame.Reply;
import dev.holdfast.cluster.frame.FrameCodec;
import dev.holdfast.cluster.frame.FrameException;
import dev.holdfast.cluster.frame.RefusalReason;
import dev.holdfast.cluster.route.ShardOwnership;
import dev.holdfast.spi.log.NodeId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The connection over which this node calls another one. Calls may be given to it before it is
 * connected; they are sent in their order, once, when the window has room. Thread-safe.
 */
final class OutgoingLink extends Link {

  private final CallEvents events;

  // Guarded by lock.
  private final ArrayDeque<PendingCall> queue = new ArrayDeque<>();
  private final Map<Long, PendingCall> sent = new HashMap<>();
  private final Window window = new Window();
  private long lastNumber;

  /** Written with the lock, read without it: numbers must not wait for calls. */
  private volatile @Nullable Long clockAheadMillis;

  private volatile @Nullable ClusterException clocksApart;

  OutgoingLink(NodeId peer, EndpointOptions options, TimeSource time, CallEvents events) {
    super(peer, options, time);
    this.events = events;
  }

  /**
   * {@return how far the clock of the other node is ahead, in milliseconds, as measured when this
   * was connected; null if it is not connected. Waits for no lock}
   */
  @Nullable Long clockAheadMillis() {
    return clockAheadMillis;
  }

  /** {@return why the clocks were too far apart when this was connected; null if they were not} */
  @Nullable ClusterException clocksApart() {
    return clocksApart;
  }

  /**
   * The other node has said what time it is. Without effect if this has ended.
   *
   * @param aheadMillis how far its clock is ahead
   * @param why why the clocks are too far apart; null if they are not
   */
  void measured(long aheadMillis, @Nullable ClusterException why) {
    lock.lock();
    try {
      if (ended() == null) {
        clockAheadMillis = aheadMillis;
        clocksApart = why;
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends this unless a call is on its way.
   *
   * @param why the reason
   * @return whether this has ended it
   */
  boolean endIfIdle(ClusterException why) {
    return endIf(() -> queue.isEmpty() && sent.isEmpty(), why);
  }

  /**
   * Sends a call.
   *
   * @param frame the call, without a number
   * @return the call; null if this connection has ended
   */
  @Nullable PendingCall send(byte[] frame) {
    PendingCall call = new PendingCall(this, frame);
    lock.lock();
    try {
      if (ended() != null) {
        return null;
      }
      queue.add(call);
      wakeWriter();
    } finally {
      lock.unlock();
    }
    return call;
  }

  void cancel(PendingCall call) {
    lock.lock();
    try {
      if (call.isCancelled || call.state == PendingCall.State.DONE) {
        return;
      }
      call.isCancelled = true;
      if (call.state == PendingCall.State.SENT) {
        sendSoon(encoded(new Cancel(call.number)));
        return;
      }
      call.state = PendingCall.State.DONE;
      queue.remove(call);
      // It may have been the one that had no room.
      wakeWriter();
    } finally {
      lock.unlock();
    }
    call.complete(new CallOutcome.Withdrawn());
  }

  private static byte[] encoded(Frame frame) {
    try {
      return FrameCodec.encode(frame);
    } catch (FrameException e) {
      throw new IllegalStateException("A CANCEL has 16 bytes.", e);
    }
  }

  @Override
  byte @Nullable [] nextFrame() {
    PendingCall first = queue.peek();
    if (first == null || !window.hasRoomFor(first.lengthBytes())) {
      return null;
    }
    queue.remove();
    window.add(first.lengthBytes());
    // From here on the other side may have it: it is not sent again, whatever happens.
    first.state = PendingCall.State.SENT;
    lastNumber++;
    sent.put(lastNumber, first);
    return first.numbered(lastNumber);
  }

  @Override
  void received(Frame frame, int lengthBytes) throws FrameException {
    switch (frame) {
      case Reply reply -> answered(frame, new CallOutcome.Replied(reply.value()));
      case Failure failure -> answered(frame, new CallOutcome.Failed(failure.thrown()));
      case Redirect redirect -> answered(frame, redirected(redirect));
      case Refused refused -> {
        if (refused.number() == 0) {
          end(
              new ClusterException(
                  Reason.PROTOCOL,
                  "Node " + peer + " has ended the connection: " + refused.message(),
                  null));
        } else {
          answered(frame, refusedCall(refused));
        }
      }
      case Ping _ -> {
        // It has been heard of, which is all.
      }
      case Hello _, Call _, Cancel _ ->
          throw new FrameException("a node that is called sends only answers");
    }
  }

  private static CallOutcome redirected(Redirect redirect) {
    NodeId owner = redirect.owner();
    return new CallOutcome.Redirected(
        redirect.shard(),
        owner == null
            ? Optional.empty()
            : Optional.of(new ShardOwnership(owner, redirect.epoch())));
  }

  private static CallOutcome refusedCall(Refused refused) {
    return refused.reason() == RefusalReason.WITHDRAWN
        ? new CallOutcome.Withdrawn()
        : new CallOutcome.RefusedCall(refused.reason(), refused.message());
  }

  private void answered(Frame frame, CallOutcome outcome) throws FrameException {
    PendingCall call;
    lock.lock();
    try {
      call = sent.remove(frame.number());
      if (call == null) {
        throw new FrameException("an answer has the number " + frame.number() + ", of no call");
      }
      call.state = PendingCall.State.DONE;
      window.remove(call.lengthBytes());
      wakeWriter();
    } finally {
      lock.unlock();
    }
    call.complete(outcome);
  }

  @Override
  void afterEnd(ClusterException why) {
    List<PendingCall> unsent;
    List<PendingCall> unknown;
    lock.lock();
    try {
      clockAheadMillis = null;
      unsent = new ArrayList<>(queue);
      unknown = new ArrayList<>(sent.values());
      queue.clear();
      sent.clear();
      unsent.forEach(each -> each.state = PendingCall.State.DONE);
      unknown.forEach(each -> each.state = PendingCall.State.DONE);
    } finally {
      lock.unlock();
    }
    events.disconnected(peer, /* outgoing= */ true, why);
    unsent.forEach(each -> each.complete(new CallOutcome.NotSent(why)));
    unknown.forEach(each -> each.complete(new CallOutcome.Unknown(why)));
  }
}
