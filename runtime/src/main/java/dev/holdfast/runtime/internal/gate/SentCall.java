package dev.holdfast.runtime.internal.gate;

import dev.holdfast.spi.ObjectKey;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The place of an asynchronous call among those that its caller makes of one object. The call is
 * over when the object's gate has admitted, queued or refused it, which is its delivery, or when it
 * has ended without that. A call may be delivered when all before it are over. Thread-safe.
 */
public final class SentCall {

  private static final Link OVER = new Link(() -> {}, null);

  private static final class Link {
    final Runnable action;
    final @Nullable Link next;

    Link(Runnable action, @Nullable Link next) {
      this.action = action;
      this.next = next;
    }
  }

  private final CallOrder order;
  private final ObjectKey target;
  private final Worker worker;

  /** What is to run when the call is over, in any order; {@link #OVER} from then on. */
  private final AtomicReference<@Nullable Link> actions = new AtomicReference<>();

  /**
   * The call before this one; null if there is none, and after the delivery. Set before others see
   * this, and cleared before they see that it is over.
   */
  private @Nullable SentCall ahead;

  SentCall(CallOrder order, ObjectKey target, Worker worker) {
    this.order = order;
    this.target = target;
    this.worker = worker;
  }

  void follow(@Nullable SentCall previous) {
    ahead = firstPending(previous);
  }

  /** {@return the call before this one; null if this one need not wait for any} */
  public @Nullable SentCall ahead() {
    return ahead;
  }

  /** {@return the object that is called} */
  public ObjectKey target() {
    return target;
  }

  /** {@return whether the call was delivered or has ended} */
  public boolean isOver() {
    return actions.get() == OVER;
  }

  /**
   * Runs something when the call is over.
   *
   * @param action wakes a thread; runs at once if the call is over
   */
  public void whenOver(Runnable action) {
    Link first = actions.get();
    while (first != OVER && !actions.compareAndSet(first, new Link(action, first))) {
      first = actions.get();
    }
    if (first == OVER) {
      action.run();
    }
  }

  /**
   * Forgets an action, so that a call that may hang for long does not keep a caller that has left.
   *
   * @param action that {@link #whenOver} was given; may have run meanwhile
   */
  public void forget(Runnable action) {
    Link first = actions.get();
    while (first != OVER && !actions.compareAndSet(first, without(action, first))) {
      first = actions.get();
    }
  }

  private static @Nullable Link without(Runnable action, @Nullable Link first) {
    Link kept = null;
    for (Link each = first; each != null; each = each.next) {
      if (!each.action.equals(action)) {
        kept = new Link(each.action, kept);
      }
    }
    return kept;
  }

  /** {@return how many actions are to run when the call is over} */
  int awaiting() {
    int count = 0;
    for (Link each = actions.get(); each != null && each != OVER; each = each.next) {
      count++;
    }
    return count;
  }

  /** Records that the object has the call, or has refused it; all before it are over. */
  public void delivered() {
    if (!isOver()) {
      ahead = null;
      end();
      order.remove(this, null);
    }
  }

  /**
   * Records that the call has ended. If it was not delivered, the next one follows those before.
   */
  public void ended() {
    if (!isOver()) {
      // Not a chain of calls that are over: it would grow while there is always one that is not.
      SentCall before = firstPending(ahead);
      ahead = before;
      end();
      order.remove(this, firstPending(before));
    }
  }

  /** Over first, and out of the order then: see {@link CallOrder#remove}. */
  private void end() {
    for (Link each = actions.getAndSet(OVER); each != null; each = each.next) {
      each.action.run();
    }
  }

  /**
   * Looks for a call that is not over among one and those ahead of it.
   *
   * @param from where to begin
   * @return the last such call; null if all are over
   */
  public static @Nullable SentCall firstPending(@Nullable SentCall from) {
    SentCall each = from;
    while (each != null && each.isOver()) {
      each = each.ahead;
    }
    return each;
  }

  /**
   * Names what has to go on before the calls from this one on are delivered.
   *
   * @param action what to do with each
   */
  public void producers(Consumer<Waiter> action) {
    for (SentCall each = firstPending(this); each != null; each = firstPending(each.ahead)) {
      Waiter working = each.worker.producer();
      if (working != null) {
        action.accept(working);
      }
    }
  }
}
