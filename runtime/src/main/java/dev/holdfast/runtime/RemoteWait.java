package dev.holdfast.runtime;

import dev.holdfast.ObjectId;
import dev.holdfast.runtime.internal.gate.Waiter;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.runtime.internal.turn.Pending;
import dev.holdfast.spi.ObjectKey;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An execution of an object here that waits for a call of an object in another process. Calls that
 * come back from there, because of that call, are what it waits for: so a circle of critical
 * sections that leads through another process is seen here, and refused. Thread-safe.
 *
 * <p>A circle is not seen if a part of it is known to another process only: two objects whose
 * sections call each other, begun apart on two nodes, wait until a time-out. The same is true of
 * calls that a task or an asynchronous call makes: whether somebody waits for it is not known.
 */
public final class RemoteWait implements AutoCloseable {

  private final Execution waiting;

  /** The executions here that are made for the call. */
  private final Set<Execution> working = ConcurrentHashMap.newKeySet();

  private RemoteWait(Execution waiting) {
    this.waiting = waiting;
  }

  /**
   * Begins the wait of the calling thread, outside of the turn of its object.
   *
   * @return the wait; null if the thread runs no object
   */
  public static @Nullable RemoteWait begin() {
    Execution caller = ExecutionStack.current().top();
    if (caller == null) {
      return null;
    }
    RemoteWait wait = new RemoteWait(caller);
    caller.setAwaited(wait.new Working());
    return wait;
  }

  /**
   * {@return those that wait for what the calling thread calls now, the outermost first}
   *
   * @param self gives the calling execution a place among them, if the thread runs an object
   */
  public static List<RemoteCaller> callers(Naming self) {
    Execution caller = ExecutionStack.current().top();
    if (caller == null) {
      return List.of();
    }
    ObjectKey key = caller.turn().key();
    RemoteCaller own = self.name(key.namespace(), key.id(), caller.place() != null);
    Execution outermost = caller;
    for (Execution each = caller.outer(); each != null; each = each.outer()) {
      outermost = each;
    }
    ExecutionStack.MadeFor madeFor = outermost.madeFor();
    if (madeFor instanceof CallFor made) {
      return Stream.concat(made.waiting().stream(), Stream.of(own)).toList();
    }
    return List.of(own);
  }

  /** Names an execution of this process to others. */
  @FunctionalInterface
  public interface Naming {

    /**
     * {@return the execution}
     *
     * @param namespace the namespace of its object
     * @param id its object
     * @param inSection whether it has a critical section open
     */
    RemoteCaller name(String namespace, ObjectId id, boolean inSection);
  }

  /**
   * Makes a call of an object here for another process.
   *
   * @param <T> the result
   * @param callers those that wait for it, the outermost first
   * @param here the ones that wait here
   * @param call calls the object, on this thread
   * @return its result
   * @throws Exception whatever it throws
   */
  public static <T extends @Nullable Object> T callFor(
      List<RemoteCaller> callers, List<RemoteWait> here, Callable<T> call) throws Exception {
    if (callers.isEmpty()) {
      return call.call();
    }
    CallFor made = new CallFor(callers, here);
    ExecutionStack stack = ExecutionStack.current();
    stack.setMadeFor(made);
    try {
      return call.call();
    } finally {
      stack.setMadeFor(null);
      made.end();
    }
  }

  /** Ends the wait: no circle leads through it any more. */
  @Override
  public void close() {
    waiting.setAwaited(null);
  }

  /** What the execution waits for, as the search for circles sees it. */
  private final class Working implements Pending {

    @Override
    public @Nullable Execution producer() {
      return null;
    }

    @Override
    public void producers(Consumer<Waiter> action) {
      working.forEach(action);
    }
  }

  /** A call that another process has sent. Thread-safe: one with a time-out has two threads. */
  private static final class CallFor implements ExecutionStack.MadeFor {

    private final List<RemoteCaller> callers;
    private final List<RemoteWait> here;
    private @Nullable Execution call;
    private boolean isOver;

    CallFor(List<RemoteCaller> callers, List<RemoteWait> here) {
      this.callers = callers;
      this.here = here;
    }

    @Override
    public synchronized void made(Execution execution) {
      forget();
      if (!isOver) {
        call = execution;
        here.forEach(wait -> wait.working.add(execution));
      }
    }

    /** {@return those that wait; empty if they have given the call up} */
    synchronized List<RemoteCaller> waiting() {
      return isOver ? List.of() : callers;
    }

    synchronized void end() {
      isOver = true;
      forget();
    }

    private void forget() {
      Execution over = call;
      if (over != null) {
        here.forEach(wait -> wait.working.remove(over));
        call = null;
      }
    }
  }
}
