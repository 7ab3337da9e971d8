package dev.holdfast.runtime.internal.instance;

import dev.holdfast.InstanceResetException;
import dev.holdfast.InstanceResetException.WriteOutcome;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectFactory;
import dev.holdfast.ObjectId;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.runtime.internal.RuntimeBounds;
import dev.holdfast.runtime.internal.filter.Filters;
import dev.holdfast.runtime.internal.gate.OutputGate;
import dev.holdfast.runtime.internal.gate.SentCall;
import dev.holdfast.runtime.internal.jfr.CallEvent;
import dev.holdfast.runtime.internal.statistics.NamespaceRecorder;
import dev.holdfast.runtime.internal.storage.GatedMigration;
import dev.holdfast.runtime.internal.turn.Cancellation;
import dev.holdfast.runtime.internal.turn.EngineParts;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.runtime.internal.turn.TurnAdmission;
import dev.holdfast.runtime.internal.turn.Waits;
import dev.holdfast.spi.AlarmService;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StoreTurn.MigrationPlan;
import dev.holdfast.statistics.NamespaceStatistics;
import dev.holdfast.statistics.ResetReason;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The objects of one namespace that are in memory, and the way of a call into one of them.
 *
 * <p>A call from outside of all objects: wait for the object's turn, run, wait until what the reply
 * depends on is durable. A call from inside another object of the runtime is a wait of that object:
 * its turn is sealed and its gate opened first, its output gate takes over what the reply depends
 * on, and no thread waits for the disk. Thread-safe.
 */
public final class Instances {

  private final Specification specification;
  private final StorageBackend backend;
  private final EngineParts parts;
  private final Lifecycle lifecycle;
  private final Namespaces namespaces;
  private final NamespaceRecorder recorder;
  private final ConcurrentHashMap<ObjectId, ForkOffer> forks = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<ObjectId, Instance> live = new ConcurrentHashMap<>();

  /**
   * The highest position that any instance depended on when it ended. One number for all objects:
   * an instance rarely ends before its last batch is durable, and then the next ones only wait a
   * little longer than they had to.
   */
  private final LongAccumulator endPosition = new LongAccumulator(Math::max, Journal.START);

  /** The same for their last batches, unconfirmed writes included. */
  private final LongAccumulator endBatch = new LongAccumulator(Math::max, Journal.START);

  /** What the factory has returned last. */
  private volatile @Nullable Made lastMade;

  /** An instance of an application, and the object that it is for. */
  private record Made(WeakReference<Object> instance, ObjectId id) {}

  /**
   * What a namespace was registered with.
   *
   * @param name its name
   * @param type the interface of its objects
   * @param factory makes its instances
   * @param options how they run
   * @param values how their values are stored and copied
   * @param filters around their calls; null in a runtime without any
   * @param freshThreads whether each call has a separate thread
   */
  public record Specification(
      String name,
      Class<?> type,
      ObjectFactory<?> factory,
      NamespaceOptions options,
      StructuredClone values,
      @Nullable Filters filters,
      boolean freshThreads) {}

  /**
   * Creates a namespace without any object in memory.
   *
   * @param specification what it was registered with
   * @param backend keeps its data
   * @param parts what instances share
   * @param lifecycle the life of the runtime
   * @param namespaces for objects that call others
   * @param recorder counts what the objects do
   */
  public Instances(
      Specification specification,
      StorageBackend backend,
      EngineParts parts,
      Lifecycle lifecycle,
      Namespaces namespaces,
      NamespaceRecorder recorder) {
    this.specification = specification;
    this.backend = backend;
    this.parts = parts;
    this.lifecycle = lifecycle;
    this.namespaces = namespaces;
    this.recorder = recorder;
  }

  /** {@return the namespace's name} */
  public String name() {
    return specification.name();
  }

  /** {@return the interface of the objects} */
  Class<?> type() {
    return specification.type();
  }

  /** {@return whether each call has a separate thread} */
  public boolean hasFreshThreads() {
    return specification.freshThreads();
  }

  /** {@return what counts the objects of the namespace} */
  public NamespaceRecorder recorder() {
    return recorder;
  }

