package dev.holdfast.runtime.internal.gate;

import dev.holdfast.spi.ObjectKey;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The place of an asynchronous call among those that its caller makes of one object. The call is
 * <em>delivered</em> when the object's gate has admitted or queued it, or has refused it; it is
 * <em>dropped</em> when it ends without that. In both cases it is over. A call may be delivered
 * when those ahead of it are over. Thread-safe.
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
  private final Supplier<? extends @Nullable Waiter> producer;

  /** What is to run when the call is over, latest first; {@link #OVER} from then on. */
  private final AtomicReference<@Nullable Link> actions = new AtomicReference<>();

  /** The call before this one; null if there is none, and after the delivery. */
  private volatile @Nullable SentCall ahead;

  SentCall(CallOrder order, ObjectKey target, Supplier<? extends @Nullable Waiter> producer) {
    this.order = order;
    this.target = target;
    this.producer = producer;
  }

  void follow(@Nullable SentCall previous) {
    ahead = previous;
  }

  /** {@return the call before this one; null if this one need not wait for any} */
  public @Nullable SentCall ahead() {
    return ahead;
  }

  /** {@return the object that is called} */
  public ObjectKey target() {
    return target;
  }

  /** {@return whether the call was delivered or dropped} */
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

  /** Notes that the object has the call. Only the first note of its end counts. */
  public void delivered() {
    if (!isOver()) {
      ahead = null;
      order.delivered(this);
      end();
    }
  }

  /** Notes that the call has ended, also if it was never delivered. */
  public void ended() {
    if (!isOver()) {
      order.dropped(this, firstPending(ahead));
      end();
    }
  }

  private void end() {
    for (Link each = actions.getAndSet(OVER); each != null; each = each.next) {
      each.action.run();
    }
  }

  /** Takes a call that is over out of the order. */
  void leaveOrder() {
    order.dropped(this, firstPending(ahead));
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
   * Names who has to go on before the calls from this one on are delivered.
   *
   * @param action what to do with each
   */
  public void producers(Consumer<Waiter> action) {
    for (SentCall each = firstPending(this); each != null; each = firstPending(each.ahead)) {
      Waiter working = each.producer.get();
      if (working != null) {
        action.accept(working);
      }
    }
  }
}
