package dev.holdfast.runtime.internal.instance;

import dev.holdfast.RuntimeClosedException;
import dev.holdfast.TimeSource;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.runtime.internal.Delays;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.statistics.RuntimeState;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The life of a runtime, from its opening to its closing. Thread-safe. */
public final class Lifecycle {

  // states: OPENING -> OPEN -> FAILED -> CLOSING -> CLOSED, FAILED may be skipped
  private enum Phase {
    OPENING,
    OPEN,
    FAILED,
    CLOSING,
    CLOSED
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** Written under the lock; read by every call. */
  private volatile Phase phase = Phase.OPENING;

  private volatile @Nullable Failure failure;

  /**
   * Why a runtime takes no calls any more.
   *
   * @param event the journal or the engine has failed
   * @param what what has failed, for callers that are refused
   * @param report what has failed and what to do, for the log
   * @param resetMessage for the calls in flight
   * @param cause the failure
   */
  public record Failure(
      LogEvent event, String what, String report, String resetMessage, RuntimeException cause) {}

  /** Creates the life of a runtime that is being opened. */
  public Lifecycle() {}

  /** Admits calls. */
  public void open() {
    lock.lock();
    try {
      if (phase == Phase.OPENING) {
        phase = Phase.OPEN;
      }
    } finally {
      lock.unlock();
    }
  }

  /** {@return the state; whether the journal makes progress is not known here} */
  public RuntimeState state() {
    return switch (phase) {
      case OPENING -> RuntimeState.OPENING;
      case OPEN -> RuntimeState.OPEN;
      case FAILED -> RuntimeState.FAILED;
      case CLOSING -> RuntimeState.CLOSING;
      case CLOSED -> RuntimeState.CLOSED;
    };
  }

  /** {@return whether calls are taken without any restriction} */
  boolean isOpen() {
    return phase == Phase.OPEN;
  }

  /** Refuses a call from outside unless the runtime is open. */
  public void admitFromOutside() {
    if (phase != Phase.OPEN) {
      throw refusal();
    }
  }

  /** Refuses a call from inside an object only when nothing can run any more. */
  void admitFromInside() {
    Phase now = phase;
    if (now != Phase.OPEN && (now != Phase.CLOSING || failure != null)) {
      throw refusal();
    }
  }

  /** {@return why the journal or the engine has failed, whichever was first; null if none has} */
  public @Nullable Failure failure() {
    return failure;
  }

  private RuntimeException refusal() {
    Failure failed = failure;
    return ExecutionStack.current()
        .refused(
            failed != null && phase == Phase.FAILED
                ? new JournalFailedException(
                    failed.what() + "; close the runtime, repair the cause and open it again.",
                    failed.cause())
                : new RuntimeClosedException());
  }

  /**
   * Records the failure of the journal, or of the engine.
   *
   * @param failed what has failed
   * @return what has failed first
   */
  public Failure fail(Failure failed) {
    lock.lock();
    try {
      Failure first = failure;
      if (first != null) {
        return first;
      }
      failure = failed;
      if (phase == Phase.OPENING || phase == Phase.OPEN) {
        phase = Phase.FAILED;
      }
      return failed;
    } finally {
      lock.unlock();
    }
  }

  /** {@return whether the calling thread closes the runtime} */
  public boolean beginClosing() {
    lock.lock();
    try {
      if (phase == Phase.CLOSING || phase == Phase.CLOSED) {
        return false;
      }
      phase = Phase.CLOSING;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the life. */
  public void endClosing() {
    lock.lock();
    try {
      phase = Phase.CLOSED;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until another thread has closed the runtime. */
  public void awaitClosed() {
    lock.lock();
    try {
      while (phase != Phase.CLOSED) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Called when an instance is gone: a closing runtime may wait for it. */
  void instanceTerminated() {
    if (phase != Phase.OPEN) {
      lock.lock();
      try {
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * Waits until all instances are gone.
   *
   * @param gone whether they are
   * @param time the clock
   * @param timeout how long to wait
   * @return whether they are gone
   */
  public boolean awaitTerminated(BooleanSupplier gone, TimeSource time, Duration timeout) {
    if (gone.getAsBoolean()) {
      return true;
    }
    Alarm alarm = new Alarm();
    TimeSource.Timer timer = time.schedule(Delays.nanosOf(timeout), alarm);
    lock.lock();
    try {
      boolean ended = gone.getAsBoolean();
      while (!ended && !alarm.rung) {
        changed.awaitUninterruptibly();
        ended = gone.getAsBoolean();
      }
      return ended;
    } finally {
      lock.unlock();
      timer.cancel();
    }
  }

  /** Written under the lock. */
  private final class Alarm implements Runnable, TimeSource.Wait {
    private volatile boolean rung;

    @Override
    public boolean isOver() {
      return rung;
    }

    @Override
    public void run() {
      lock.lock();
      try {
        rung = true;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