  /** {@return what the objects have done, and do now} */
  public NamespaceStatistics statistics() {
    long queued = 0;
    for (Instance each : live.values()) {
      queued += each.turn().queueLength();
    }
    AlarmService alarms = parts.alarms();
    return recorder.snapshot(
        queued, alarms == null ? AlarmService.Counts.NONE : alarms.counts(specification.name()));
  }

  /** {@return how the objects' values are stored and copied} */
  public StructuredClone values() {
    return specification.values();
  }

  /** {@return how the objects run} */
  public NamespaceOptions options() {
    return specification.options();
  }

  /** {@return the migrations of the objects, for the one of a turn} */
  MigrationPlan migrations(Turn turn) {
    return GatedMigration.plan(turn, options(), values());
  }

  /** {@return the filters around the objects' calls; null in a runtime without any} */
  public @Nullable Filters filters() {
    return specification.filters();
  }

  /**
   * Refuses an instance that the factory has just returned for another object: with fields, two
   * objects would share their state, and with it the promise that one thread at a time uses it.
   *
   * @param created what the factory has returned
   * @param id the object that it is for
   */
  void requireOwn(Object created, ObjectId id) {
    Made last = lastMade;
    if (last != null
        && !last.id().equals(id)
        && last.instance().refersTo(created)
        && hasFields(created.getClass())) {
      throw new IllegalStateException(
          "The factory of the namespace \""
              + name()
              + "\" returned the same "
              + created.getClass().getName()
              + " for two objects; it must return a new one each time.");
    }
    lastMade = new Made(new WeakReference<>(created), id);
  }

