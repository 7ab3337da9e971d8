package dev.holdfast.runtime;

import dev.holdfast.AlarmOptions;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.TimeSource;
import dev.holdfast.codec.TypeRef;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.errors.NamespaceException;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.event.ConsumerOptions;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.Subscription;
import dev.holdfast.health.Health;
import dev.holdfast.recovery.Backup;
import dev.holdfast.recovery.HistoryUsage;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.runtime.Registrations.Registration;
import dev.holdfast.runtime.internal.alarm.AlarmRuns;
import dev.holdfast.runtime.internal.cache.ValueCache;
import dev.holdfast.runtime.internal.instance.Administration;
import dev.holdfast.runtime.internal.instance.Instances;
import dev.holdfast.runtime.internal.instance.Lifecycle;
import dev.holdfast.runtime.internal.instance.Namespaces;
import dev.holdfast.runtime.internal.instance.ObjectPast;
import dev.holdfast.runtime.internal.instance.Sweeper;
import dev.holdfast.runtime.internal.statistics.BusiestObjects;
import dev.holdfast.runtime.internal.statistics.NamespaceRecorder;
import dev.holdfast.runtime.internal.stub.Namespace;
import dev.holdfast.runtime.internal.stub.ObjectIds;
import dev.holdfast.runtime.internal.turn.EngineFailure;
import dev.holdfast.runtime.internal.turn.EngineParts;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.spi.AlarmService;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.backup.OnlineBackup;
import dev.holdfast.spi.inspect.Inspectable;
import dev.holdfast.spi.inspect.InspectedRuntime;
import dev.holdfast.spi.log.OwnershipLostException;
import dev.holdfast.statistics.BusyBy;
import dev.holdfast.statistics.BusyObject;
import dev.holdfast.statistics.ClusterStatistics;
import dev.holdfast.statistics.DatabaseStatistics;
import dev.holdfast.statistics.ExecutionStatus;
import dev.holdfast.statistics.NamespaceStatistics;
import dev.holdfast.statistics.RecoveryStatistics;
import dev.holdfast.statistics.ResetReason;
import dev.holdfast.statistics.RocksDbStatistics;
import dev.holdfast.statistics.RuntimeState;
import dev.holdfast.statistics.RuntimeStatistics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A runtime: its namespaces and the parts that they share. Thread-safe. */
final class Engine implements ObjectRuntime, Inspectable, Namespaces, PlannedClose {

  private final EngineParts parts;
  private final RuntimeOptions options;
  private volatile Duration closeTimeout;
  private final Place place;
  private final @Nullable OnlineBackup backups;

  /** Null if objects call objects of this runtime only. */
  private final @Nullable NamespaceLookup lookup;

  private final long historyBytesMax;
  private final Lifecycle lifecycle = new Lifecycle();
  private final Map<String, Namespace<?>> namespaces = new LinkedHashMap<>();
  private final Sweeper sweeper;
  private final HealthCheck health;
  private final Administration admin;
  private final AlarmOptions alarmOptions;
  private final AtomicBoolean alarmsStarted = new AtomicBoolean();

  private final Uptime uptime;
  private final BusiestObjects busiest;

  private final RecoveryStatistics recovery;

  /** False once a failure of the journal need not reset the instances any more. */
  private final AtomicBoolean resetDue = new AtomicBoolean(true);

  private final AtomicBoolean reportDue = new AtomicBoolean(true);

  /** Set before the runtime is handed out; closed first. */
  private AutoCloseable operatorDoor = () -> {};

  /** Set before the runtime is handed out; null if operators do not see it. */
  private @Nullable InspectedRuntime inspected;

