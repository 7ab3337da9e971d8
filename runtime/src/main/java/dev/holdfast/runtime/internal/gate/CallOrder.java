package dev.holdfast.runtime.internal.gate;

import dev.holdfast.spi.ObjectKey;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the asynchronous calls of one caller in order, for each object that it calls: the caller is
 * a thread outside of all objects, or one instance of an object. Has an entry for each object with
 * a call that is not over. Thread-safe; calls that are added one after the other are in that order.
 */
public final class CallOrder {

  private final ConcurrentHashMap<ObjectKey, SentCall> last = new ConcurrentHashMap<>();

  /** Creates the order of a caller that has sent nothing. */
  public CallOrder() {}

  /**
   * Adds a call after those that the caller has made before.
   *
   * @param target the object that it calls
   * @param worker brings the call about; for the deadlock detector
   * @return its place; to be ended in any case
   */
  public SentCall add(ObjectKey target, Worker worker) {
    SentCall added = new SentCall(this, target, worker);
    // Followed only then: it cannot be over before its thread is started.
    added.follow(last.put(target, added));
    return added;
  }

  /** {@return whether all calls are over} */
  public boolean isIdle() {
    return last.isEmpty();
  }

  /**
   * {@return the last call of an object that may not be over; null for none}
   *
   * @param target the object
   */
  public @Nullable SentCall last(ObjectKey target) {
    return last.get(target);
  }

  /** Takes a call out; one that was not delivered leaves its place to the pending one before it. */
  void remove(SentCall call, @Nullable SentCall before) {
    if (before == null) {
      last.remove(call.target(), call);
    } else if (last.replace(call.target(), call, before) && before.isOver()) {
      // Else it takes itself out when it is over: this entry is there by then.
      remove(before, SentCall.firstPending(before));
    }
  }
}