  private static boolean hasFields(Class<?> type) {
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      for (Field field : each.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          return true;
        }
      }
    }
    return false;
  }

  ObjectFactory<?> factory() {
    return specification.factory();
  }

  /** {@return what keeps the objects' data} */
  public StorageBackend backend() {
    return backend;
  }

  /** {@return what instances share} */
  public EngineParts parts() {
    return parts;
  }

  Lifecycle lifecycle() {
    return lifecycle;
  }

  /** {@return whether the runtime takes calls, and so neither closes nor has failed} */
  public boolean isOpen() {
    return lifecycle.isOpen();
  }

  Namespaces namespaces() {
    return namespaces;
  }

  // ---- Calls ------------------------------------------------------------------------------

  /**
   * Calls an object and waits for its reply.
   *
   * @param id the object
   * @param delivery how the call becomes a call of object code
   * @param arguments copies that belong to the object
   * @return the result
   * @throws Throwable whatever the object throws, or an exception of the runtime
   */
  public @Nullable Object call(ObjectId id, CallDelivery delivery, @Nullable Object[] arguments)
      throws Throwable {
    ExecutionStack stack = ExecutionStack.current();
    stack.enterEngine();
    Execution caller = stack.top();
    if (caller == null || !isInside(caller)) {
      lifecycle.admitFromOutside();
      noteWrite(caller);
      if (caller != null && isInTurnElsewhere(caller)) {
        return outside(caller, () -> call(id, delivery, arguments));
      }
      return callFromOutside(id, delivery, arguments, stack);
    }
    admitFromInside(caller);
    if (ShardRules.areApart(caller, id)) {
      noteWrite(caller);
      return outside(caller, () -> callFromOutside(id, delivery, arguments, stack));
    }
    SentCall last = stack.isOrdered() ? stack.lastSent(new ObjectKey(name(), id)) : null;
    long position = caller.turn().suspend(caller);
    Execution call;
    try {
      if (last != null) {
        Waits.awaitEarlierInside(last, caller);
      }
      call =
          deliver(
              id, stack, caller, new Message(delivery, arguments, position, Cancellation.NEVER));
    } catch (Throwable e) {
      caller.setAwaited(null);
      caller.turn().resume(caller);
      throw e;
    }
    resume(caller, call);
    return call.reply();
  }

  private @Nullable Object callFromOutside(
      ObjectId id, CallDelivery delivery, @Nullable Object[] arguments, ExecutionStack stack)
      throws Throwable {
    Execution caller = stack.top();
    awaitOrder(id, stack, caller);
    Message message =
        new Message(delivery, arguments, stack.inheritedPosition(parts), stack.cancellation());
    Execution call = deliver(id, stack, caller, message);
    awaitOutput(call, delivery);
    return call.reply();
  }

  /**
   * Calls an object on a new thread and waits for its reply, perhaps for a limited time.
   *
   * @param id the object
   * @param delivery how the call becomes a call of object code
   * @param arguments copies that belong to the object
   * @param timeout how long to wait; null for as long as it takes
   * @return the result
   * @throws Throwable whatever the object throws, or an exception of the runtime
   */
  public @Nullable Object callOnOwnThread(
      ObjectId id, CallDelivery delivery, @Nullable Object[] arguments, @Nullable Duration timeout)
      throws Throwable {
    ExecutionStack stack = ExecutionStack.current();
    stack.enterEngine();
    Execution caller = stack.top();
    if (caller == null || !isInside(caller)) {
      lifecycle.admitFromOutside();
      noteWrite(caller);
      if (caller != null && isInTurnElsewhere(caller)) {
        return outside(caller, () -> callOnOwnThread(id, delivery, arguments, timeout));
      }
      return timedFromOutside(id, delivery, arguments, timeout, stack);
    }
    admitFromInside(caller);
    if (ShardRules.areApart(caller, id)) {
      noteWrite(caller);
      return outside(caller, () -> timedFromOutside(id, delivery, arguments, timeout, stack));
    }
    TimedCall timed = new TimedCall(this, id, timeout, stack, Cancellation.NEVER);
    long position = caller.turn().suspend(caller);
    return timed.runInside(caller, new Message(delivery, arguments, position, timed));
  }

  private @Nullable Object timedFromOutside(
      ObjectId id,
      CallDelivery delivery,
      @Nullable Object[] arguments,
      @Nullable Duration timeout,
      ExecutionStack stack)
      throws Throwable {
    TimedCall timed = new TimedCall(this, id, timeout, stack, stack.cancellation());
    Message message = new Message(delivery, arguments, stack.inheritedPosition(parts), timed);
    return timed.run(stack.top(), message, /* durable= */ true);
  }

  /**
   * Refuses a call from inside when nothing can run any more. A failed runtime refuses calls before
   * it has reset the instances: code that got that refusal could go on in its turn, so its instance
   * is reset here.
   */
  private void admitFromInside(Execution caller) {
    Lifecycle.Failure failed = lifecycle.failure();
    if (failed != null) {
      caller.turn().reset(ResetReason.RUNTIME_FAILED, failed.resetMessage(), failed.cause());
      caller.turn().unwindIfReset();
    }
    lifecycle.admitFromInside();
  }

  /** Whether an object that is called from outside of a turn writes is not known to its caller. */
  private static void noteWrite(@Nullable Execution caller) {
    if (caller != null) {
      caller.recordWrite();
    }
  }

  /** Waits outside of all turns for the calls that the caller has made of an object before. */
  private void awaitOrder(ObjectId id, ExecutionStack stack, @Nullable Execution caller) {
    if (stack.isOrdered()) {
      ObjectKey called = new ObjectKey(name(), id);
      SentCall sent = stack.sentTo(called);
      Waits.awaitEarlier(sent == null ? null : sent.ahead(), caller, stack.cancellation());
      Waits.awaitEarlier(stack.lastSent(called), caller, stack.cancellation());
    }
  }

  /**
   * {@return whether messages of this caller stay inside of the runtime: it is in a turn of an
   * object here}
   *
   * @param caller the innermost execution of the current thread
   */
  boolean isInside(Execution caller) {
    Turn turn = caller.turn();
    return turn.parts().isSameRuntime(parts) && caller.isCurrentOrReset();
  }

  /** Whether a caller runs a turn of an object of another runtime in this process. */
  private static boolean isInTurnElsewhere(Execution caller) {
    return caller.turn().isHeldBy(caller);
  }

  /** Work of an object that runs outside of its runtime. */
  private interface Departure {
    @Nullable Object run() throws Throwable;
  }

  /** A call of another runtime leaves the caller's, so it passes the caller's output gate. */
  private static @Nullable Object outside(Execution caller, Departure departure) throws Exception {
    return Waits.call(
        caller.turn(),
        () -> {
          try {
            return departure.run();
          } catch (Exception | Error e) {
            throw e;
          } catch (Throwable e) {
            throw new UndeclaredThrowableException(e);
          } finally {
            caller.setAwaited(null); // the call has ended: no circle leads through it any more
          }
        });
  }

  /** Begins the caller's next turn and lets it take over what the reply depends on. */
  static void resume(Execution caller, Execution call) {
    caller.setAwaited(null);
    if (call.wrote()) {
      caller.recordWrite();
    }
    caller.turn().resume(caller);
    caller.turn().output().raiseTo(call.position());
  }

  /** Brings a call to the object and runs it on the current thread. */
  Execution deliver(ObjectId id, ExecutionStack stack, @Nullable Execution outer, Message message) {
    if (outer != null && outer.depth() == RuntimeBounds.CALLS_NESTED_MAX) {
      throw new MisuseException(
          name(),
          id,
          MisuseException.Reason.NESTED_TOO_DEEPLY,
          "Calls between objects are nested too deeply; at most "
              + RuntimeBounds.CALLS_NESTED_MAX
              + " may wait for each other. Look for objects that call each other in a circle.");
    }
    boolean isSampled = stack.sample();
    if (isSampled) {
      recorder.sampledCall(new ObjectKey(name(), id));
    }
    Instance instance = live.get(id);
    while (true) {
      if (instance == null) {
        instance = live.computeIfAbsent(id, key -> new Instance(this, key, /* held= */ false));
        refuseIfLate(instance, outer);
      }
      Turn turn = instance.turn();
      Execution call = Execution.ofCall(turn, stack.thread(), outer);
      if (stack.isOfAction()) {
        call.setOfAction();
      }
      call.setOperation(message.delivery());
      if (message.delivery().isCall()) {
        call.count();
        if (isSampled) {
          call.time(NamespaceRecorder.SAMPLING_WEIGHT);
        }
      }
      if (outer != null && outer.runsOn(stack.thread())) {
        outer.setAwaited(call);
      } else {
        stack.recordCall(call);
      }
      boolean delivered;
      try {
        delivered = deliver(instance, call, stack, message);
      } catch (RuntimeException e) {
        call.end(null, e);
        stack.recordDelivered(instance.turn().key());
        delivered = true;
      }
      if (delivered) {
        CallEvent event = call.callEvent();
        if (event != null) {
          event.end(turn.key(), message.delivery().operationName(), outer != null);
        }
        instance.stopIfClosing();
        call.awaitRoomForActions();
        return call;
      }
      instance = replace(instance);
    }
  }

  /**
   * Refuses a call from outside that was admitted just before the runtime began to close. The call
   * publishes its instance first and then looks at the phase; the closing thread sets the phase
   * first and then looks for instances. So one sees the other, and no call uses a storage that is
   * closed. A caller inside has an instance itself.
   */
  private void refuseIfLate(Instance instance, @Nullable Execution outer) {
    if (outer == null || !outer.turn().parts().isSameRuntime(parts)) {
      try {
        lifecycle.admitFromOutside();
      } catch (RuntimeException e) {
        instance.stopIfClosing();
        throw e;
      }
    }
  }

  private boolean deliver(
      Instance instance, Execution call, ExecutionStack stack, Message message) {
    return TurnAdmission.deliver(
        call,
        stack,
        options().queueLengthMax(),
        message.cancellation(),
        admitted -> instance.deliver(admitted, message));
  }

  /** Returns the instance that comes after one which is shut. */
  private @Nullable Instance replace(Instance shut) {
    return live.computeIfPresent(
        shut.turn().key().id(), (_, now) -> now == shut ? shut.succeed() : now);
  }

  /** Waits until a reply may leave the runtime. */
  void awaitOutput(Execution call, CallDelivery delivery) {
    // What was read of an object that this runtime has not written may be old all the same.
    boolean isRead = call.isOver() && parts.journal().needsProof();
    if (call.position() == Journal.START && !isRead) {
      return;
    }
    delivery.held(call);
    try {
      call.turn().awaitOutput(call.position(), call.outputWeight(), options().consistency());
    } catch (JournalFailedException e) {
      parts.journalFailed(e);
      throw new InstanceResetException(
          name(),
          call.turn().key().id(),
          "The journal failed before the reply was durable.",
          call.wrote() ? WriteOutcome.UNKNOWN : WriteOutcome.NOT_WRITTEN,
          e);
    }
  }

  /** {@return whether a state is offered now to an object; false if another one is already} */
  boolean offerFork(ObjectId id, ForkOffer offer) {
    return forks.putIfAbsent(id, offer) == null;
  }

  /** {@return what is offered; null for nothing} */
  @Nullable ForkOffer offeredFork(ObjectId id) {
    return forks.isEmpty() ? null : forks.get(id);
  }

  void withdrawFork(ObjectId id, ForkOffer offer) {
    forks.remove(id, offer);
    offer.close();
  }

  // ---- All objects ------------------------------------------------------------------------

  /** Records what an instance that ends depended on, and what it has written. */
  void recordEnd(OutputGate output) {
    long durable = parts.journal().durablePosition();
    if (output.position() > durable) {
      endPosition.accumulate(output.position());
    }
    if (output.sealedPosition() > durable) {
      endBatch.accumulate(output.sealedPosition());
    }
  }

  /** {@return what the state of an object that is not in memory may depend on} */
  long undurablePosition() {
    return endPosition.get();
  }

  /** {@return up to where batches of an object that is not in memory may not be durable} */
  long undurableBatch() {
    return endBatch.get();
  }

  void remove(Instance instance) {
    live.remove(instance.turn().key().id(), instance);
  }

  /** {@return whether no object is in memory} */
  public boolean isEmpty() {
    return live.isEmpty();
  }

  /** {@return how many objects are in memory} */
  public int count() {
    return live.size();
  }

  void forEach(Consumer<Instance> action) {
    live.values().forEach(action);
  }

  /** {@return what runs or waits now, of all objects} */
  public List<Execution> executions() {
    List<Execution> all = new ArrayList<>();
    forEach(instance -> all.addAll(instance.turn().executions()));
    return all;
  }

  /** Ends every instance that is idle; the others end with their last event. */
  public void stopIdle() {
    forEach(Instance::stopIfClosing);
  }

  /**
   * Resets an object's instance, if it is in memory.
   *
   * @param id the object
   * @param reason why, for the statistics
   * @param message for every call in flight
   * @param cause what went wrong, or null
   * @return whether there was one that was not reset already
   */
  public boolean reset(ObjectId id, ResetReason reason, String message, @Nullable Throwable cause) {
    Instance instance = live.get(id);
    if (instance == null || instance.turn().isReset()) {
      return false;
    }
    instance.turn().reset(reason, message, cause);
    return true;
  }

  /**
   * Ends an object's instance if it is idle.
   *
   * @param id the object
   * @return whether it is not in memory
   */
  boolean evict(ObjectId id) {
    Instance instance = live.get(id);
    return instance == null || instance.evictIfIdle();
  }

  /**
   * Resets every instance.
   *
   * @param message for every call in flight
   * @param cause what went wrong, or null
   */
  public void resetAll(String message, @Nullable Throwable cause) {
    @Nullable Throwable[] first = new Throwable[1];
    forEach(
        instance -> {
          try {
            instance.turn().reset(ResetReason.RUNTIME_FAILED, message, cause);
          } catch (RuntimeException | Error e) {
            first[0] = first[0] == null ? e : first[0]; // the others are reset all the same
          }
        });
    switch (first[0]) {
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case null, default -> {}
    }
  }

  /**
   * Resets every instance and interrupts every thread that runs or waits in it.
   *
   * @param message for every call in flight
   * @param cause why
   */
  public void stopAll(String message, Throwable cause) {
    forEach(
        instance -> {
          instance.turn().reset(ResetReason.CLOSED, message, cause);
          instance.turn().interrupt();
        });
  }
}