  Engine(
      EngineParts parts,
      Registrations registrations,
      RecoveryStatistics recovery,
      Place place,
      @Nullable OnlineBackup backups,
      @Nullable NamespaceLookup lookup,
      long historyBytesMax) {
    this.lookup = lookup;
    this.parts = parts;
    this.historyBytesMax = historyBytesMax;
    this.recovery = recovery;
    this.place = place;
    this.backups = backups;
    this.options = registrations.options();
    this.closeTimeout = options.closeTimeout();
    this.admin =
        new Administration(
            new RegisteredNamespaces(),
            lifecycle,
            parts.outbox(),
            parts.archive(),
            this::startAlarms,
            this::executions,
            keeper(parts.backends()));
    this.busiest = new BusiestObjects(parts.time());
    this.uptime = new Uptime(parts.time());
    this.alarmOptions = registrations.alarms();
    parts.failure().onFailure(this::journalFailed, this::engineFailed);
    registrations
        .byName()
        .forEach((name, each) -> namespaces.put(name, namespaceOf(each, registrations)));
    parts.backends().values().forEach(each -> each.onObjectFailure(this::objectFailed));
    parts.backends().values().forEach(each -> each.keepUndoOf(registrations::keepsHistory));
    this.sweeper =
        new Sweeper(
            parts, namespaces.values().stream().map(Namespace::instances).toList(), options);
    this.health = new HealthCheck(parts, options, lifecycle, sweeper, place);
  }

  /** A backend of somebody else keeps all of its records in the journal. */
  private static @Nullable StorageKind keeper(Map<StorageKind, StorageBackend> backends) {
    return backends.keySet().stream()
        .filter(kind -> !kind.equals(StorageKind.SQLITE) && !kind.equals(StorageKind.ROCKSDB))
        .findAny()
        .orElse(null);
  }

  private List<ExecutionStatus> executions(Duration age, boolean withStacks) {
    return sweeper.executions(age, withStacks);
  }

  private <T> Namespace<T> namespaceOf(Registration<T> registration, Registrations all) {
    StorageBackend backend = parts.backends().get(registration.options().storage());
    if (backend == null) {
      throw new IllegalStateException("No backend for " + registration.options().storage());
    }
    Instances instances =
        new Instances(
            new Instances.Specification(
                registration.name(),
                registration.type(),
                registration.factory(),
                registration.options(),
                registration.values(),
                all.filters(registration.name()),
                all.hasFreshThreads()),
            backend,
            parts,
            lifecycle,
            lookup == null ? this : new Elsewhere(lookup),
            new NamespaceRecorder(parts.time(), busiest));
    return new Namespace<>(
        registration.type(),
        instances,
        new ObjectIds(registration.name(), parts.random(), this::ownerOf));
  }

  /** The namespaces that objects see, where they do not belong to this runtime. */
  private record Elsewhere(NamespaceLookup lookup) implements Namespaces {

    @Override
    public <T> ObjectNamespace<T> namespace(String name, Class<T> type) {
      return lookup.namespace(name, type);
    }
  }

  /** {@return the namespace that has made an id; null if none has} */
  private @Nullable String ownerOf(ObjectId id) {
    return namespaces.values().stream()
        .filter(each -> each.has(id))
        .map(Namespace::name)
        .findFirst()
        .orElse(null);
  }

  /** {@return the values that objects have read lately} */
  ValueCache values() {
    return parts.values();
  }

  /** {@return the clock of the runtime} */
  TimeSource time() {
    return parts.time();
  }

  void inspected(InspectedRuntime opened) {
    inspected = opened;
  }

  @Override
  public InspectedRuntime inspected() {
    InspectedRuntime opened = inspected;
    if (opened == null) {
      throw new IllegalStateException("This runtime was built without a history for operators");
    }
    return opened;
  }

  private void startAlarms() {
    AlarmService service = parts.alarms();
    if (service != null && alarmsStarted.compareAndSet(false, true)) {
      Map<String, Instances> instances = new LinkedHashMap<>();
      namespaces.forEach((name, each) -> instances.put(name, each.instances()));
      service.start(new AlarmRuns(service, instances, parts, alarmOptions.listener()));
    }
  }

  void start(Function<Engine, AutoCloseable> operator, boolean resumesPurges) {
    lifecycle.open();
    parts.journal().onFailure(this::journalHasFailed);
    parts.report(LogEvent.RUNTIME_OPENED, place.opened(namespaces.keySet(), parts), null);
    MissingNamespaces.report(parts, namespaces.keySet());
    operatorDoor = operator.apply(this);
    // Last: no code of the application runs in a runtime whose opening fails.
    sweeper.start();
    if (!alarmOptions.held()) {
      startAlarms();
    }
    if (resumesPurges) {
      admin.resumePurges(parts.recovery(), this::purgeFailed);
    }
  }

