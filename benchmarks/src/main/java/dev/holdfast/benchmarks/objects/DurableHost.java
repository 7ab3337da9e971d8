package dev.holdfast.benchmarks.objects;

import dev.holdfast.AlarmOptions;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmPolicy;
import dev.holdfast.alarms.Alarms;
import dev.holdfast.backend.rocksdb.RocksDbBackend;
import dev.holdfast.backend.rocksdb.RocksDbOptions;
import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.backend.sqlite.SqliteOptions;
import dev.holdfast.benchmarks.harness.MeasuredDisk;
import dev.holdfast.benchmarks.objects.SleeperHost.Sleeper;
import dev.holdfast.benchmarks.objects.SleeperHost.SleeperObject;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.HistoryOptions;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.pitr.JournaledRecovery;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.sql.SqlLimits;
import dev.holdfast.sql.SqlMigration;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Semaphore;

/**
 * A runtime with its journal, SQLite files and RocksDB in a directory, on a disk that counts and
 * delays: wired like {@code Holdfast.open}, which cannot replace the disk.
 *
 * <p>Owned by the thread that opens it; the runtime is thread-safe.
 */
public final class DurableHost implements AutoCloseable {

  /** Longer than any benchmark: eviction would be measured in some rounds and not in others. */
  private static final NamespaceOptions NEVER_IDLE =
      NamespaceOptions.DEFAULT.withIdleTimeout(Duration.ofHours(1));

  /** A statement continues until it is stopped by other means. */
  private static final SqlLimits ENDLESS =
      SqlLimits.DEFAULT
          .withStatementStepsMax(Long.MAX_VALUE)
          .withStatementTimeMax(Duration.ofHours(1));

  /** As in {@code Holdfast}. */
  private static final int STORAGE_THREADS_MAX = 8;

  private final ObjectRuntime runtime;
  private final Semaphore runawaysBegun;

  private DurableHost(ObjectRuntime runtime, Semaphore runawaysBegun) {
    this.runtime = runtime;
    this.runawaysBegun = runawaysBegun;
  }

  /**
   * The retention of the past. A runtime has one setting for both.
   *
   * @param undo the time for which batches can be undone; zero for no undo in them
   * @param segments the time for which segments of the journal are kept
   */
  public record Kept(Duration undo, Duration segments) {}

  public static DurableHost open(Path directory, MeasuredDisk disk) {
    return open(directory, disk, RuntimeOptions.DEFAULT);
  }

  /** Opens with another number of open databases. */
  public static DurableHost open(Path directory, MeasuredDisk disk, RuntimeOptions runtime) {
    return open(directory, disk, keptByDefault(), runtime, JournalOptions.DEFAULT.segmentBytes());
  }

  /** Opens with segments of another size, which bound how much is unsaved. */
  public static DurableHost open(Path directory, MeasuredDisk disk, long segmentBytes) {
    return open(directory, disk, keptByDefault(), RuntimeOptions.DEFAULT, segmentBytes);
  }

  public static DurableHost open(Path directory, MeasuredDisk disk, Kept kept) {
    return open(
        directory, disk, kept, RuntimeOptions.DEFAULT, JournalOptions.DEFAULT.segmentBytes());
  }

  private static Kept keptByDefault() {
    Duration window = NamespaceOptions.DEFAULT.recoveryWindow();
    return new Kept(window, window);
  }

