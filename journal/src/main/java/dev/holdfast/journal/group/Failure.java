package dev.holdfast.journal.group;

import dev.holdfast.HoldfastException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.spi.Journal.FailureListener;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a journal has stopped, and the listeners to notify. The first reason counts.
 * Thread-safe.
 */
public final class Failure {

  private static final String REOPEN =
      " close the runtime and open it again; everything acknowledged is kept";

  /**
   * Allocated in advance: waiting threads must be notified even if there is no memory for a reason.
   */
  private final JournalFailedException outOfMemory =
      new JournalFailedException(
          "The process ran out of memory while the journal was written. Give it more memory,"
              + REOPEN,
          null);

  private volatile @Nullable JournalFailedException reason;

  /** Null once they were notified. Guarded by this. */
  private @Nullable List<FailureListener> listeners = new ArrayList<>();

  /** {@return the reason why the journal has stopped; null while it works} */
  public @Nullable JournalFailedException reason() {
    return reason;
  }

  /** Throws if the journal has stopped: a new exception, with the stack of the caller. */
  public void throwIfAny() {
    JournalFailedException failed = reason;
    if (failed != null) {
      throw new JournalFailedException(String.valueOf(failed.getMessage()), failed.getCause());
    }
  }

  /**
   * Stops the journal. Called under the lock of its groups.
   *
   * @return the reason that counts
   */
  public JournalFailedException stop(long durablePosition, Throwable cause) {
    JournalFailedException before = reason;
    if (before != null) {
      return before;
    }
    JournalFailedException failed;
    try {
      failed = after(durablePosition, cause);
    } catch (OutOfMemoryError e) {
      cause.addSuppressed(e);
      failed = outOfMemory;
    }
    reason = failed;
    return failed;
  }

  private static JournalFailedException after(long durablePosition, Throwable cause) {
    Throwable root = cause;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    if (root instanceof VirtualMachineError) {
      return new JournalFailedException(
          "The process ran out of memory or stack ("
              + root
              + ") while the journal wrote the records after position "
              + durablePosition
              + ". Give it more memory,"
              + REOPEN,
          cause);
    }
    if (cause instanceof HoldfastException) {
      return new JournalFailedException(
          "The journal stopped after position " + durablePosition + ": " + cause.getMessage(),
          cause);
    }
    return new JournalFailedException(
        "The journal could not be written after position "
            + durablePosition
            + " ("
            + cause
            + "). Close the runtime, repair the disk and open it again; everything acknowledged is"
            + " kept",
        cause);
  }

  /** Calls a listener when the journal stops, or now if it has. */
  public void onFailure(FailureListener listener) {
    synchronized (this) {
      List<FailureListener> waiting = listeners;
      if (waiting != null) {
        waiting.add(listener);
        return;
      }
    }
    call(listener);
  }

  /** Calls the listeners. An exception from one does not keep others from being called. */
  public void notifyListeners() {
    List<FailureListener> pending;
    synchronized (this) {
      pending = listeners;
      listeners = null;
    }
    if (pending != null) {
      for (int i = 0; i < pending.size(); i++) {
        call(pending.get(i));
      }
    }
  }

  private void call(FailureListener listener) {
    assert !Thread.holdsLock(this);
    JournalFailedException failed = reason;
    if (failed == null) {
      throw new IllegalStateException("The journal has not failed.");
    }
    try {
      listener.failed(failed);
    } catch (RuntimeException | Error e) {
      FaultLog.error("A listener of the journal's failure failed", listener, e);
    }
  }
}
