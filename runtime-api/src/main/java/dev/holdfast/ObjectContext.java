package dev.holdfast;

import dev.holdfast.storage.ObjectStorage;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What an object sees of itself and of its runtime.
 *
 * <p>An object runs one turn at a time. A <em>turn</em> is the code between two waits. All writes
 * of a turn become durable together or not at all. Only these waits end a turn and let other events
 * of the object run: {@link #await}, {@link #call}, {@link #blockConcurrencyWhile}, a call of
 * another object, {@code storage().sync()}, and a read with {@code allowConcurrency} that needs the
 * disk. Every other way of blocking keeps the turn, and with it the object. {@code
 * storage().transaction} also ends a turn before and after it, but lets no other event run.
 *
 * <p><b>Order around waits.</b> Events begin in the order in which the object receives them. A wait
 * ends that order: waiting executions continue in the order in which their waits end, which can be
 * any order. Those in {@code storage().sync()} keep theirs. So after any wait:
 *
 * <ul>
 *   <li>The writes of this execution before the wait are sealed: they are durable before, or
 *       together with, all later writes of this object and of the objects that it calls.
 *   <li>Other events may have run and may have changed the object's state. Read it again.
 *   <li>Two executions that wrote A, then B, and then both waited, may continue in the order B, A,
 *       unless both waited in {@code storage().sync()}.
 * </ul>
 *
 * <p>These have an order: the batches of an object; the calls of one caller to one object, see
 * {@link ObjectStub}; and the events inside one {@link #blockConcurrencyWhile}, which keeps others
 * out until it ends. To let a receiver restore the order, take a number in the turn of the write
 * and send it along.
 *
 * <p><b>Threads.</b> Code of an object runs on the thread of its caller, or on a virtual thread of
 * the runtime: tasks of {@link #async}, timers, alarms and asynchronous calls always do, blocking
 * calls of a busy object often. So the code must not depend on thread-locals or scoped values of
 * its caller, nor on locks that the caller holds; pass values as arguments, or have a {@link
 * dev.holdfast.filter.ContextCarrier} carry them. An interrupt of the caller reaches the code on
 * either thread; the code must not rely on the interrupt flag of the thread that it finds. {@link
 * ObjectRegistrar#freshThreads} makes code that relies on its caller fail in tests.
 *
 * <p><b>Reset.</b> When the instance is reset, code that waits here, or that uses this context
 * afterwards in the old turn, unwinds with an {@link Error}. Do not catch it.
 *
 * <p>{@link #id}, {@link #namespace}, {@link #clock} and {@link #storage} may be called by every
 * thread; all other methods only by the thread that runs the object's current turn.
 */
public interface ObjectContext {

  /** {@return the id of this object, with its name if it was addressed by name} */
  ObjectId id();

  /** {@return the name of the namespace of this object} */
  String namespace();

  /**
   * Returns a namespace of this object's runtime, for calls to other objects. It stays usable while
   * the runtime is open.
   *
   * @param <T> the interface of the objects
   * @param name the name of the namespace
   * @param type the interface with which it was registered
   * @return the namespace
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name, or it has another
   *     interface
   */
  <T> ObjectNamespace<T> namespace(String name, Class<T> type);

  /**
   * Returns the clock of the runtime, for code that must not read another one: {@code
   * context.clock().instant()}. SQL reads the same time with {@code now} and {@code
   * CURRENT_TIMESTAMP}. The time of the operating system, or of the clock that a test has opened
   * the runtime with. The time may jump in either direction, and passes during a turn.
   *
   * @return the clock; thread-safe, and usable after the turn
   */
  InstantSource clock();

  /** {@return the private storage of this object} */
  ObjectStorage storage();

  /**
   * Waits for a stage. Ends the turn; other events of the object run meanwhile. The code after it
   * is a new turn, which begins when the input gate admits it. Several executions that wait for one
   * stage continue in any order.
   *
   * @param <T> the result
   * @param stage the stage
   * @return the value of the stage
   * @throws RuntimeException if the stage failed: its own exception if that is unchecked, else a
   *     {@link java.util.concurrent.CompletionException} with it as the cause
   * @throws dev.holdfast.errors.CallInterruptedException if the thread is interrupted while it
   *     waits
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, is inside of {@code transactionSync}, or critical sections would wait for each other
   */
  <T extends @Nullable Object> T await(CompletionStage<T> stage);

  /**
   * Runs blocking work, such as a request to another service, outside the turn, on the calling
   * thread. The effects of the work may be visible to the world, so it starts only when all writes
   * of this object so far are durable (unless all of them were unconfirmed). Other events of the
   * object run meanwhile. The work must not use this context or the object's state.
   *
   * <p>The work of two executions runs concurrently and begins in any order, whatever the order in
   * which their turns ended; so do the turns after it. The work may call this object through a
   * stub.
   *
   * @param <T> the result
   * @param work the work
   * @return its result
   * @throws Exception if the work throws it
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or is inside of {@code transactionSync}
   */
  <T extends @Nullable Object> T call(Callable<T> work) throws Exception;

  /**
   * Starts a task inside this object, on a new virtual thread. The task takes turns with all other
   * events of the object. It begins after the current turn, in the order in which tasks are started
   * and other events arrive. An instance with a running task is not evicted.
   *
   * @param <T> the result
   * @param task code of the object; may use this context
   * @return completes with the result of the task; wait for it with {@link #await}
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   */
  <T extends @Nullable Object> CompletableFuture<T> async(Callable<T> task);

  /**
   * Runs a task as an event of this object after a delay. Timers are not durable: they end when the
   * instance is reset or the process ends. Durable timers are alarms. An instance with a pending
   * timer is not evicted.
   *
   * @param delay zero or more
   * @param task code of the object; its exceptions are reported to the system logger
   * @return a handle for cancelling it
   * @throws IllegalArgumentException if {@code delay} is negative
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   */
  ScheduledTask schedule(Duration delay, Runnable task);

  /**
   * Keeps the instance in memory until a stage is complete, normally or with a failure.
   *
   * @param stage work that continues after the current event
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   */
  void waitUntil(CompletionStage<?> stage);

  /**
   * Runs a critical section: until the closure ends, the object receives only events that the
   * closure started itself. The section begins after the current turn and before all waiting
   * events.
   *
   * <p>If the closure throws, or takes longer than {@link NamespaceOptions#criticalSectionTimeout},
   * the object is reset: every call in flight fails with {@link InstanceResetException}, and the
   * code that waits here does not continue. The reference runtime has the same rules.
   *
   * @param <T> the result
   * @param closure code of the object
   * @return its result
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, is inside of {@code transactionSync}, sections are nested deeper than 64, or the
   *     section could never end because it waits for its own beginning
   */
  <T extends @Nullable Object> T blockConcurrencyWhile(Callable<T> closure);

  /**
   * Runs an action once everything that the turn depends on is durable, outside of the turn, on a
   * virtual thread. The actions of one object run one after the other, in the order of its turns; a
   * slow one holds up later ones of its object only. If the turn is lost, by a reset or a crash,
   * its actions never run. Actions are not durable: a crash, and the close of the runtime after
   * {@link RuntimeOptions#closeTimeout}, can lose the tasks of durable turns. What must not be lost
   * is emitted; see {@link #emit}.
   *
   * <p>When 1,000 actions of the object wait, the turn that adds one waits at its end, after its
   * writes are sealed and the next turn was let in, until an action has ended. Calls that an action
   * makes do not wait for actions.
   *
   * @param action must not use this context or the object's state; it may call objects. Its
   *     exceptions are logged
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   */
  void afterDurable(Runnable action);

  /**
   * Passes an event to the listeners of a topic in this process, in a cluster of all nodes, at most
   * once, when the turn is durable: {@link #afterDurable} with the listeners as the action. Without
   * a listener nothing happens. The rollback of a transaction does not take it back.
   *
   * @param topic at least one and at most 255 bytes in UTF-8
   * @param event a value that can be stored; copied now
   * @throws dev.holdfast.errors.UncopyableValueException if the value cannot be copied
   * @throws dev.holdfast.errors.StorageLimitException if the topic or the event is too large
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   * @see ObjectRuntime#subscribe
   */
  void publish(String topic, Object event);

  /**
   * Stores an event with the turn: it becomes durable with the writes of the turn or is lost with
   * them, and is delivered at least once to each consumer of the topic. The rollback of a
   * transaction drops the events emitted in it. What happens to the object later, a restore or its
   * deletion, takes no event back. The reply of the turn waits until its events are durable.
   *
   * <p>Events stay in the journal until every consumer that the data directory knows has handled
   * them, at most {@link RuntimeOptions#outboxBytesMax} and the recovery window.
   *
   * @param topic at least one and at most 255 bytes in UTF-8
   * @param event a value that can be stored; at most 128 KiB as stored, and all events of a turn
   *     together 4 MiB
   * @throws dev.holdfast.errors.UncopyableValueException if the value cannot be stored
   * @throws dev.holdfast.errors.StorageLimitException if the topic, the event, or all events of the
   *     turn are too large
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   * @see ObjectRuntime#consume
   */
  void emit(String topic, Object event);

  /**
   * Resets this object. Drops the writes of this turn and the messages that would leave at its end,
   * fails every call in flight with {@link InstanceResetException}, and lets the next call start a
   * fresh instance from the last sealed state. The reply of a call that has already ended is not
   * dropped; it leaves when it is durable. The reason also waits for that: it may quote what
   * earlier turns wrote. Never returns normally: the thread unwinds with an {@link Error}.
   *
   * @param reason reported to the callers; null for a standard text
   * @return nothing; declared so that {@code throw context.abort(reason)} ends the method for the
   *     compiler
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   */
  RuntimeException abort(@Nullable String reason);
}
