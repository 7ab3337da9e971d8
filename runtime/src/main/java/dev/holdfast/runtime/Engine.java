package dev.holdfast.runtime;

import dev.holdfast.AlarmOptions;
import dev.holdfast.ObjectAdmin;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.errors.NamespaceException;
import dev.holdfast.errors.StorageFailedException;
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
import dev.holdfast.runtime.internal.stub.Namespace;
import dev.holdfast.runtime.internal.stub.ObjectIds;
import dev.holdfast.runtime.internal.turn.EngineServices;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.spi.AlarmService;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectFileFormat;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.PointInTimeRecovery;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.TimeSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A runtime: its namespaces and what they share. Thread-safe. */
final class Engine implements ObjectRuntime, Namespaces {

  private final Parts parts;
  private final RuntimeOptions options;
  private final Lifecycle lifecycle = new Lifecycle();
  private final EngineServices services;
  private final Map<String, Namespace<?>> namespaces = new LinkedHashMap<>();
  private final Sweeper sweeper;
  private final Administration admin = new Administration(this::instancesOf);
  private final AlarmOptions.Listener alarmListener;

  /** Whether the instances are still to be reset once the journal has failed. */
  private final AtomicBoolean resetDue = new AtomicBoolean(true);

  /**
   * What a runtime is wired from.
   *
   * @param journal makes everything durable
   * @param backends keep the data
   * @param recovery brings objects back to earlier states
   * @param time the clock
   * @param threads makes virtual threads
   * @param random for unique ids
   * @param log takes what no caller can be told
   * @param alarms fires alarms; null for none
   * @param files the files of single objects; null if the runtime has none
   * @param closedLast closed after the journal
   */
  record Parts(
      Journal journal,
      Map<StorageKind, StorageBackend> backends,
      PointInTimeRecovery recovery,
      TimeSource time,
      ThreadFactory threads,
      RandomGenerator random,
      System.Logger log,
      @Nullable AlarmService alarms,
      @Nullable ObjectFileFormat files,
      List<AutoCloseable> closedLast) {}

  Engine(Parts parts, Registrations registrations) {
    this.parts = parts;
    this.options = registrations.options();
    this.alarmListener = registrations.alarms().listener();
    this.services =
        new EngineServices(
            parts.journal(),
            parts.recovery(),
            new ValueCache(options.valueCacheBytesMax()),
            parts.time(),
            parts.threads(),
            parts.log(),
            parts.alarms(),
            this::journalFailed);
    registrations.byName().forEach((name, each) -> namespaces.put(name, namespaceOf(each)));
    parts.backends().values().forEach(each -> each.onObjectFailure(this::objectFailed));
    parts.backends().values().forEach(each -> each.keepUndoOf(registrations::keepsHistory));
    this.sweeper =
        new Sweeper(
            services,
            namespaces.values().stream().map(Namespace::instances).toList(),
            options.turnWarning());
  }

  private <T> Namespace<T> namespaceOf(Registration<T> registration) {
    StorageBackend backend = parts.backends().get(registration.options().storage());
    if (backend == null) {
      throw new IllegalStateException("No backend for " + registration.options().storage());
    }
    Instances instances =
        new Instances(
            new Instances.Specification(
                registration.name(), registration.factory(), registration.options()),
            backend,
            services,
            lifecycle,
            this);
    return new Namespace<>(
        registration.type(), instances, new ObjectIds(registration.name(), parts.random()));
  }

  /** {@return what objects have read lately} */
  ValueCache values() {
    return services.values();
  }

  void start() {
    parts.journal().onFailure(this::journalHasFailed);
    sweeper.start();
    AlarmService service = parts.alarms();
    if (service != null) {
      Map<String, Instances> instances = new LinkedHashMap<>();
      namespaces.forEach((name, each) -> instances.put(name, each.instances()));
      service.start(new AlarmRuns(service, instances, services, alarmListener));
    }
  }

