package dev.holdfast.runtime.internal.instance;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ScheduledTask;
import dev.holdfast.TimeSource;
import dev.holdfast.runtime.internal.turn.BackgroundEvent;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.runtime.internal.turn.TurnAdmission;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.statistics.ExecutionStatus;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One timer of an object. When its time comes it queues at the object's gate like any event; until
 * its first turn it can still be cancelled. Thread-safe.
 */
final class ObjectTimer implements ScheduledTask, BackgroundEvent {

  // states: PENDING -> BEGUN, or PENDING -> CANCELLED
  private enum State {
    PENDING,
    BEGUN,
    CANCELLED
  }

  private final Instance instance;
  private final Runnable task;
  private final Execution execution;
  private final AtomicReference<State> state = new AtomicReference<>(State.PENDING);

  /** Null until the clock has taken the timer; it may fire even before. */
  private volatile TimeSource.@Nullable Timer clockTimer;

  ObjectTimer(Instance instance, Runnable task) {
    this.instance = instance;
    this.task = task;
    this.execution = Execution.ofEvent(instance.turn(), this);
  }

  @Override
  public ExecutionStatus.Kind kind() {
    return ExecutionStatus.Kind.TIMER;
  }

  Execution execution() {
    return execution;
  }

  void start(TimeSource time, long delayNanos) {
    clockTimer = time.schedule(delayNanos, () -> TurnAdmission.enqueue(execution));
  }

  @Override
  public boolean cancel() {
    ExecutionStack.current().enterEngine();
    return withdraw();
  }

  /** Cancels it without a door; for the end of the instance. */
  boolean withdraw() {
    if (!state.compareAndSet(State.PENDING, State.CANCELLED)) {
      return false;
    }
    TimeSource.Timer scheduled = clockTimer;
    if (scheduled != null) {
      scheduled.cancel();
    }
    execution.withdraw();
    instance.timerEnded(this);
    return true;
  }

  @Override
  public void run() {
    if (state.compareAndSet(State.PENDING, State.BEGUN)) {
      task.run();
    }
  }

  @Override
  public void ended(@Nullable Throwable failure) {
    instance.timerEnded(this);
    if (failure != null && !(failure instanceof InstanceResetException)) {
      ObjectKey key = instance.turn().key();
      instance
          .turn()
          .parts()
          .report(
              LogEvent.TIMER_FAILED,
              key,
              () ->
                  "A timer of "
                      + key
                      + " failed and is not repeated; the object goes on. Set it again.",
              failure);
    }
  }
}