  private void purgeFailed(ObjectKey key, Throwable failure) {
    parts.warn(
        "The history of "
            + key
            + " was purged, and its bytes could not be removed yet; the next opening tries again.",
        failure);
  }

  @Override
  @SuppressWarnings("unchecked") // compared just before
  public <T> ObjectNamespace<T> namespace(String name, Class<T> type) {
    Namespace<?> found = registered(name);
    RegisteredNamespace.requireType(name, found.type(), type);
    return (ObjectNamespace<T>) found;
  }

  /** {@return all namespaces, by name} */
  Map<String, Namespace<?>> namespaces() {
    return namespaces;
  }

  /**
   * {@return a namespace}
   *
   * @throws NamespaceException if no namespace has this name
   */
  Namespace<?> registered(String name) {
    return RegisteredNamespace.find(namespaces, name);
  }

  /**
   * Called by a backend: the turn that runs now has no error itself, and its result must be
   * dropped.
   */
  private void objectFailed(ObjectKey key, StorageFailedException failure) {
    Namespace<?> namespace = namespaces.get(key.namespace());
    if (namespace != null) {
      namespace
          .instances()
          .reset(
              key.id(),
              ResetReason.STORAGE_FAILED,
              "The object was reset because its storage failed.",
              failure);
    }
  }

  @Override
  public ObjectRecovery recovery(String namespace, ObjectId id) {
    Namespace<?> found = registered(namespace);
    found.check(id);
    return new ObjectPast(found.instances(), id, found.ids()::fromName, parts.files());
  }

  @Override
  public Administration admin() {
    return admin;
  }

  private final class RegisteredNamespaces implements Administration.Registered {

    @Override
    public Instances of(String namespace) {
      return registered(namespace).instances();
    }

    @Override
    public Instances with(String namespace, ObjectId id) {
      Namespace<?> found = registered(namespace);
      found.check(id);
      return found.instances();
    }
  }

  @Override
  public HistoryUsage historyUsage() {
    return parts.recovery().usage(historyBytesMax);
  }

  @Override
  public Backup backup(Path target) {
    lifecycle.admitFromOutside();
    if (backups == null) {
      throw new UnsupportedOperationException("This runtime has no data directory to back up.");
    }
    return new ReportedBackup(backups, parts).backup(target);
  }

  @Override
  public Health health() {
    return health.health();
  }

  @Override
  public RuntimeStatistics statistics() {
    DatabaseStatistics databases = DatabaseStatistics.NONE;
    RocksDbStatistics rocksDb = RocksDbStatistics.NONE;
    for (StorageBackend each : parts.backends().values()) {
      switch (each.statistics()) {
        case DatabaseStatistics found -> databases = found;
        case RocksDbStatistics found -> rocksDb = found;
        case null -> {} // counts nothing
      }
    }
    Map<String, NamespaceStatistics> byName = new LinkedHashMap<>();
    namespaces.forEach((name, namespace) -> byName.put(name, namespace.instances().statistics()));
    return new RuntimeStatistics(
        state(),
        uptime.nanos(),
        recovery,
        parts.journal().statistics(),
        databases,
        rocksDb,
        parts.values().statistics(),
        parts.archive().statistics(),
        ClusterStatistics.NONE,
        parts.outbox().consumers(),
        byName);
  }

  @Override
  public List<BusyObject> busiest(int count, BusyBy by) {
    if (count < 1) {
      throw new IllegalArgumentException("count is " + count + ", but at least 1");
    }
    return busiest.top(count, by);
  }

  @Override
  public <T> Subscription subscribe(String topic, Class<T> type, Consumer<? super T> listener) {
    lifecycle.admitFromOutside();
    return parts.outbox().subscribe(topic, type, listener);
  }

  @Override
  public <T> Subscription subscribe(String topic, TypeRef<T> type, Consumer<? super T> listener) {
    lifecycle.admitFromOutside();
    return parts.outbox().subscribe(topic, type.type(), listener);
  }

