package dev.holdfast.benchmarks.objects;

import dev.holdfast.NamespaceAlarms;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.TimeSource;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.alarms.Alarms;
import dev.holdfast.backend.rocksdb.RocksDbBackend;
import dev.holdfast.backend.rocksdb.RocksDbOptions;
import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.backend.sqlite.SqliteOptions;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.pitr.JournaledRecovery;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StorageThreads;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A runtime of objects that set alarms and write a row when one fires. Its clock can be ahead of
 * the machine's: then alarms of a host before it are due at once, as they are after a downtime.
 *
 * <p>Owned by the thread that opens it.
 */
public final class SleeperHost implements AutoCloseable {

  private static final String NAMESPACE = "sleepers";

  /** As in {@code Holdfast}. */
  private static final int STORAGE_THREADS_MAX = 8;

  private final SystemTimeSource time = new SystemTimeSource();
  private final FiredAlarms fired = new FiredAlarms();
  private final ObjectRuntime runtime;

  /** An object that sets alarms. */
  public interface Sleeper {

    /** Writes a row. */
    void put(long value);

    /** Writes a row and sets the alarm. */
    void putAndSet(long value, Instant time);
  }

  /** Its object. */
  static final class SleeperObject implements Sleeper, AlarmHandler {
    private final ObjectContext context;
    private final FiredAlarms fired;

    SleeperObject(ObjectContext context, FiredAlarms fired) {
      this.context = context;
      this.fired = fired;
    }

    @Override
    public void put(long value) {
      context.storage().put("row", value);
    }

    @Override
    public void putAndSet(long value, Instant time) {
      context.storage().put("row", value);
      context.storage().setAlarm(time);
    }

    @Override
    public void alarm(AlarmInfo alarm) {
      // The alarm's time is in milliseconds; the time from it to the start of the handler is the
      // lateness.
      fired.add(Duration.between(alarm.scheduledTime(), Instant.now()).toNanos());
      context.storage().put("row", alarm.scheduledTime().toEpochMilli());
    }
  }

  private SleeperHost(Path directory, NamespaceOptions options, Duration ahead) {
    Consumer<ObjectRegistrar> objects =
        registrar ->
            registrar.namespace(
                NAMESPACE, Sleeper.class, context -> new SleeperObject(context, fired), options);
    runtime =
        ahead.isZero()
            ? Holdfast.open(directory, objects)
            : openAhead(directory, new TimeAhead(time, ahead.toMillis()), objects);
  }

  /** Wired like {@code Holdfast.open}, which runs one handler at a time if it is given a clock. */
  private static ObjectRuntime openAhead(
      Path directory, TimeSource time, Consumer<ObjectRegistrar> objects) {
    EngineBuilder engine = new EngineBuilder(objects);
    StorageThreads threads = new StorageThreads(STORAGE_THREADS_MAX);
    FileJournal journal =
        FileJournal.open(directory.resolve("journal"), time, JournalOptions.DEFAULT);
    Map<StorageKind, StorageBackend> backends = new LinkedHashMap<>();
    backends.put(
        StorageKind.SQLITE,
        new SqliteBackend(
            journal,
            threads,
            time,
            JournalOptions.DEFAULT.disk(),
            new SqliteOptions(directory.resolve("sqlite"), engine.options().openDatabasesMax())));
    if (engine.uses(StorageKind.ROCKSDB)) {
      backends.put(
          StorageKind.ROCKSDB,
          RocksDbBackend.open(
              directory.resolve("rocksdb"),
              new RocksDbBackend.Binding(
                  directory.resolve("rocksdb.flushed"), journal.recoveryLog()),
              new RocksDbBackend.Host(journal, threads, time),
              RocksDbOptions.DEFAULT));
    }
    JournaledRecovery recovery =
        new JournaledRecovery(journal, journal.history(), time, engine.recoveryWindows());
    List<JournalView> views = new ArrayList<>(backends.values());
    views.add(recovery);
    views.forEach(view -> view.recover(journal.recoveryLog()));
    journal.start(views);
    backends.forEach(engine::backend);
    return engine
        .recovery(recovery)
        .alarms(
            new Alarms(
                new Alarms.Host(journal, time, new SecureRandom()),
                Alarms.namespaces(engine.namespaces(), backends),
                engine.alarmOptions()))
        .closeLast(threads)
        .open(journal, time, new SecureRandom());
  }

  public static SleeperHost open(Path directory, StorageKind kind, Duration ahead) {
    return new SleeperHost(directory, NamespaceOptions.DEFAULT.withStorage(kind), ahead);
  }

  /**
   * Opens a host whose objects do not stay in memory: with a million, the garbage collector would
   * be measured.
   */
  public static SleeperHost openForMany(Path directory) {
    return new SleeperHost(
        directory,
        NamespaceOptions.DEFAULT
            .withStorage(StorageKind.ROCKSDB)
            .withIdleTimeout(Duration.ofSeconds(1)),
        Duration.ZERO);
  }

  /** {@return the objects} */
  public ObjectNamespace<Sleeper> sleepers() {
    return runtime.namespace(NAMESPACE, Sleeper.class);
  }

  /** {@return their alarms} */
  public NamespaceAlarms alarms() {
    return sleepers().alarms();
  }

  /** {@return the handlers that have begun} */
  public FiredAlarms fired() {
    return fired;
  }

  /** Runs a call for each number, from many callers. */
  public interface NumberedCall {
    void make(int number);
  }

  public static void each(int callers, int count, NumberedCall call) throws Exception {
    AtomicInteger next = new AtomicInteger();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> ends = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        ends.add(
            threads.submit(
                () -> {
                  for (int n = next.getAndIncrement(); n < count; n = next.getAndIncrement()) {
                    call.make(n);
                  }
                }));
      }
      for (Future<?> end : ends) {
        end.get();
      }
    }
  }

  @Override
  public void close() {
    runtime.close();
    time.close();
  }

  /** The machine's clocks, the wall clock set forward. */
  private record TimeAhead(TimeSource real, long aheadMillis) implements TimeSource {

    @Override
    public long wallMillis() {
      return real.wallMillis() + aheadMillis;
    }

    @Override
    public long monotonicNanos() {
      return real.monotonicNanos();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
      return real.schedule(delayNanos, task);
    }
  }
}