  private static DurableHost open(
      Path directory, MeasuredDisk disk, Kept kept, RuntimeOptions all, long segmentBytes) {
    NamespaceOptions options = NEVER_IDLE.withRecoveryWindow(kept.undo());
    SystemTimeSource time = new SystemTimeSource();
    StorageThreads threads = new StorageThreads(STORAGE_THREADS_MAX);
    FileJournal journal =
        FileJournal.open(
            directory.resolve("journal"),
            time,
            JournalOptions.DEFAULT
                .withDisk(disk)
                .withSegmentBytes(segmentBytes)
                .withHistory(new HistoryOptions(kept.segments().toMillis(), Long.MAX_VALUE)));
    SqliteBackend backend =
        new SqliteBackend(
            journal,
            threads,
            time,
            disk,
            new SqliteOptions(directory.resolve("sqlite"), all.openDatabasesMax()));
    RocksDbBackend rocksDb =
        RocksDbBackend.open(
            directory.resolve("rocksdb"),
            new RocksDbBackend.Host(journal, threads, time),
            RocksDbOptions.DEFAULT);
    JournaledRecovery recovery =
        new JournaledRecovery(journal, journal.history(), time, Map.of("pasts", kept.undo()));
    backend.recover(journal.recoveryLog());
    rocksDb.recover(journal.recoveryLog());
    recovery.recover(journal.recoveryLog());
    journal.start(List.of(backend, rocksDb, recovery));
    Map<StorageKind, StorageBackend> backends = new LinkedHashMap<>();
    backends.put(StorageKind.SQLITE, backend);
    backends.put(StorageKind.ROCKSDB, rocksDb);
    FiredAlarms fired = new FiredAlarms();
    Semaphore runawaysBegun = new Semaphore(0);
    return new DurableHost(
        new EngineBuilder(
                objects ->
                    objects
                        .namespace(
                            sleepersIn(StorageKind.SQLITE),
                            Sleeper.class,
                            context -> new SleeperObject(context, fired),
                            options)
                        .namespace(
                            sleepersIn(StorageKind.ROCKSDB),
                            Sleeper.class,
                            context -> new SleeperObject(context, fired),
                            options.withStorage(StorageKind.ROCKSDB))
                        .namespace("entries", Entries.class, EntriesObject::new, options)
                        .namespace(
                            "migrated",
                            Entries.class,
                            EntriesObject::migrated,
                            options.withMigrations(
                                List.of(new SqlMigration("table", Entries.TABLE))))
                        .namespace("links", Link.class, LinkObject::new, options)
                        .namespace("pasts", Past.class, PastObject::new, options)
                        .namespace(
                            "runaways",
                            Runaway.class,
                            context -> new RunawayObject(context, runawaysBegun),
                            options.withSqlLimits(ENDLESS))
                        .namespace("sqlite-pairs", Pairs.class, PairsObject::new, options)
                        .namespace(
                            "rocksdb-pairs",
                            Pairs.class,
                            PairsObject::new,
                            options.withStorage(StorageKind.ROCKSDB)))
            .backend(StorageKind.SQLITE, backend)
            .backend(StorageKind.ROCKSDB, rocksDb)
            .recovery(recovery)
            .alarms(alarms(new SleeperWorld(journal, time, backends)))
            .closeLast(threads)
            .closeLast(time)
            .open(journal, time, new SecureRandom()),
        runawaysBegun);
  }

  private static String sleepersIn(StorageKind kind) {
    return kind.name().toLowerCase(Locale.ROOT) + "-sleepers";
  }

  private record SleeperWorld(
      FileJournal journal, SystemTimeSource time, Map<StorageKind, StorageBackend> backends) {}

  private static Alarms alarms(SleeperWorld world) {
    Map<String, Alarms.Namespace> namespaces = new HashMap<>();
    world
        .backends()
        .forEach(
            (kind, backend) ->
                namespaces.put(
                    sleepersIn(kind),
                    new Alarms.Namespace(
                        backend.catalog(), AlarmPolicy.DEFAULT, backend::isOpening)));
    return new Alarms(
        new Alarms.Host(world.journal(), world.time(), new SecureRandom()),
        namespaces,
        AlarmOptions.DEFAULT);
  }

  /** {@return the objects that set alarms} */
  public ObjectNamespace<Sleeper> sleepers(StorageKind kind) {
    return runtime.namespace(sleepersIn(kind), Sleeper.class);
  }

  /** {@return the objects with a table of entries} */
  public ObjectNamespace<Entries> entries() {
    return runtime.namespace("entries", Entries.class);
  }

  /** {@return the objects whose table a migration makes} */
  public ObjectNamespace<Entries> migrated() {
    return runtime.namespace("migrated", Entries.class);
  }

  /** {@return the objects that form chains} */
  public ObjectNamespace<Link> links() {
    return runtime.namespace("links", Link.class);
  }

  /** {@return the objects that go back} */
  public ObjectNamespace<Past> pasts() {
    return runtime.namespace("pasts", Past.class);
  }

  /** {@return the objects with a statement that never ends} */
  public ObjectNamespace<Runaway> runaways() {
    return runtime.namespace("runaways", Runaway.class);
  }

  /** {@return a permit for each such statement that was about to begin} */
  public Semaphore runawaysBegun() {
    return runawaysBegun;
  }

  public ObjectRuntime runtime() {
    return runtime;
  }

  /** {@return an object with pairs in SQLite} */
  public Pairs sqlitePairs(String name) {
    return runtime.namespace("sqlite-pairs", Pairs.class).getByName(name);
  }

  /** {@return an object with pairs in RocksDB} */
  public Pairs rocksDbPairs(String name) {
    return runtime.namespace("rocksdb-pairs", Pairs.class).getByName(name);
  }

  @Override
  public void close() {
    runtime.close();
  }
}
