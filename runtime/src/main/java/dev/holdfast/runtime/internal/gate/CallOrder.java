package dev.holdfast.runtime.internal.gate;

import dev.holdfast.spi.ObjectKey;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the asynchronous calls of one caller in order, for each object that it calls: the caller is
 * a thread outside of all objects, or one instance of an object. Has an entry for each object with
 * a call that is not delivered yet. Thread-safe.
 */
public final class CallOrder {

  private final ConcurrentHashMap<ObjectKey, SentCall> last = new ConcurrentHashMap<>();

  /** Creates the order of a caller that has sent nothing. */
  public CallOrder() {}

  /**
   * Adds a call behind those that the caller has made before.
   *
   * @param target the object that it calls
   * @param producer gives the execution that brings the call about; for the deadlock detector
   * @return its place; to be ended in any case
   */
  public SentCall add(ObjectKey target, Supplier<? extends @Nullable Waiter> producer) {
    SentCall added = new SentCall(this, target, producer);
    // Followed only then: its thread, which alone looks ahead of it, has not been started.
    added.follow(last.put(target, added));
    return added;
  }

  /**
   * {@return the last call of an object that is not delivered yet, as far as is known; null for
   * none}
   *
   * @param target the object
   */
  public @Nullable SentCall last(ObjectKey target) {
    return last.isEmpty() ? null : last.get(target);
  }

  void delivered(SentCall call) {
    last.remove(call.target(), call);
  }

  /** The calls after one that comes to nothing still follow those before it. */
  void dropped(SentCall call, @Nullable SentCall ahead) {
    if (ahead == null) {
      last.remove(call.target(), call);
    } else if (last.replace(call.target(), call, ahead) && ahead.isOver()) {
      ahead.leaveOrder();
    }
  }
}
