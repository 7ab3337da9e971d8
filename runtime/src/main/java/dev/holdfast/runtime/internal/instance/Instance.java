package dev.holdfast.runtime.internal.instance;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectId;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.filter.Headers;
import dev.holdfast.runtime.internal.filter.Filters;
import dev.holdfast.runtime.internal.jfr.ActivationEvent;
import dev.holdfast.runtime.internal.jfr.EvictionEvent;
import dev.holdfast.runtime.internal.jfr.FlightRecording;
import dev.holdfast.runtime.internal.jfr.RecordedOutcome;
import dev.holdfast.runtime.internal.report.FailureReason;
import dev.holdfast.runtime.internal.storage.ObjectAlarms;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.Sections;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.StoreTurn.MigrationPlan;
import dev.holdfast.storage.ObjectStorage;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One activation of an object: from the first call that finds it absent to its eviction, its reset
 * or the end of the runtime.
 *
 * <p>The object itself is created by the first execution that the gate admits, as that execution's
 * first turn and as a critical section: concurrent first calls queue after it like after any other,
 * and one instance is made.
 *
 * <p>An instance that was reset may still have a turn that runs. Its successor is made at once, so
 * that calls can queue, but with a gate that is held until the last turn of the predecessor has
 * ended: the two are never in a turn at once.
 *
 * <p>The object is owned by the turn; the rest says so.
 */
final class Instance implements Turn.End, TurnDelivery.Target, ObjectAlarms.Owner {

  private static final VarHandle PINS;