  @Override
  public <T> Subscription consume(
      String topic,
      String consumer,
      Class<T> type,
      ConsumerOptions consumerOptions,
      EventHandler<T> handler) {
    admin.admit();
    return parts.outbox().consume(topic, consumer, type, consumerOptions, handler);
  }

  @Override
  public <T> Subscription consume(
      String topic,
      String consumer,
      TypeRef<T> type,
      ConsumerOptions consumerOptions,
      EventHandler<T> handler) {
    admin.admit();
    return parts.outbox().consume(topic, consumer, type.type(), consumerOptions, handler);
  }

  private RuntimeState state() {
    RuntimeState state = lifecycle.state();
    return state == RuntimeState.OPEN && sweeper.isJournalStalled() ? RuntimeState.STALLED : state;
  }

  /**
   * Called by the journal itself, because no caller may be waiting for the lost records. From now
   * on calls are refused. Another thread resets the instances: this thread may be in the middle of
   * an append, and a reset runs code of the application.
   */
  private void journalHasFailed(RuntimeException failure) {
    lifecycle.fail(ofJournal(failure));
    parts.start(() -> journalFailed(failure));
  }

  /** Called by every thread that meets the failure; the first call resets all instances. */
  private void journalFailed(RuntimeException failure) {
    Lifecycle.Failure failed = ofJournal(failure);
    Lifecycle.Failure first = lifecycle.fail(failed);
    if (resetDue.compareAndSet(true, false)) {
      report(first);
      resetAll(failed);
    }
  }

  private Lifecycle.Failure ofJournal(RuntimeException failure) {
    if (failure.getCause() instanceof OwnershipLostException lost) {
      return new Lifecycle.Failure(
          LogEvent.OWNERSHIP_ENDED,
          "The ownership of the shard has ended",
          "The ownership of the shard of "
              + place.name()
              + " has ended: "
              + lost.getMessage()
              + " Its owner answers now.",
          "The object was reset because this node does not own its shard any more.",
          failure);
    }
    return new Lifecycle.Failure(
        LogEvent.JOURNAL_FAILED,
        "The journal has failed",
        "The journal has failed: the runtime refuses all calls, and writes that are not durable are"
            + " lost. Close the runtime, repair the cause and open it again.",
        "The object was reset because the journal failed.",
        failure);
  }

  /**
   * Called when an unexpected error struck in the engine's own work, between two steps that belong
   * together. It is not known which objects are whole, so none goes on.
   */
  private void engineFailed(Throwable error) {
    Lifecycle.Failure failed = ofEngine(error);
    Lifecycle.Failure first = lifecycle.fail(failed);
    resetDue.set(false);
    resetAll(failed);
    report(first);
  }

  private static Lifecycle.Failure ofEngine(Throwable error) {
    boolean isExhausted = EngineFailure.isExhaustion(error);
    String what =
        isExhausted
            ? "The runtime ran out of stack or memory in its own work"
            : "The runtime failed with an unexpected error in its own work";
    return new Lifecycle.Failure(
        LogEvent.ENGINE_FAILED,
        what,
        what
            + ": no call is taken any more. What was sealed is kept. Close the runtime and open it"
            + (isExhausted ? " again, with more memory." : " again, and report this."),
        EngineFailure.resetMessage(error),
        new JournalFailedException(what + ".", error));
  }

  private void resetAll(Lifecycle.Failure failed) {
    all(each -> each.resetAll(failed.resetMessage(), failed.cause()));
  }

  /** Reports what has failed first, whichever thread comes first. */
  private void report(Lifecycle.Failure first) {
    if (reportDue.compareAndSet(true, false)) {
      parts.report(first.event(), first.report(), first.cause());
    }
  }

