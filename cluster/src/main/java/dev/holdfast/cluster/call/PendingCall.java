package dev.holdfast.cluster.call;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A call on its way to another node. Thread-safe. */
public final class PendingCall {

  // states: QUEUED -> SENT -> DONE, or QUEUED -> DONE
  enum State {
    QUEUED,
    SENT,
    DONE
  }

  /** Where the number of a call is in its frame, after the length. */
  private static final int NUMBER_AT = Integer.BYTES + Integer.BYTES;

  private final @Nullable OutgoingLink link;
  private final byte[] frame;
  private final CompletableFuture<CallOutcome> outcome = new CompletableFuture<>();

  // Guarded by the lock of the link.
  State state = State.QUEUED;
  boolean isCancelled;

  /** 0 before it is sent. */
  long number;

  PendingCall(@Nullable OutgoingLink link, byte[] frame) {
    this.link = link;
    this.frame = frame;
  }

  /** Returns a call that was never to be sent. */
  static PendingCall done(CallOutcome outcome) {
    PendingCall call = new PendingCall(null, new byte[0]);
    call.complete(outcome);
    return call;
  }

  /** Returns the frame with the number of the call. */
  byte[] numbered(long given) {
    number = given;
    ByteBuffer.wrap(frame).putLong(NUMBER_AT, given);
    return frame;
  }

  /** The length that the receiver counts: without the field that states it. */
  int lengthBytes() {
    return frame.length - Integer.BYTES;
  }

  void complete(CallOutcome became) {
    outcome.complete(became);
  }

  /**
   * {@return what becomes of the call. Completed by the thread that reads the connection, so what
   * depends on it must be short. To cancel this future does not cancel the call}
   */
  public CompletableFuture<CallOutcome> outcome() {
    return outcome;
  }

  /**
   * Asks for the call to be withdrawn. A call that was not sent completes at once; for one that was
   * sent, the outcome says whether it could be withdrawn. Does nothing if the call has ended.
   */
  public void cancel() {
    if (link != null) {
      link.cancel(this);
    }
  }
}
