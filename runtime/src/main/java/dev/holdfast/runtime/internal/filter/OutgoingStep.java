package dev.holdfast.runtime.internal.filter;

import dev.holdfast.filter.Headers;
import dev.holdfast.filter.OutgoingCall;
import org.jspecify.annotations.Nullable;

/** One filter's view of a call as it is made. Confined to the thread that makes the call. */
final class OutgoingStep extends Step implements OutgoingCall {

  private final Filters filters;
  private final Departure call;
  private final int index;
  private final Thread thread = Thread.currentThread();

  /** What outer filters have set. */
  private final @Nullable Runnable outerWhenHeld;

  private @Nullable Runnable whenHeld;

  OutgoingStep(
      Filters filters,
      Departure call,
      int index,
      Headers headers,
      @Nullable Runnable outerWhenHeld) {
    super(call, headers);
    this.filters = filters;
    this.call = call;
    this.index = index;
    this.outerWhenHeld = outerWhenHeld;
  }

  /** Runs the filter of this step. */
  @Nullable Object filter() throws Throwable {
    try {
      return filters.outgoing[index].filter(this);
    } finally {
      end();
    }
  }

  @Override
  public @Nullable Object proceed(Headers changed) throws Throwable {
    requireRunning(Thread.currentThread().equals(thread));
    Runnable held = both(outerWhenHeld, whenHeld);
    int next = index + 1;
    return next == filters.outgoing.length
        ? call.run(changed, held)
        : new OutgoingStep(filters, call, next, changed, held).filter();
  }

  @Override
  public void whenHeld(Runnable action) {
    requireRunning(Thread.currentThread().equals(thread));
    whenHeld = action;
  }

  private static @Nullable Runnable both(@Nullable Runnable first, @Nullable Runnable second) {
    if (first == null || second == null) {
      return first == null ? second : first;
    }
    return () -> {
      first.run();
      second.run();
    };
  }
}
