package dev.holdfast.cluster.call;

import dev.holdfast.TimeSource;
import dev.holdfast.cluster.errors.ClusterException;
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
import dev.holdfast.cluster.value.Failures;
import dev.holdfast.errors.UncopyableValueException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** The connection over which another node calls this one. Thread-safe. */
final class IncomingLink extends Link {

  /** How much of answers may wait to be written, in bytes. */
  private static final int ANSWER_BYTES_MAX = Frame.LENGTH_MAX;

  private final boolean isOfClient;
  private final CallHandler handler;
  private final TimeSource time;
  private final CallEvents events;

  /** Signalled when answers were written, and at the end. */
  private final Condition room = lock.newCondition();

  // Guarded by lock.
  private final Map<Long, Taken> calls = new HashMap<>();
  private final ArrayDeque<byte[]> answers = new ArrayDeque<>();
  private final Window window = new Window();
  private long answerBytes;

  /** Confined to the thread that reads. */
  private long lastNumber;

  /** A call that is not answered, and the length of its frame. */
  private record Taken(IncomingCall call, int lengthBytes) {}

  IncomingLink(
      Hello caller,
      EndpointOptions options,
      TimeSource time,
      CallHandler handler,
      CallEvents events) {
    super(caller.node(), options, time);
    this.isOfClient = caller.isClient();
    this.time = time;
    this.handler = handler;
    this.events = events;
  }

  /** {@return whether a client calls, which is no member} */
  boolean isOfClient() {
    return isOfClient;
  }

  @Override
  byte @Nullable [] nextFrame() {
    byte[] answer = answers.poll();
    if (answer != null) {
      answerBytes -= answer.length;
      room.signalAll();
    }
    return answer;
  }

  @Override
  void received(Frame frame, int lengthBytes) throws FrameException {
    switch (frame) {
      case Call call -> take(call, lengthBytes);
      case Cancel cancel -> cancel(cancel.number());
      case Ping _ -> {
        // It has been heard of, which is all.
      }
      case Hello _, Reply _, Failure _, Redirect _, Refused _ ->
          throw new FrameException("a node that calls sends no answers");
    }
  }

  private void take(Call call, int lengthBytes) throws FrameException {
    lastNumber++;
    if (call.number() != lastNumber) {
      throw new FrameException(
          "a call has the number " + call.number() + " instead of " + lastNumber);
    }
    IncomingCall taken = new IncomingCall(this, call, deadlineNanos(call.timeoutNanos()));
    lock.lock();
    try {
      if (ended() != null) {
        // Nobody would get the answer: better that it does not begin.
        return;
      }
      if (!window.hasRoomFor(lengthBytes)) {
        throw new FrameException("more calls, or longer ones, than the window has room for");
      }
      window.add(lengthBytes);
      calls.put(call.number(), new Taken(taken, lengthBytes));
    } finally {
      lock.unlock();
    }
    handler.call(taken);
  }

  private long deadlineNanos(long timeoutNanos) {
    long now = time.monotonicNanos();
    // Differences of this clock are meaningful up to half of its range.
    return now + Math.min(timeoutNanos, Long.MAX_VALUE / 2);
  }

  private void cancel(long number) throws FrameException {
    Taken taken;
    lock.lock();
    try {
      taken = calls.get(number);
    } finally {
      lock.unlock();
    }
    if (number > lastNumber) {
      throw new FrameException("a call is cancelled before it was sent");
    }
    if (taken != null) {
      taken.call().cancel();
    }
  }

  /** Sends the answer of a call, when there is room. */
  void answer(IncomingCall call, Frame answer) {
    byte[] frame = encoded(call, answer);
    lock.lock();
    try {
      Taken taken = calls.remove(call.number());
      if (taken == null) {
        if (ended() == null) {
          throw new IllegalStateException("The call was answered before: " + call);
        }
        return;
      }
      while (ended() == null && answerBytes > 0 && answerBytes + frame.length > ANSWER_BYTES_MAX) {
        room.awaitUninterruptibly();
      }
      // Not before: a caller that reads nothing would have more and more answers wait for room. It
      // counts the call as answered later, so this side never has less room than it believes.
      window.remove(taken.lengthBytes());
      if (ended() == null) {
        answers.add(frame);
        answerBytes += frame.length;
        wakeWriter();
      }
    } finally {
      lock.unlock();
    }
  }

  private static byte[] encoded(IncomingCall call, Frame answer) {
    try {
      return FrameCodec.encode(answer);
    } catch (FrameException e) {
      return tooLong(call, e);
    }
  }

  private static byte[] tooLong(IncomingCall call, FrameException cause) {
    Failure failure =
        new Failure(
            call.number(),
            Failures.describe(
                new UncopyableValueException(
                    call.namespace(),
                    call.id(),
                    "The call has ended and its effects remain, but its result cannot travel: "
                        + cause.getMessage()
                        + ". Return less at once.",
                    null)));
    try {
      return FrameCodec.encode(failure);
    } catch (FrameException e) {
      throw new IllegalStateException("A short exception fits into a frame.", e);
    }
  }

  @Override
  void afterEnd(ClusterException why) {
    List<Taken> unanswered;
    lock.lock();
    try {
      unanswered = new ArrayList<>(calls.values());
      calls.clear();
      answers.clear();
      room.signalAll();
    } finally {
      lock.unlock();
    }
    events.disconnected(peer, /* outgoing= */ false, why);
    // Nobody waits any more: what has not begun need not.
    unanswered.forEach(each -> each.call().cancel());
  }
}
