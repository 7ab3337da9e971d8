package dev.holdfast;

import dev.holdfast.storage.ObjectStorage;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What an object knows of itself and of the runtime around it.
 *
 * <p>An object runs one turn at a time. A <em>turn</em> is the stretch of its code between two
 * waits; everything it writes in a turn becomes durable together or not at all. Only the waits
 * named here ({@link #await}, {@link #call}, {@link #blockConcurrencyWhile}, a call of another
 * object, {@code storage().sync()}, and a read with {@code allowConcurrency} that needs the disk)
 * end a turn and let other events of the object in; every other way of blocking keeps the turn, and
 * with it the object. {@code storage().transaction} ends a turn before and after, too, and lets
 * nobody in.
 *
 * <p><b>Order around waits.</b> Events begin in the order in which the object gets them. A wait
 * ends that order: executions that wait go on in the order in which their waits end, and that is
 * any order, also when all of them wait for the disk. So after a wait, whatever it was:
 *
 * <ul>
 *   <li>What this execution wrote before the wait is sealed: it is durable before, or together
 *       with, everything that the object, or an object that it calls, writes later.
 *   <li>Other events may have run and may have changed the object's state. Read it again.
 *   <li>Two executions that wrote A, then B, and then both waited, may go on in the order B, A.
 *       Code that writes, waits until that is durable and then notifies others may notify in
 *       another order than it wrote.
 * </ul>
 *
 * <p>What has an order: the batches of an object; the calls that one caller makes of one object,
 * see {@link ObjectStub}; and events inside one {@link #blockConcurrencyWhile}, which keeps others
 * out until it is over. A number that is taken in the turn of the write, and is sent along, lets a
 * receiver restore the order.
 *
 * <p><b>Threads.</b> Code of an object runs on the thread of its caller, or on a virtual thread of
 * the runtime: strands, timers, alarms and asynchronous calls always do, blocking calls of a busy
 * object often. So it must not depend on thread-locals or scoped values of its caller, nor on locks
 * that the caller holds: pass what it needs as an argument. An interrupt of the caller reaches the
 * code on either thread.
 *
 * <p>All methods except {@link #id} and {@link #namespace} must be called by the thread that runs
 * the object's current turn; any other use fails with {@link dev.holdfast.MisuseException}.
 */
public interface ObjectContext {

  /** {@return the id of this object, with its name where it was addressed by name} */
  ObjectId id();

  /** {@return the name of the namespace this object belongs to} */
  String namespace();

  /**
   * Returns a namespace of this object's runtime, its own one or another, for calling objects from
   * inside this one. The namespace stays usable as long as the runtime is open.
   *
   * @param <T> the interface of the objects
   * @param name the namespace's name
   * @param type the interface it was registered with
   * @return the namespace
   * @throws NamespaceException if no namespace has this name, or it has another interface
   */
  <T> ObjectNamespace<T> namespace(String name, Class<T> type);

  /** {@return the private storage of this object} */
  ObjectStorage storage();

  /**
   * Waits for something that was started before. Ends the turn; other events of the object run
   * meanwhile; the code after it is a new turn that begins when the input gate lets it in. Several
   * executions that wait for one stage go on in any order.
   *
   * @param <T> the result
   * @param stage what to wait for
   * @return the value of the stage
   * @throws RuntimeException the failure of the stage itself when it is unchecked, else a {@link
   *     java.util.concurrent.CompletionException} with it as the cause
   * @throws CallInterruptedException if the thread is interrupted while it waits
   */
  <T extends @Nullable Object> T await(CompletionStage<T> stage);

  /**
   * Runs blocking work, such as a request to another service, outside the turn, on the calling
   * thread. What the work does may be seen by the world, so it starts only when everything this
   * object has written so far is durable (unless all of it was written as unconfirmed). Other
   * events of the object run meanwhile. The work must not use this context or the object's state.
   *
   * <p>The work of two executions runs side by side and begins in any order, whatever the order in
   * which their turns have ended; so do the turns after it.
   *
   * @param <T> the result
   * @param work the work
   * @return its result
   * @throws Exception whatever the work throws
   */
  <T extends @Nullable Object> T call(Callable<T> work) throws Exception;

  /**
   * Starts a second strand of execution inside this object, on a virtual thread of its own. The
   * strand takes turns with all other events of the object and begins after the current turn, in
   * the order in which strands are started and other events come. An instance with a running strand
   * is not evicted.
   *
   * @param <T> the result
   * @param strand code of the object; may use this context
   * @return completes with the result of the strand; wait for it with {@link #await}
   */
  <T extends @Nullable Object> CompletableFuture<T> async(Callable<T> strand);

  /**
   * Runs a task as an event of this object after a delay. Timers are not durable: they are gone
   * when the instance is reset or the process ends; durable timers are alarms. An instance with a
   * pending timer is not evicted.
   *
   * @param delay zero or more
   * @param task code of the object; an exception it throws is reported to the system logger
   * @return a handle for cancelling it
   * @throws IllegalArgumentException if {@code delay} is negative
   */
  ScheduledTask schedule(Duration delay, Runnable task);

  /**
   * Keeps the instance in memory until a stage is complete, however it ends.
   *
   * @param stage work that goes on after the current event
   */
  void waitUntil(CompletionStage<?> stage);

  /**
   * Runs a critical section: until the closure is over, only events that it started itself are
   * delivered to this object. The section begins after the current turn and before any event that
   * already waits.
   *
   * <p>If the closure throws, or takes longer than {@link NamespaceOptions#criticalSectionTimeout},
   * the object is reset: every caller in flight gets {@link InstanceResetException}, and the code
   * that waits here is never resumed (its thread unwinds with an error that cannot be caught
   * usefully). The rules are those of the reference runtime.
   *
   * @param <T> the result
   * @param closure code of the object
   * @return its result
   * @throws dev.holdfast.MisuseException at once, if sections are nested deeper than 64 or the
   *     section could never end because it waits for its own beginning
   */
  <T extends @Nullable Object> T blockConcurrencyWhile(Callable<T> closure);

  /**
   * Resets this object: drops what this turn has written and the messages it would have sent at its
   * end, fails every call in flight with {@link InstanceResetException}, and lets the next call
   * start a fresh instance from the last sealed state. The reply of a call that has ended before is
   * not dropped; it leaves when it is durable. So does the reason: it may quote what earlier turns
   * wrote. Never returns normally.
   *
   * @param reason told to the callers; null for a standard text
   * @return nothing; declared so that {@code throw context.abort(reason)} tells the compiler
   */
  RuntimeException abort(@Nullable String reason);
}
