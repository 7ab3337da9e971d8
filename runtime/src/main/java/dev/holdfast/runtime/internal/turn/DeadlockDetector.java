package dev.holdfast.runtime.internal.turn;

import dev.holdfast.errors.MisuseException;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.statistics.ResetReason;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sees circles of critical sections: A holds its gate shut and waits for B, which waits for A.
 *
 * <p>Turns cannot make a circle, because a wait opens the gate. Sections can: a gate with an open
 * section stays shut while the section's code waits. An execution waits for at most one thing, so
 * the search follows few edges:
 *
 * <ul>
 *   <li>an execution inside a call waits for the execution of that call;
 *   <li>an execution that awaits a task, or a call made asynchronously, waits for that;
 *   <li>a call waits for the calls that its caller made asynchronously before it, until they are
 *       delivered;
 *   <li>an execution queued after sections waits for the executions that opened them;
 *   <li>an execution that waits for a call of another process waits for the calls that come back
 *       from there because of it.
 * </ul>
 *
 * <p><b>No circle is missed.</b> Each edge is published before its maker looks, and looks are
 * ordered by one lock: of the makers of a circle the last to look sees all of it. Opening a section
 * closes no circle, because its opener runs.
 *
 * <p><b>No circle is made up.</b> The edges that lead to the thread that looks stay as they are
 * while it looks, for it does not go on; and so, backwards, do all edges of the circle. A time-out
 * or a reset may cut one at that moment: then a waiter is refused that would have been admitted
 * soon.
 *
 * <p>The lock is taken only by executions that found a section in their way. Thread-safe.
 */
public final class DeadlockDetector {

  /** One for all runtimes of the process: a circle may lead through several, as on a node. */
  private static final ReentrantLock LOCK = new ReentrantLock();

  /** Creates a detector; one for a runtime. */
  public DeadlockDetector() {}

  /**
   * Takes a call back out of its queue if it could never be admitted.
   *
   * @param queued the call
   * @throws MisuseException naming the circle
   */
  void refuseCall(Execution queued) {
    LOCK.lock();
    try {
      String circle = circleThrough(queued);
      // Withdrawn under the lock: others of the same circle look afterwards and find it cut.
      if (circle != null && queued.turn().gate().withdraw(queued)) {
        throw refusal(queued, circle);
      }
    } finally {
      LOCK.unlock();
    }
  }

  /**
   * Refuses a wait that could never end, before the turn ends.
   *
   * @param waiting whose awaited thing is set
   * @throws MisuseException naming the circle
   */
  void refuseWait(Execution waiting) {
    LOCK.lock();
    try {
      String circle = circleThrough(waiting);
      if (circle != null) {
        waiting.setAwaited(null);
        throw refusal(waiting, circle);
      }
    } finally {
      LOCK.unlock();
    }
  }

  /**
   * Resets the object of an execution that wants to go on but never could: the section in its way
   * waits for it. There is no code to throw to, since neither of the two is in a turn.
   *
   * @param resuming queued to go on
   */
  void resetIfStuck(Execution resuming) {
    MisuseException refusal = null;
    LOCK.lock();
    try {
      String circle = circleThrough(resuming);
      if (circle != null) {
        refusal = refusal(resuming, circle);
      }
    } finally {
      LOCK.unlock();
    }
    if (refusal != null) {
      resuming
          .turn()
          .reset(
              ResetReason.DEADLOCK,
              "The object was reset because a critical section could never end.",
              refusal);
    }
  }

  private static MisuseException refusal(Execution refused, String circle) {
    ObjectKey key = refused.turn().key();
    return new MisuseException(
        key.namespace(),
        key.id(),
        MisuseException.Reason.DEADLOCK,
        "This wait could never end, because critical sections wait for each other: "
            + circle
            + ". Call the other object outside of the critical section.");
  }

  /** Searches from an execution along the edges; the names of a circle that leads back, or null. */
  private static @Nullable String circleThrough(Execution start) {
    Map<Execution, Execution> reachedFrom = new HashMap<>();
    Deque<Execution> toVisit = new ArrayDeque<>();
    toVisit.push(start);
    while (!toVisit.isEmpty()) {
      Execution each = toVisit.pop();
      for (Execution ahead : aheadOf(each)) {
        if (ahead == start) {
          return names(start, each, reachedFrom);
        }
        if (reachedFrom.putIfAbsent(ahead, each) == null) {
          toVisit.push(ahead);
        }
      }
    }
    return null;
  }

  private static Iterable<Execution> aheadOf(Execution execution) {
    Deque<Execution> ahead = new ArrayDeque<>();
    Pending awaited = execution.awaited();
    if (awaited != null) {
      awaited.producers(producer -> ahead.add((Execution) producer));
    }
    execution.turn().gate().openersAheadOf(execution, opener -> ahead.add((Execution) opener));
    return ahead;
  }

  private static String names(
      Execution start, Execution last, Map<Execution, Execution> reachedFrom) {
    Deque<String> path = new ArrayDeque<>();
    path.push(start.turn().key().toString());
    for (Execution each = last; each != null; each = reachedFrom.get(each)) {
      String name = each.turn().key().toString();
      if (!name.equals(path.peek())) {
        path.push(name);
      }
    }
    if (path.size() == 1) {
      path.push(start.turn().key().toString());
    }
    return String.join(" -> ", path);
  }
}