  @Override
  @SuppressWarnings("unchecked") // compared just before
  public <T> ObjectNamespace<T> namespace(String name, Class<T> type) {
    Namespace<?> found = registered(name);
    if (found.type() != type) {
      throw new NamespaceException(
          name,
          "The namespace \""
              + name
              + "\" has objects of type "
              + found.type().getName()
              + ", not "
              + type.getName()
              + ".");
    }
    return (ObjectNamespace<T>) found;
  }

  private Namespace<?> registered(String name) {
    Namespace<?> found = namespaces.get(name);
    if (found == null) {
      throw new NamespaceException(
          name,
          "No namespace \"" + name + "\" is registered; there are " + namespaces.keySet() + ".");
    }
    return found;
  }

  /** Called by a backend: a turn that runs now knows of no error and must not be heard. */
  private void objectFailed(ObjectKey key, StorageFailedException failure) {
    Namespace<?> namespace = namespaces.get(key.namespace());
    if (namespace != null) {
      namespace
          .instances()
          .reset(key.id(), "The object was reset because its storage failed.", failure);
    }
  }

  @Override
  public ObjectRecovery recovery(String namespace, ObjectId id) {
    Namespace<?> found = registered(namespace);
    found.check(id);
    return new ObjectPast(found.instances(), id, found::idFromName, parts.files());
  }

  @Override
  public ObjectAdmin admin() {
    return admin;
  }

  private Instances instancesOf(String namespace, ObjectId id) {
    Namespace<?> found = registered(namespace);
    found.check(id);
    return found.instances();
  }

  @Override
  public HistoryUsage historyUsage() {
    return parts.recovery().usage(options.historyBytesMax());
  }

  /**
   * Called by the journal itself: nobody may be waiting for what is lost. From here on no call is
   * taken. The instances are reset by another thread, because this one may be in the middle of an
   * append, and a reset runs code of the application.
   */
  private void journalHasFailed(RuntimeException failure) {
    lifecycle.fail(failure);
    services.start(() -> journalFailed(failure));
  }

  /** Called by whoever meets the failure; the first call resets all instances. */
  private void journalFailed(RuntimeException failure) {
    lifecycle.fail(failure);
    if (resetDue.compareAndSet(true, false)) {
      services.warn(
          "The journal has failed: no call is taken any more, and what is not durable is lost."
              + " Close the runtime, repair the cause and open it again.",
          failure);
      all(each -> each.resetAll("The object was reset because the journal failed.", failure));
    }
  }

  @Override
  public void close() {
    Execution caller = ExecutionStack.current().top();
    if (caller != null && caller.turns().services() == services) {
      throw new IllegalStateException(
          "An object cannot close its own runtime: closing waits for the object.");
    }
    if (!lifecycle.beginClosing()) {
      lifecycle.awaitClosed();
      return;
    }
    try {
      if (parts.alarms() != null) {
        parts.alarms().close();
      }
      endInstances();
    } finally {
      sweeper.stop();
      try {
        closeParts();
      } finally {
        lifecycle.endClosing(); // also if closing reports a failure: others may wait for the end
      }
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
      services.warn(
          "Objects still run after they were interrupted; their storage is closed all the same. "
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
        options.closeTimeout());
  }

  private void all(java.util.function.Consumer<Instances> action) {
    namespaces.values().forEach(each -> action.accept(each.instances()));
  }

  /** Closes everything, whatever fails on the way, and throws the first failure. */
  private void closeParts() {
    @Nullable RuntimeException first = null;
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

  /** Says at last that words have left the runtime which depended on nothing that is durable. */
  private @Nullable RuntimeException lostWrites(@Nullable RuntimeException before) {
    long durable = parts.journal().durablePosition();
    long unconfirmed = services.lastUnconfirmed();
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
                + ". Repair the cause and open the runtime again; everything that was confirmed is"
                + " there",
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
    } catch (Exception e) {
      RuntimeException failure =
          e instanceof RuntimeException unchecked
              ? unchecked
              : new IllegalStateException("A part of the runtime could not be closed.", e);
      if (before == null) {
        return failure;
      }
      before.addSuppressed(failure);
      return before;
    }
  }
}
