package dev.holdfast.statistics;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * An event of an object that has begun and not ended: a call, the run of an alarm, a task, a timer.
 * Put together while it goes on, so parts of it may be a moment apart. Immutable.
 *
 * @param namespace the name of the object's namespace
 * @param id the object's id, 64 hexadecimal digits
 * @param name the object's name; empty if its id was not made from a name here
 * @param kind what runs
 * @param method the method that is called, {@code alarm} for an alarm; empty where there is none
 * @param activity what it does, or waits for
 * @param called the object that it waits for, as {@code namespace/id}; empty unless it waits for a
 *     call
 * @param age how long it has run at least: the runtime looks every few seconds, so that calls need
 *     no clock. Zero if it has not been seen before
 * @param queued how many wait for a turn of the object
 * @param stack where its thread is; empty if that was not asked for, or it has no thread now
 */
public record ExecutionStatus(
    String namespace,
    String id,
    Optional<String> name,
    Kind kind,
    String method,
    Activity activity,
    Optional<String> called,
    Duration age,
    int queued,
    List<StackTraceElement> stack) {

  /**
   * Copies the stack.
   *
   * @throws NullPointerException if a frame is null
   */
  public ExecutionStatus {
    stack = List.copyOf(stack);
  }

  /** What runs in an object. */
  public enum Kind {
    /** A call of a method. */
    CALL,
    /** The handler of an alarm. */
    ALARM,
    /** A task that the object has started with {@code async}. */
    TASK,
    /** A timer of the object. */
    TIMER,
    /** Work of the runtime, such as a restore, a migration or a read of an operator. */
    RUNTIME
  }

  /** What an execution does. */
  public enum Activity {
    /** Its code runs, and everything else of the object waits. */
    RUNS,
    /**
     * Its code runs on in an instance that was reset, and the next instance waits for it. Only the
     * code itself, or the end of the process, can end it.
     */
    RUNS_AFTER_RESET,
    /** It waits for its next turn. */
    WAITS_FOR_TURN,
    /** It waits for a call of another object. */
    WAITS_FOR_CALL,
    /** It waits in {@code await}. */
    WAITS_FOR_STAGE,
    /** It waits until what it depends on is durable. */
    WAITS_FOR_DISK,
    /** Its code works outside of the turn, in {@code ObjectContext.call}. */
    WORKS_OUTSIDE
  }
}