  static {
    try {
      PINS = MethodHandles.lookup().findVarHandle(Instance.class, "pins", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Instances home;
  private final Turn turn;

  // Confined to the turn; the thread that cancels a timer also reads the second.
  private @Nullable Object object;
  private @Nullable InstanceContext context;
  private boolean begun;

  /** Whether the object's tables are as its namespace wants them. */
  private boolean migrated;

  /** Whether the object was made; stays true when it is dropped. */
  private boolean activated;

  private volatile @Nullable ObjectTimers timers;

  /**
   * How many tasks and stages keep the instance in memory. Raised in a turn, lowered anywhere,
   * through {@link #PINS}.
   */
  @SuppressWarnings("unused")
  private volatile int pins;

  // Guarded by this.
  private boolean terminated;
  private @Nullable Instance successor;

  /** Was reset and still has a turn that runs, which the first turn of this one waits for. */
  private volatile @Nullable Instance predecessor;

  // Confined to the sweeper.
  long seenTurnCount;
  long seenTick;

  Instance(Instances home, ObjectId id, boolean held) {
    this.home = home;
    ObjectKey key = new ObjectKey(home.name(), id);
    this.turn =
        new Turn(
            home.parts(),
            key,
            () -> home.backend().store(key, home.options().sqlLimits()),
            home.recorder(),
            this,
            held);
  }

  Instances home() {
    return home;
  }

  Turn turn() {
    return turn;
  }

  /** Runs the code of a call, in its first turn. */
  @Nullable Object deliver(Execution call, Message message) throws Throwable {
    turn.output().raiseTo(message.position());
    if (!message.cancellation().begin()) {
      call.takeCount(RecordedOutcome.WITHDRAWN);
      throw call.withdrawal();
    }
    return switch (message.delivery()) {
      case TurnDelivery delivery -> {
        begin(call);
        yield delivery.deliver(turn, this);
      }
      case CallDelivery delivery ->
          delivery.deliver(turn.key().id(), objectOrNew(call), message.arguments());
    };
  }

  @Override
  public Object object() {
    Object made = object;
    return made != null ? made : create(turn.check());
  }

  @Override
  public void dropCache() {
    InstanceContext used = context;
    if (used != null) {
      used.dropCache();
    }
  }

  @Override
  public ObjectStorage storage() {
    object();
    return Objects.requireNonNull(context, "An object has a context.").storage();
  }

  private Object objectOrNew(Execution call) {
    Object made = object;
    return made != null ? made : create(call);
  }

  /** {@return whether the object can handle its alarms; true while it is being made} */
  @Override
  public boolean canHandleAlarms() {
    Object made = object;
    return made == null || made instanceof AlarmHandler;
  }

  @Override
  public Headers withContext(Headers kept) {
    Filters filters = home.filters();
    return filters == null ? kept : filters.withoutContext(kept).withAll(filters.contextText());
  }

  private Object create(Execution call) {
    begin(call);
    turn.time();
    ActivationEvent event = FlightRecording.isPossible() ? ActivationEvent.begun() : null;
    long beganNanos = home.recorder().nanos();
    InstanceContext made = new InstanceContext(this);
    context = made;
    Object created =
        Sections.runCreation(
            call,
            home.options().criticalSectionTimeout(),
            () -> {
              migrate(call);
              migrated = true;
              return checked(home.factory().create(made));
            },
            this::creationFailed);
    object = created;
    activated = true;
    home.recorder().activated(home.recorder().nanos() - beganNanos);
    if (event != null) {
      event.end(turn.key());
    }
    return created;
  }

  /** What a factory returns can be anything, if the application ignores warnings. */
  private Object checked(@Nullable Object created) {
    if (!home.type().isInstance(created)) {
      throw new IllegalStateException(
          "The factory of the namespace \""
              + home.name()
              + "\" returned "
              + (created == null ? "null" : "a " + created.getClass().getName())
              + "; it must return a new object that implements "
              + home.type().getName()
              + ".");
    }
    home.requireOwn(created, turn.key().id());
    return created;
  }

  /** A step or an exception is named here: not every log shows causes. */
  private String creationFailed(Throwable failure) {
    String what =
        !migrated && failure instanceof HoldfastException
            ? "The object could not be created; its migrations failed"
            : "The object could not be created; the next call tries again. Its factory failed";
    return FailureReason.after(what, failure, turn.key());
  }

  /** Checks, in the first turn, that the instance may live. */
  private void begin(Execution call) {
    if (begun) {
      return;
    }
    if (!isHeldOpen(call)) {
      // Asked again, now that the instance can be seen: a runtime that had begun to close before
      // may not have seen it, and may have closed the storage meanwhile. If it has not begun yet,
      // it will see the instance and wait for it.
      home.lifecycle().admitFromOutside();
    }
    // What an earlier instance wrote may not be durable yet, and this one will read it.
    turn.output().inherit(home.undurablePosition(), home.undurableBatch());
    turn.work().beginSession();
    ForkOffer fork = home.offeredFork(turn.key().id());
    if (fork != null) {
      // Before the constructor, which may write.
      fork.take(turn.bookmarks());
    }
    begun = true;
  }

  /** Brings the tables of the object up to date, in the turn that creates the instance. */
  private void migrate(Execution call) {
    if (home.options().migrations().isEmpty()) {
      return;
    }
    MigrationPlan plan = home.migrations(turn);
    turn.work().confirmWrites();
    while (openStore().migrate(plan)) {
      turn.sealOrUnwind(call);
    }
  }

  /** A reset stops statements that run; one that came while the opening waited is noticed here. */
  private StoreTurn openStore() {
    StoreTurn opened = turn.storeTurn();
    turn.unwindIfReset();
    return opened;
  }

  /** Whether an object that makes the call keeps the runtime from being closed. */
  private boolean isHeldOpen(Execution call) {
    Execution outer = call.outer();
    return outer != null && outer.turn().parts().isSameRuntime(home.parts());
  }

  // ---- What keeps the instance ------------------------------------------------------------

  void pin() {
    PINS.getAndAdd(this, 1);
  }

  void unpin() {
    PINS.getAndAdd(this, -1);
    stopIfClosing();
  }

  void timerAdded(ObjectTimer timer) {
    ObjectTimers own = timers;
    if (own == null) {
      own = new ObjectTimers();
      timers = own;
    }
    own.add(timer);
  }

  void timerEnded(ObjectTimer timer) {
    ObjectTimers own = timers;
    if (own != null) {
      own.remove(timer);
    }
    stopIfClosing();
  }

  private boolean hasTimers() {
    ObjectTimers own = timers;
    return own != null && !own.isEmpty();
  }

  /**
   * Names its executions, and the executions of the instance that it waits for; racy, for reports.
   */
  void executions(Consumer<Execution> action) {
    for (Instance each = this; each != null; each = each.predecessor) {
      each.turn.executions(action);
    }
  }

  // ---- The end ----------------------------------------------------------------------------

  /** Ends the instance if it is idle and no timer is pending. */
  boolean evictIfIdle() {
    EvictionEvent event = FlightRecording.isPossible() ? EvictionEvent.begun() : null;
    boolean evicted = turn.stopIfIdle(() -> pins == 0 && !hasTimers());
    if (evicted) {
      if (activated) { // else its first call is still to come, or was an administrator's
        home.recorder().evicted();
      }
      if (event != null) {
        event.end(turn.key());
      }
    } else {
      // Held for a moment, the gate may have refused the thread that would have stopped this.
      stopIfClosing();
    }
    return evicted;
  }

  /** Ends the instance if the runtime closes and it is idle; timers are dropped. */
  void stopIfClosing() {
    if (!home.lifecycle().isOpen()) {
      turn.stopIfIdle(() -> pins == 0);
    }
  }

  /**
   * Returns the instance that comes after this one, which is shut.
   *
   * @return the successor; its gate is held if a turn of this one still runs
   */
  synchronized Instance succeed() {
    Instance next = new Instance(home, turn.key().id(), /* held= */ !terminated);
    if (!terminated) {
      next.predecessor = this;
      successor = next;
    }
    return next;
  }

  @Override
  public @Nullable Turn terminated() {
    ObjectTimers own = timers;
    if (own != null) {
      own.cancelAll();
    }
    // A user's object must not live on because a stub or a timer still holds this instance.
    object = null;
    InstanceContext used = context;
    context = null;
    if (used != null) {
      used.dropCache();
    }
    // Before the instance can be missed in the map: its successor looks at it.
    home.recordEnd(turn.output());
    home.remove(this);
    Instance next;
    synchronized (this) {
      terminated = true;
      next = successor;
      successor = null;
    }
    if (next != null) {
      next.predecessor = null;
    }
    home.lifecycle().instanceTerminated();
    return next == null ? null : next.turn;
  }
}
