package dev.holdfast.runtime;

import dev.holdfast.AlarmOptions;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.OperatorOperation;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.TimeSource;
import dev.holdfast.errors.NamespaceException;
import dev.holdfast.runtime.internal.cache.ValueCache;
import dev.holdfast.runtime.internal.jfr.RecordedStorageEvents;
import dev.holdfast.runtime.internal.outbox.ConsumerLedger;
import dev.holdfast.runtime.internal.outbox.Outbox;
import dev.holdfast.runtime.internal.report.EventLog;
import dev.holdfast.runtime.internal.stub.ObjectIds;
import dev.holdfast.runtime.internal.turn.DeadlockDetector;
import dev.holdfast.runtime.internal.turn.EngineFailure;
import dev.holdfast.runtime.internal.turn.EngineParts;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.spi.AlarmService;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalArchive;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.ObjectFileFormat;
import dev.holdfast.spi.PointInTimeRecovery;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.backup.OnlineBackup;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.inspect.InspectedRuntime;
import dev.holdfast.spi.inspect.OperatorJobs;
import dev.holdfast.spi.statistics.StorageEvents;
import dev.holdfast.statistics.RecoveryStatistics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Wires a runtime. The journal is open and the backends are recovered before they are handed over;
 * the runtime owns them from {@link #open} on and closes them in order: backends, journal, then the
 * resources of {@link #closeLast}.
 *
 * <p>Owned by the thread that opens the runtime.
 */
public final class EngineBuilder {

  private final Registrations registrations = new Registrations();
  private final Map<StorageKind, StorageBackend> backends = new LinkedHashMap<>();
  private @Nullable AlarmService alarms;
  private @Nullable ObjectFileFormat files;
  private JournalArchive archive = JournalArchive.NONE;
  private @Nullable ConsumerLedger consumers;
  private final List<AutoCloseable> closedLast = new ArrayList<>();
  private PointInTimeRecovery recovery = new NoRecovery();
  private final StorageEvents events = new RecordedStorageEvents();
  private long recoveryBegunNanos;
  private StorageEvents.@Nullable Recovery recoveryEvent;
  private RecoveryStatistics recovered = RecoveryStatistics.NONE;
  private System.Logger log = System.getLogger("dev.holdfast");
  private ThreadFactory threads = ownThreads();
  private Place.@Nullable Data data;
  private @Nullable OnlineBackup backups;
  private @Nullable NamespaceLookup lookup;
  private Outbox.@Nullable Relay published;
  private Function<Engine, AutoCloseable> operator = _ -> () -> {};
  private boolean isWithoutCode;
  private long historyBytesMax = Long.MAX_VALUE;

  /**
   * Begins to wire a runtime.
   *
   * @param objects registers namespaces and sets options; called at once, so that a mistake in it
   *     is reported before any file is touched
   * @throws NamespaceException if a namespace is malformed or registered twice
   */
  public EngineBuilder(Consumer<ObjectRegistrar> objects) {
    objects.accept(registrations);
    registrations.complete();
  }

  /**
   * Returns the id of an object, for tools that have no runtime.
   *
   * @param namespace the name of its namespace
   * @param nameOrId its name, or its id as 64 hexadecimal digits
   * @return the id
   * @throws dev.holdfast.errors.InvalidObjectIdException if it is neither
   */
  public static ObjectId idOf(String namespace, String nameOrId) {
    ObjectIds ids =
        new ObjectIds(namespace, new SplittableRandom(0), _ -> null); // makes no unique id
    boolean isId =
        nameOrId.length() == 2 * ObjectId.LENGTH_BYTES
            && nameOrId.chars().allMatch(HexFormat::isHexDigit);
    return isId ? ids.fromString(nameOrId) : ids.fromName(nameOrId);
  }

  /** {@return the operations of the application for operators, by name} */
  public Map<String, OperatorOperation> operations() {
    return registrations.operations();
  }

  /** {@return the requested options, for wiring that depends on them} */
  public RuntimeOptions options() {
    return registrations.options();
  }

  /** {@return the maximum length of a payload that the journal is to take, in bytes} */
  public int payloadBytesMax() {
    return options().shardRules() ? Journal.SHARD_PAYLOAD_BYTES_MAX : Journal.PAYLOAD_BYTES_MAX;
  }

  /**
   * {@return whether a namespace asks for a storage engine}
   *
   * @param kind the storage engine
   */
  public boolean uses(StorageKind kind) {
    return registrations.byName().values().stream()
        .anyMatch(each -> each.options().storage().equals(kind));
  }

  /**
   * Adds a storage engine.
   *
   * @param kind the kind that namespaces request
   * @param backend the engine, already recovered
   * @return this
   */
  public EngineBuilder backend(StorageKind kind, StorageBackend backend) {
    backends.put(kind, backend);
    return this;
  }

  /**
   * Adds point-in-time recovery; without it bookmarks are refused.
   *
   * @param service the service, already recovered
   * @return this
   */
  public EngineBuilder recovery(PointInTimeRecovery service) {
    recovery = service;
    return this;
  }

  /**
   * Adds the archive of the journal, which is closed before the backends.
   *
   * @param service the archive, already started
   * @return this
   */
  public EngineBuilder archive(JournalArchive service) {
    archive = service;
    return this;
  }

  /**
   * Adds what knows the consumers of events; without it, none can be added. It keeps events at most
   * as long as the namespace with the longest recovery window keeps its history.
   *
   * @param journal has the events
   * @param history reads them
   * @param time the clock
   * @return a view of the journal, to be recovered before {@link #open}
   */
  public JournalView consumers(Journal journal, JournalHistory history, TimeSource time) {
    long windowMillis = 0;
    for (Duration window : recoveryWindows().values()) {
      windowMillis = Math.max(windowMillis, window.toMillis());
    }
    ConsumerLedger ledger =
        new ConsumerLedger(
            journal,
            history,
            time,
            new ConsumerLedger.Bounds(options().outboxBytesMax(), windowMillis));
    consumers = ledger;
    return ledger;
  }

  /** {@return what receives the events of the journal and the backends} */
  public StorageEvents events() {
    return events;
  }

  /**
   * Begins to measure the recovery, before the journal is opened. Without it, the runtime has
   * recovered nothing.
   *
   * @param time the clock
   * @return this
   */
  public EngineBuilder beginRecovery(TimeSource time) {
    recoveryEvent = events.recovery();
    recoveryBegunNanos = time.monotonicNanos();
    return this;
  }

  /**
   * Ends the recovery that {@link #beginRecovery} began: all views are at the end of the journal.
   *
   * @param time the clock
   * @param directory the data directory
   * @param records how many records of the journal were read
   * @return this
   */
  public EngineBuilder endRecovery(TimeSource time, Path directory, long records) {
    recovered = new RecoveryStatistics(time.monotonicNanos() - recoveryBegunNanos, records);
    if (recoveryEvent != null) {
      recoveryEvent.end(directory.toString(), records);
      recoveryEvent = null;
    }
    return this;
  }

  /**
   * {@return for each namespace, how far back its objects can be restored; zero for no recovery}
   */
  public Map<String, Duration> recoveryWindows() {
    Map<String, Duration> windows = new LinkedHashMap<>();
    registrations
        .byName()
        .forEach((name, each) -> windows.put(name, each.options().recoveryWindow()));
    return windows;
  }

  /**
   * Sets the format of the files of single objects, for export and import; without it there is no
   * {@link ObjectRuntime#recovery}.
   *
   * @param format the format
   * @return this
   */
  public EngineBuilder objectFiles(ObjectFileFormat format) {
    files = format;
    return this;
  }

  /**
   * Replaces the factory of the threads of tasks, timers and asynchronous calls.
   *
   * @param factory makes threads that may block; virtual threads by default
   * @return this
   */
  public EngineBuilder threads(ThreadFactory factory) {
    threads = factory;
    return this;
  }

  /**
   * Replaces the logger {@code dev.holdfast}, which receives what no caller receives: failures of
   * timers, turns that run too long.
   *
   * @param logger the logger
   * @return this
   */
  public EngineBuilder log(System.Logger logger) {
    log = logger;
    return this;
  }

  /**
   * Sets where the data are, for reports and for {@link ObjectRuntime#health}.
   *
   * @param directory the data directory
   * @param disk the file system that has it
   * @return this
   */
  public EngineBuilder dataDirectory(Path directory, Disk disk) {
    data = new Place.Data(directory, disk);
    return this;
  }

  /**
   * Adds what makes backups of the data directory; without it, they are refused. Closed before the
   * backends.
   *
   * @param service makes backups
   * @return this
   */
  public EngineBuilder backups(OnlineBackup service) {
    backups = service;
    return this;
  }

  /**
   * Sets where objects find the namespaces of the objects that they call; without it, in this
   * runtime.
   *
   * @param namespaces finds them
   * @return this
   */
  public EngineBuilder lookup(NamespaceLookup namespaces) {
    lookup = namespaces;
    return this;
  }

  /**
   * Sets what takes the events that objects publish, in the place of the listeners of this runtime,
   * which it has none of then.
   *
   * @param relay is given each event as a listener is: the object, the topic and the encoded value
   * @return this
   */
  public EngineBuilder published(EventListeners.Relay relay) {
    published = relay::publish;
    return this;
  }

  /**
   * Sets the cap of the history, for {@link ObjectRuntime#historyUsage}; without it there is none.
   *
   * @param bytes the size of the journal up to which it keeps history
   * @return this
   */
  public EngineBuilder historyBytesMax(long bytes) {
    historyBytesMax = bytes;
    return this;
  }

  /** {@return the options of alarms} */
  public AlarmOptions alarmOptions() {
    return registrations.alarms();
  }

  /**
   * {@return the namespaces, by name, as nodes see them that do not have the objects}
   *
   * @param random for unique ids; must not be guessable
   * @throws NullPointerException if it is null
   */
  public Map<String, RegisteredNamespace<?>> registered(RandomGenerator random) {
    Map<String, RegisteredNamespace<?>> byName = new LinkedHashMap<>();
    registrations
        .byName()
        .forEach(
            (name, each) ->
                byName.put(
                    name,
                    new RegisteredNamespace<>(
                        name, each.type(), each.values(), new ObjectIds(name, random, _ -> null))));
    return byName;
  }

  /** {@return what carriers take along with calls to other processes} */
  public CarriedCalls carriedCalls() {
    return registrations.carriedCalls();
  }

  /** {@return the options of each namespace, by name} */
  public Map<String, NamespaceOptions> namespaces() {
    Map<String, NamespaceOptions> options = new LinkedHashMap<>();
    registrations.byName().forEach((name, each) -> options.put(name, each.options()));
    return options;
  }

  /**
   * Adds the service that fires alarms; without it, no alarm can be set. It is started when the
   * runtime is open, and closed first.
   *
   * @param service fires alarms
   * @return this
   */
  public EngineBuilder alarms(AlarmService service) {
    alarms = service;
    return this;
  }

  /**
   * Adds a resource to close after the journal, such as the lock of the directory.
   *
   * @param resource the resource; resources are closed in the order of the calls
   * @return this
   */
  public EngineBuilder closeLast(AutoCloseable resource) {
    closedLast.add(resource);
    return this;
  }

  /**
   * Registers a namespace whose objects run no code: for operators, without the application. Call
   * it before {@link #open}.
   *
   * @param name the name of the namespace
   * @param options its options; without migrations
   * @return this
   * @throws NamespaceException if the name is malformed or already registered
   */
  public EngineBuilder withoutCode(String name, NamespaceOptions options) {
    isWithoutCode = true;
    registrations.add(
        name,
        WithoutCode.class,
        _ -> {
          throw new NamespaceException(
              name, "The namespace \"" + name + "\" is opened for an operator, without code.");
        },
        options);
    return this;
  }

  /** The interface of objects that run no code. */
  private interface WithoutCode {}

  /**
   * Lets operators see the runtime, and adds what serves them while it is open. That is closed
   * before everything else.
   *
   * @param history the journal that operators see
   * @param lastPosition the last record of it that they see
   * @param opening opens what serves them, once the runtime takes calls
   * @return this
   */
  public EngineBuilder operator(
      JournalHistory history,
      long lastPosition,
      Function<InspectedRuntime, AutoCloseable> opening) {
    operator =
        engine -> {
          InspectedRuntime opened =
              new InspectedRuntime(
                  engine,
                  new EngineInspection(engine, history, backends, recovery),
                  lastPosition,
                  operations(),
                  new OperatorJobs(engine.time()));
          engine.inspected(opened);
          return opening.apply(opened);
        };
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
    EventLog reports = new EventLog(log, time);
    Engine engine =
        new Engine(
            new EngineParts(
                journal,
                Map.copyOf(backends),
                recovery,
                time,
                threads,
                random,
                new ValueCache(registrations.options().valueCacheBytesMax()),
                alarms,
                files,
                archive,
                new Outbox(
                    journal,
                    time,
                    reports,
                    this::newActionThread,
                    consumers,
                    registrations::valuesOf,
                    published),
                reports,
                new EngineFailure(),
                new DeadlockDetector(),
                List.copyOf(closedLast),
                options().shardRules() && lookup == null),
            registrations,
            recovered,
            new Place(data, recovered),
            backups,
            lookup,
            historyBytesMax);
    engine.start(operator, /* resumesPurges= */ !isWithoutCode);
    return engine;
  }

  /** Turns wait for actions of their object, but not those that an action calls. */
  private Thread newActionThread(Runnable work) {
    return threads.newThread(
        () -> {
          ExecutionStack.current().setOfAction();
          work.run();
        });
  }

  private void requireBackend(String namespace, StorageKind storage) {
    if (!backends.containsKey(storage)) {
      throw new NamespaceException(
          namespace,
          "The namespace \""
              + namespace
              + "\" requests "
              + storage
              + " storage, which this runtime does not have.");
    }
  }

  /**
   * Virtual threads that inherit nothing from the thread that starts them, which may belong to an
   * unrelated call. All have the class loader of the thread that opened the runtime, since the
   * system's loader may not find the classes of an application.
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
