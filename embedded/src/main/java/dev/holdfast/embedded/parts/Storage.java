package dev.holdfast.embedded.parts;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.TimeSource;
import dev.holdfast.alarms.Alarms;
import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.backend.sqlite.SqliteOptions;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.NamespaceException;
import dev.holdfast.pitr.JournaledRecovery;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.storage.StorageProvider;
import dev.holdfast.spi.storage.StorageProviders;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The files of the objects beside a journal, brought up to its end: the databases, and what the
 * journal has for recovery and for events. Confined to the thread that opens the runtime.
 */
public final class Storage {

  private final Source source;
  private final TimeSource time;
  private final Map<StorageKind, StorageBackend> backends;
  private final JournaledRecovery recovery;
  private final List<JournalView> views;

  private Storage(
      Source source,
      TimeSource time,
      Map<StorageKind, StorageBackend> backends,
      JournaledRecovery recovery,
      List<JournalView> views) {
    this.source = source;
    this.time = time;
    this.backends = backends;
    this.recovery = recovery;
    this.views = views;
  }

  /**
   * A journal, and what it had when it was opened.
   *
   * @param journal makes everything durable
   * @param log the records that the files may lack
   * @param history the past of the objects
   * @param ownHistory the same, for the repair of files
   * @param isShared whether other nodes write it too, which may use other databases
   */
  public record Source(
      Journal journal,
      RecoveryLog log,
      JournalHistory history,
      JournalHistory ownHistory,
      boolean isShared) {

    /**
     * A journal that only this node writes.
     *
     * @param journal makes everything durable
     * @param log the records that the files may lack
     * @param history the past of the objects
     * @param ownHistory the same, for the repair of files
     */
    public Source(
        Journal journal, RecoveryLog log, JournalHistory history, JournalHistory ownHistory) {
      this(journal, log, history, ownHistory, /* isShared= */ false);
    }
  }

  /**
   * Where the files are.
   *
   * @param data the directory, absolute
   * @param disk the file system that has it
   * @param origin the directory that they are copied from when they are first used; null if none
   * @param only the only object that is used; null for all
   */
  public record Place(Path data, Disk disk, @Nullable Path origin, @Nullable ObjectKey only) {

    /**
     * The place of all objects.
     *
     * @param data the directory, absolute
     * @param disk the file system that has it
     * @param origin the directory that they are copied from when they are first used; null if none
     */
    public Place(Path data, Disk disk, @Nullable Path origin) {
      this(data, disk, origin, null);
    }
  }

  /**
   * Opens the databases that the engine needs, or that are there, and recovers them.
   *
   * @param source the journal
   * @param place where the files are
   * @param engine has the namespaces and options
   * @param windows for each namespace, how far back its objects can be restored
   * @param threads for native calls that block
   * @param time the clock
   * @param parts receives what must be closed if the opening fails
   * @return the storage
   */
  public static Storage open(
      Source source,
      Place place,
      EngineBuilder engine,
      Function<String, Duration> windows,
      StorageThreads threads,
      TimeSource time,
      OpenedParts parts) {
    Map<StorageKind, StorageBackend> backends = new LinkedHashMap<>();
    SqliteBackend sqlite = parts.add(sqlite(source, place, engine, threads, time));
    backends.put(StorageKind.SQLITE, sqlite);
    StorageProvider.Opening opening =
        new StorageProvider.Opening(
            place.data(), source.journal(), source.log(), threads, time, engine.options());
    for (StorageProvider each : needed(engine, place.data())) {
      backends.put(each.kind(), parts.add(each.open(opening)));
    }
    JournaledRecovery recovery =
        new JournaledRecovery(source.journal(), source.history(), time, windows);
    JournalView consumers = engine.consumers(source.journal(), source.history(), time);
    // SQLite's recovery syncs the data directory, and with it the names of the other directories.
    SeenViews seen = new SeenViews(source.log());
    sqlite.recover(seen);
    List<JournalView> others = new ArrayList<>(backends.values());
    others.addAll(List.of(recovery, consumers));
    others.remove(sqlite);
    for (int viewId : seen.others(sqlite, others)) {
      // Without a view for its records the journal would drop them, and nobody would miss them.
      StorageProvider provider = StorageProviders.requireView(place.data(), viewId);
      StorageBackend backend = parts.add(provider.open(opening));
      backends.put(provider.kind(), backend);
      others.addFirst(backend);
      force(place);
    }
    others.forEach(view -> view.recover(seen));
    List<JournalView> views = new ArrayList<>(others);
    views.addFirst(sqlite);
    return new Storage(source, time, backends, recovery, views);
  }

  /**
   * Refuses namespaces, and a data directory with files of RocksDB, if no dependency of the
   * application has their storage. Changes nothing.
   *
   * @param engine has the namespaces
   * @param data the directory; may be missing
   * @throws NamespaceException if a namespace asks for a storage that there is not
   * @throws DataDirectoryException if RocksDB is missing
   */
  public static void require(EngineBuilder engine, Path data) {
    needed(engine, data);
  }