  @Override
  public void close() {
    ExecutionStack stack = ExecutionStack.current();
    stack.enterEngine();
    Execution caller = stack.top();
    if (caller != null && caller.turn().parts().isSameRuntime(parts)) {
      throw new IllegalStateException(
          "An object cannot close its own runtime: closing waits for the object. Close it from"
              + " outside [object "
              + caller.turn().key().namespace()
              + "/"
              + caller.turn().key().id()
              + "]");
    }
    if (!lifecycle.beginClosing()) {
      lifecycle.awaitClosed();
      return;
    }
    try {
      RuntimeException unclosed = close(operatorDoor, null);
      if (unclosed != null) {
        parts.warn("The operator's socket could not be closed.", unclosed);
      }
      if (parts.alarms() != null) {
        parts.alarms().close();
      }
      parts.outbox().endDeliveries(closeTimeout);
      endInstances();
      parts.outbox().endActions(closeTimeout);
    } finally {
      sweeper.stop();
      try {
        closeParts();
      } finally {
        sweeper.journalClosed();
        uptime.end();
        lifecycle.endClosing(); // even if closing fails: other threads may wait for the end
        parts.report(LogEvent.RUNTIME_CLOSED, place.closed(uptime.nanos()), null);
      }
    }
  }

  @Override
  public BooleanSupplier running() {
    List<Execution> now = new ArrayList<>();
    all(each -> now.addAll(each.executions()));
    return () -> {
      now.removeIf(Execution::isOver);
      return !now.isEmpty();
    };
  }

  @Override
  public boolean hasFailed() {
    return lifecycle.failure() != null && parts.journal().failure() == null;
  }

  @Override
  public Duration closeTimeout() {
    return closeTimeout;
  }

  @Override
  public void limitClose(Duration limit) {
    if (limit.compareTo(closeTimeout) < 0) {
      closeTimeout = limit;
    }
  }

  private void endInstances() {
    all(Instances::stopIdle);
    if (awaitTerminated()) {
      return;
    }
    RuntimeClosedException cause = new RuntimeClosedException();
    all(each -> each.stopAll("The object was reset because the runtime was closed.", cause));
    if (!awaitTerminated()) {
      parts.warn(
          "Objects still run after an interrupt; their storage is closed anyway: "
              + namespaces.values().stream()
                  .filter(each -> !each.instances().isEmpty())
                  .map(each -> each.name() + ": " + each.instances().count())
                  .toList(),
          null);
    }
  }

  private boolean awaitTerminated() {
    return lifecycle.awaitTerminated(
        () -> namespaces.values().stream().allMatch(each -> each.instances().isEmpty()),
        parts.time(),
        closeTimeout);
  }

  private void all(Consumer<Instances> action) {
    namespaces.values().forEach(each -> action.accept(each.instances()));
  }

  /** Closes all parts, even if some fail, and throws the first failure. */
  private void closeParts() {
    @Nullable RuntimeException first = null;
    if (backups != null) {
      first = close(backups, first);
    }
    first = close(parts.archive(), first);
    if (!parts.journal().isSavedAtClose()) {
      first = close(parts.journal(), first); // callers wait for the runtime that goes on with it
    }
    for (StorageBackend backend : parts.backends().values()) {
      first = close(backend, first);
    }
    first = close(parts.journal(), first);
    first = lostWrites(first);
    for (AutoCloseable resource : parts.closedLast()) {
      first = close(resource, first);
    }
    if (first != null) {
      throw first;
    }
  }

  /** Adds a failure if replies have left the runtime that depend on writes that are not durable. */
  private @Nullable RuntimeException lostWrites(@Nullable RuntimeException before) {
    long durable = parts.journal().durablePosition();
    long unconfirmed = parts.failure().lastUnconfirmed();
    if (unconfirmed <= durable) {
      return before;
    }
    JournalFailedException lost =
        new JournalFailedException(
            "Unconfirmed writes were lost, though callers were answered: the journal is durable up"
                + " to position "
                + durable
                + ", and the last unconfirmed write had position "
                + unconfirmed
                + ". Repair the cause and open the runtime again; all confirmed writes are kept",
            parts.journal().failure());
    if (before != null) {
      lost.addSuppressed(before);
    }
    return lost;
  }

  private static @Nullable RuntimeException close(
      AutoCloseable part, @Nullable RuntimeException before) {
    try {
      part.close();
      return before;
    } catch (Exception | Error e) { // what is left open would keep the next runtime out
      RuntimeException failure =
          e instanceof RuntimeException unchecked
              ? unchecked
              : new IllegalStateException("Closing a part of the runtime failed.", e);
      if (before == null) {
        return failure;
      }
      before.addSuppressed(failure);
      return before;
    }
  }
}
