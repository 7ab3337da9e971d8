package dev.holdfast.runtime.internal.turn;

import dev.holdfast.runtime.internal.jfr.CallEvent;
import dev.holdfast.runtime.internal.jfr.FlightRecording;
import dev.holdfast.runtime.internal.jfr.GateWaitEvent;
import dev.holdfast.runtime.internal.jfr.RecordedOutcome;
import org.jspecify.annotations.Nullable;

/**
 * What statistics and events keep of one execution. Apart from it, and made only for those that are
 * timed or have an event: an idle call pays for each byte of its execution. Confined like the
 * execution.
 */
final class Timing {

  /** How many executions it was chosen from; 0 if its times are not taken. */
  int weight;

  /** Whether it has queued for its turn, and from when on. */
  private boolean hasQueued;

  private long queuedNanos;

  private @Nullable CallEvent call;
  private @Nullable GateWaitEvent gateWait;

  /** Keeps the event of a call. */
  void setCall(CallEvent event) {
    call = event;
  }

  @Nullable CallEvent call() {
    return call;
  }

  void setOutcome(RecordedOutcome how) {
    CallEvent own = call;
    if (own != null) {
      own.setOutcome(how);
    }
  }

  /** Records that it begins to queue for its turn; timed from now on, as all that wait. */
  void queueing(long nowNanos) {
    weight = 1;
    queuedNanos = nowNanos;
    hasQueued = true;
    gateWait = FlightRecording.isPossible() ? GateWaitEvent.begun() : null;
  }

  /** {@return how long it has queued, by the time of its turn; 0 if it did not} */
  long takeQueuedNanos(long nowNanos) {
    boolean queued = hasQueued;
    hasQueued = false;
    return queued ? nowNanos - queuedNanos : 0;
  }

  /** Writes the event of its wait for a turn, if there was one and the event is on. */
  void endGateWait(Turn turn) {
    GateWaitEvent ended = gateWait;
    gateWait = null;
    if (ended != null) {
      ended.end(turn.key(), GateWaitEvent.Gate.INPUT);
    }
  }
}
