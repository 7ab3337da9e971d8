package dev.holdfast.simulation;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.TimeSource;
import dev.holdfast.alarms.Alarms;
import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.backend.sqlite.SqliteObjectFiles;
import dev.holdfast.backend.sqlite.SqliteOptions;
import dev.holdfast.backup.DirectoryBackup;
import dev.holdfast.journal.DirectoryLock;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.pitr.JournaledRecovery;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.storage.StorageProvider;
import dev.holdfast.spi.storage.StorageProviders;
import dev.holdfast.testkit.InMemoryBackend;
import dev.holdfast.testkit.InMemoryHistory;
import dev.holdfast.testkit.InMemoryJournal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Wires a runtime of the parts that a test controls. */
final class World {

  private World() {}

  /**
   * What a runtime is made of.
   *
   * @param objects the application's registration
   * @param time the clock
   * @param threads makes the engine's threads
   * @param storage makes the threads of storage; closed with the runtime
   * @param log receives the events of the runtime
   * @param seed of the engine's random numbers
   */
  record Parts(
      Consumer<ObjectRegistrar> objects,
      TimeSource time,
      ThreadFactory threads,
      StorageThreads storage,
      System.Logger log,
      long seed) {}

  /**
   * Opens a runtime on a journal in memory.
   *
   * @param parts the parts
   * @param journal what the engine appends to
   * @param found the same journal, as it was found
   * @param sqlite where the files of SQLite are; null for storage in memory, without SQL
   * @param disk the disk of those files
   */
  static ObjectRuntime inMemory(
      Parts parts, StepJournal journal, InMemoryJournal found, @Nullable Path sqlite, Disk disk) {
    EngineBuilder engine = new EngineBuilder(parts.objects());
    journal.limitPayloads(engine.payloadBytesMax());
    Map<StorageKind, StorageBackend> backends = new LinkedHashMap<>();
    backends.put(
        StorageKind.SQLITE,
        sqlite == null
            ? new InMemoryBackend(journal)
            : sqlite(engine, parts, journal, disk, sqlite));
    int viewId = StorageProvider.VIEW_ID_MIN;
    for (StorageKind kind : others(engine).keySet()) {
      backends.put(kind, new InMemoryBackend(journal, viewId++));
    }
    JournalHistory history = new InMemoryHistory(found);
    recover(engine, parts, backends, journal, history, found);
    if (sqlite != null) {
      engine.objectFiles(
          new SqliteObjectFiles(parts.storage(), disk, sqlite.resolveSibling("import")));
    }
    return open(engine, parts, backends, journal);
  }

  /** {@return the storage beside SQLite that namespaces ask for, with one of them each} */
  private static Map<StorageKind, String> others(EngineBuilder engine) {
    Map<StorageKind, String> others = new LinkedHashMap<>();
    engine.namespaces().forEach((name, options) -> others.putIfAbsent(options.storage(), name));
    others.remove(StorageKind.SQLITE);
    return others;
  }

  /**
   * Opens a runtime on files.
   *
   * @param parts the parts
   * @param directory the data directory
   * @param disk its disk
   */
  static ObjectRuntime inFiles(Parts parts, Path directory, Disk disk) {
    EngineBuilder engine = new EngineBuilder(parts.objects());
    DirectoryLock lock = DirectoryLock.acquire(directory, disk);
    engine.closeLast(lock);
    FileJournal journal =
        FileJournal.open(
            lock,
            parts.time(),
            engine.events(),
            JournalOptions.DEFAULT.withDisk(disk).withPayloadBytesMax(engine.payloadBytesMax()));
    Map<StorageKind, StorageBackend> backends = new LinkedHashMap<>();
    backends.put(
        StorageKind.SQLITE, sqlite(engine, parts, journal, disk, directory.resolve("sqlite")));
    others(engine)
        .forEach(
            (kind, namespace) ->
                backends.put(
                    kind,
                    StorageProviders.require(namespace, kind)
                        .open(
                            new StorageProvider.Opening(
                                directory,
                                journal,
                                journal.recoveryLog(),
                                parts.storage(),
                                parts.time(),
                                engine.options()))));
    List<JournalView> views =
        recover(engine, parts, backends, journal, journal.history(), journal.recoveryLog());
    journal.start(views);
    engine
        .objectFiles(new SqliteObjectFiles(parts.storage(), disk, directory.resolve("import")))
        .backups(
            new DirectoryBackup(
                new DirectoryBackup.Host(
                    directory,
                    disk,
                    journal,
                    journal::beginCopy,
                    backends.values(),
                    parts.time())));
    return open(engine, parts, backends, journal);
  }

  private static SqliteBackend sqlite(
      EngineBuilder engine, Parts parts, Journal journal, Disk disk, Path directory) {
    return new SqliteBackend(
        journal,
        parts.storage(),
        parts.time(),
        disk,
        new SqliteOptions(directory, engine.options().openDatabasesMax()));
  }

  private static List<JournalView> recover(
      EngineBuilder engine,
      Parts parts,
      Map<StorageKind, StorageBackend> backends,
      Journal journal,
      JournalHistory history,
      RecoveryLog log) {
    JournaledRecovery recovery =
        new JournaledRecovery(journal, history, parts.time(), engine.recoveryWindows());
    List<JournalView> views = new ArrayList<>(backends.values());
    views.add(recovery);
    views.add(engine.consumers(journal, history, parts.time()));
    views.forEach(view -> view.recover(log));
    engine.recovery(recovery);
    return views;
  }

  private static ObjectRuntime open(
      EngineBuilder engine,
      Parts parts,
      Map<StorageKind, StorageBackend> backends,
      Journal journal) {
    backends.forEach(engine::backend);
    return engine
        .alarms(
            new Alarms(
                new Alarms.Host(journal, parts.time(), new SplittableRandom(parts.seed())),
                Alarms.namespaces(engine.namespaces(), backends),
                // Handlers run in the order in which their alarms are due.
                engine.alarmOptions().withRunningMax(1)))
        .threads(parts.threads())
        .log(parts.log())
        .closeLast(parts.storage())
        .open(journal, parts.time(), new SplittableRandom(parts.seed()));
  }
}