  /**
   * {@return the providers of what must be opened} An existing database must be a view of the
   * journal even if no namespace uses it now: otherwise the journal would drop records that it
   * still needs.
   */
  private static Collection<StorageProvider> needed(EngineBuilder engine, Path data) {
    Map<StorageKind, StorageProvider> needed = new LinkedHashMap<>();
    engine
        .namespaces()
        .forEach(
            (name, options) -> {
              StorageKind kind = options.storage();
              if (!kind.equals(StorageKind.SQLITE)) {
                needed.put(kind, StorageProviders.require(name, kind));
              }
            });
    if (StorageProviders.hasRocksDb(data)) {
      needed.put(StorageKind.ROCKSDB, StorageProviders.requireRocksDb(data));
    }
    return needed.values();
  }

  /** Before anything says that the database has a record. */
  private static void force(Place place) {
    try {
      place.disk().forceDirectory(place.data());
    } catch (IOException e) {
      throw new DataDirectoryException(
          place.data(), "The directory of the databases cannot be made durable", e);
    }
  }

  /** {@return the databases} */
  public Map<StorageKind, StorageBackend> backends() {
    return backends;
  }

  /** {@return what the journal has to ask, in the order of their recovery} */
  public List<JournalView> views() {
    return List.copyOf(views);
  }

  /**
   * Removes from the files what objects have deleted or replaced, whose history was purged.
   *
   * @param engine has the namespaces
   * @param keys the objects
   * @return a namespace whose storage is not known, if there is one: then nothing is removed
   */
  public Optional<String> eraseRemains(EngineBuilder engine, Collection<ObjectKey> keys) {
    Map<StorageBackend, List<ObjectKey>> byBackend = new LinkedHashMap<>();
    for (ObjectKey key : keys) {
      NamespaceOptions options = engine.namespaces().get(key.namespace());
      StorageBackend backend = options == null ? null : backends.get(options.storage());
      if (backend == null) {
        return Optional.of(key.namespace());
      }
      byBackend.computeIfAbsent(backend, _ -> new ArrayList<>()).add(key);
    }
    byBackend.forEach(StorageBackend::eraseRemains);
    return Optional.empty();
  }

  /**
   * Makes durable in files what the views have, and closes the databases: for a storage that serves
   * nobody.
   *
   * @param position the end of the journal
   */
  public void save(long position) {
    for (JournalView view : views) {
      if (!backends.containsValue(view)) {
        view.checkpointBefore(position + 1);
      }
    }
    backends.values().forEach(StorageBackend::close);
  }

  /**
   * Hands the storage over to an engine, with the alarms of the objects.
   *
   * @param engine the engine that is being made
   * @param random for the order of alarms that are tried again
   * @throws NamespaceException if a namespace has objects in another storage than it specifies
   */
  public void serve(EngineBuilder engine, RandomGenerator random) {
    backends.forEach(engine::backend);
    engine.alarms(alarms(engine, random)).recovery(recovery);
    requireStorage(engine);
  }

  /**
   * Hands the storage over for an operator: all objects that there are, without their code and
   * alarms. Namespaces that the engine has already stay as they are.
   *
   * @param engine the engine that is being made
   * @param window how far back the objects can be restored
   * @throws NamespaceException if a namespace has objects in two storages
   */
  public void serveWithoutCode(EngineBuilder engine, Duration window) {
    backends.forEach(engine::backend);
    Map<String, StorageKind> found = new TreeMap<>();
    backends.forEach(
        (kind, backend) -> backend.catalog().namespaces().forEach(name -> found.put(name, kind)));
    found.keySet().removeAll(engine.namespaces().keySet());
    found.forEach(
        (name, kind) ->
            engine.withoutCode(
                name, NamespaceOptions.DEFAULT.withStorage(kind).withRecoveryWindow(window)));
    engine.recovery(recovery);
    requireStorage(engine);
  }

  private void requireStorage(EngineBuilder engine) {
    engine.namespaces().forEach((name, options) -> requireStorage(name, options.storage()));
  }

  /** Objects that another engine holds would appear as new, and their alarms would never fire. */
  private void requireStorage(String namespace, StorageKind asked) {
    backends.forEach(
        (kind, backend) -> {
          if (!kind.equals(asked)
              && !backend.catalog().objects(new ObjectQuery(namespace, null, null, 1)).isEmpty()) {
            throw new NamespaceException(
                namespace,
                "The namespace \""
                    + namespace
                    + "\" is registered with storage "
                    + asked
                    + ", but has objects in "
                    + kind
                    + "; the storage of a namespace cannot change. Register it with "
                    + kind
                    + ", or use another name.");
          }
        });
  }

  private Alarms alarms(EngineBuilder engine, RandomGenerator random) {
    return new Alarms(
        new Alarms.Host(source.journal(), time, random),
        Alarms.namespaces(engine.namespaces(), backends),
        time instanceof SystemTimeSource
            ? engine.alarmOptions()
            // The clock of a test: its handlers run in the order in which their alarms are due.
            : engine.alarmOptions().withRunningMax(1));
  }

  private static SqliteBackend sqlite(
      Source source, Place place, EngineBuilder engine, StorageThreads threads, TimeSource time) {
    Path origin = place.origin();
    SqliteBackend backend =
        new SqliteBackend(
            source.journal(),
            threads,
            time,
            place.disk(),
            new SqliteOptions(
                place.data().resolve("sqlite"),
                engine.options().openDatabasesMax(),
                origin == null ? null : origin.resolve("sqlite"),
                SqliteOptions.MEMORY_BYTES_MAX,
                place.only()),
            engine.events());
    backend.rebuildFrom(source.ownHistory());
    return backend;
  }
}
