package dev.holdfast.runtime.internal.turn;

import dev.holdfast.spi.Journal;
import org.jspecify.annotations.Nullable;

/**
 * The executions of one thread: an object that calls another one runs both on its thread. Found by
 * one thread-local read; everything else is plain fields. Owned by its thread.
 */
public final class ExecutionStack {

  private static final ThreadLocal<ExecutionStack> CURRENT =
      ThreadLocal.withInitial(ExecutionStack::new);

  private final Thread thread = Thread.currentThread();
  private @Nullable Execution top;
  private long inheritedPosition = Journal.START;
  private @Nullable Produced origin;
  private Patience patience = Patience.UNLIMITED;

  private ExecutionStack() {}

  /** {@return the stack of the current thread} */
  public static ExecutionStack current() {
    return CURRENT.get();
  }

  /** {@return the thread this is the stack of} */
  public Thread thread() {
    return thread;
  }

  /** {@return the innermost execution of this thread; null outside of all objects} */
  public @Nullable Execution top() {
    return top;
  }

  /**
   * Enters or leaves an execution.
   *
   * @param execution the innermost one from now on
   */
  public void setTop(@Nullable Execution execution) {
    top = execution;
  }

  /** {@return what every call made from outside of all objects by this thread depends on} */
  public long inheritedPosition() {
    return inheritedPosition;
  }

  /**
   * Says that this thread carries a message of an object, though it runs outside of it.
   *
   * @param position what the message depends on
   * @param result what the thread is to bring about
   * @param whoWaits how long anybody wants it
   */
  public void carry(long position, Produced result, Patience whoWaits) {
    inheritedPosition = position;
    origin = result;
    patience = whoWaits;
  }

  /** {@return how long calls made from outside of all objects by this thread may wait} */
  public Patience patience() {
    return patience;
  }

  /**
   * Notes the call that this thread makes, for those who wait for what the thread brings about.
   *
   * @param call the call; null when it is over
   */
  public void noteCall(@Nullable Execution call) {
    if (origin != null) {
      origin.setProducer(call);
    }
  }
}
