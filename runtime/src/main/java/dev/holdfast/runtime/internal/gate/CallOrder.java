package dev.holdfast.runtime.internal.gate;

import dev.holdfast.spi.ObjectKey;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the asynchronous calls of one caller in order, for each object that it calls: the caller is
 * a thread outside of all objects, or one instance of an object. Thread-safe; calls that are added
 * one after the other are in that order.
 */
public final class CallOrder {

  /** Up to so many objects are looked at to see that nothing is pending. */
  private static final int FEW = 16;

  /** The last call of each object; guarded by this. Calls that are over are swept out later. */
  private final Map<ObjectKey, SentCall> last = new HashMap<>();

  /** Guarded by this. */
  private int sweepAbove = FEW;

  /** Written under this. A caller sees what it has written itself, and needs no more. */
  private boolean idle = true;

  /** Creates the order of a caller that has sent nothing. */
  public CallOrder() {}

  /**
   * Adds a call behind those that the caller has made before.
   *
   * @param target the object that it calls
   * @param worker brings the call about; for the deadlock detector
   * @return its place; to be ended in any case
   */
  public synchronized SentCall add(ObjectKey target, Worker worker) {
    SentCall added = new SentCall(target, worker);
    added.follow(last.put(target, added));
    idle = false;
    if (last.size() > sweepAbove) {
      sweep();
      sweepAbove = Math.max(FEW, 2 * last.size());
    }
    return added;
  }

  /** {@return whether all calls are known to be over; one look at a field} */
  public boolean isIdle() {
    return idle;
  }

  /**
   * {@return the last call of an object that is not over; null for none}
   *
   * @param target the object
   */
  public synchronized @Nullable SentCall last(ObjectKey target) {
    SentCall found = SentCall.firstPending(last.get(target));
    if (found == null && last.size() <= FEW) {
      sweep();
      idle = last.isEmpty();
    }
    return found;
  }

  private void sweep() {
    last.values().removeIf(each -> SentCall.firstPending(each) == null);
  }
}
