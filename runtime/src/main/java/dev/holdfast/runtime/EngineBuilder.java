package dev.holdfast.runtime;

import dev.holdfast.AlarmOptions;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.errors.NamespaceException;
import dev.holdfast.spi.AlarmService;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectFileFormat;
import dev.holdfast.spi.PointInTimeRecovery;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Wires a runtime. The journal is open and the backends are recovered before they are handed over;
 * the runtime owns them from {@link #open} on and closes them in order: backends, journal, then
 * whatever was given to {@link #closeLast}.
 *
 * <p>Owned by the thread that opens the runtime.
 */
public final class EngineBuilder {

  private final Registrations registrations = new Registrations();
  private final Map<StorageKind, StorageBackend> backends = new EnumMap<>(StorageKind.class);
  private @Nullable AlarmService alarms;
  private @Nullable ObjectFileFormat files;
  private final List<AutoCloseable> closedLast = new ArrayList<>();
  private PointInTimeRecovery recovery = new NoRecovery();
  private System.Logger log = System.getLogger("dev.holdfast");
  private ThreadFactory threads = ownThreads();

  /**
   * Begins to wire a runtime.
   *
   * @param objects registers namespaces and sets options; called at once, so that a mistake in it
   *     is known before any file is touched
   * @throws NamespaceException if a namespace is malformed or registered twice
   */
  public EngineBuilder(Consumer<ObjectRegistrar> objects) {
    objects.accept(registrations);
  }

  /** {@return the options that were asked for, for wiring that depends on them} */
  public RuntimeOptions options() {
    return registrations.options();
  }

  /**
   * {@return whether a namespace asks for a storage engine}
   *
   * @param kind the storage engine
   */
  public boolean uses(StorageKind kind) {
    return registrations.byName().values().stream()
        .anyMatch(each -> each.options().storage() == kind);
  }

  /**
   * Adds a storage engine.
   *
   * @param kind what namespaces ask for
   * @param backend the engine, recovered
   * @return this
   */
  public EngineBuilder backend(StorageKind kind, StorageBackend backend) {
    backends.put(kind, backend);
    return this;
  }

  /**
   * Adds point-in-time recovery; without it bookmarks are refused.
   *
   * @param service recovered
   * @return this
   */
  public EngineBuilder recovery(PointInTimeRecovery service) {
    recovery = service;
    return this;
  }

  /** {@return for each namespace, how far back its objects are to be restored; zero for not} */
  public Map<String, Duration> recoveryWindows() {
    Map<String, Duration> windows = new LinkedHashMap<>();
    registrations
        .byName()
        .forEach((name, each) -> windows.put(name, each.options().recoveryWindow()));
    return windows;
  }

  /**
   * Sets the format of the files in which single objects leave and enter the runtime; without it
   * there is no {@link ObjectRuntime#recovery}.
   *
   * @param format the format
   * @return this
   */
  public EngineBuilder objectFiles(ObjectFileFormat format) {
    files = format;
    return this;
  }

  /**
   * Replaces what makes the threads of strands, timers and asynchronous calls.
   *
   * @param factory makes threads that may block; virtual ones unless this is called
   * @return this
   */
  public EngineBuilder threads(ThreadFactory factory) {
    threads = factory;
    return this;
  }

  /**
   * Replaces the logger {@code dev.holdfast}, which takes what no caller can be told: failures of
   * timers, turns that run too long.
   *
   * @param logger where to
   * @return this
   */
  public EngineBuilder log(System.Logger logger) {
    log = logger;
    return this;
  }

  /** {@return how alarms are to be fired} */
  public AlarmOptions alarmOptions() {
    return registrations.alarms();
  }

  /** {@return the options of each namespace, by name} */
  public Map<String, NamespaceOptions> namespaces() {
    Map<String, NamespaceOptions> options = new LinkedHashMap<>();
    registrations.byName().forEach((name, each) -> options.put(name, each.options()));
    return options;
  }

  /**
   * Adds what fires alarms; without it, none can be set. Started when the runtime is open, and
   * closed before anything else.
   *
   * @param service fires alarms
   * @return this
   */
  public EngineBuilder alarms(AlarmService service) {
    alarms = service;
    return this;
  }

  /**
   * Adds something to be closed after the journal, such as the lock of the directory.
   *
   * @param resource what to close; closed in the order of the calls
   * @return this
   */
  public EngineBuilder closeLast(AutoCloseable resource) {
    closedLast.add(resource);
    return this;
  }

  /**
   * Opens the runtime.
   *
   * @param journal makes everything durable
   * @param time the only clock of the runtime
   * @param random for unique ids; must not be guessable
   * @return the runtime
   * @throws NamespaceException if a namespace asks for a storage engine that was not added
   */
  public ObjectRuntime open(Journal journal, TimeSource time, RandomGenerator random) {
    registrations.byName().forEach((name, each) -> requireBackend(name, each.options().storage()));
    Engine engine =
        new Engine(
            new Engine.Parts(
                journal,
                Map.copyOf(backends),
                recovery,
                time,
                threads,
                random,
                log,
                alarms,
                files,
                List.copyOf(closedLast)),
            registrations);
    engine.start();
    return engine;
  }

  private void requireBackend(String namespace, StorageKind storage) {
    if (!backends.containsKey(storage)) {
      throw new NamespaceException(
          namespace,
          "The namespace \""
              + namespace
              + "\" asks for "
              + storage
              + " storage, which this runtime does not have.");
    }
  }

  /**
   * Virtual threads that take nothing from the thread that happens to start them: it may be that of
   * a stranger's call. What they load classes with is the same for all, that of who opened the
   * runtime, since the classes of an application need not be known to the system's loader.
   */
  private static ThreadFactory ownThreads() {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    ThreadFactory factory =
        Thread.ofVirtual().name("holdfast-", 0).inheritInheritableThreadLocals(false).factory();
    return work -> {
      Thread thread = factory.newThread(work);
      thread.setContextClassLoader(loader);
      return thread;
    };
  }
}
