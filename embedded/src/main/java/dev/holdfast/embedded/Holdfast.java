package dev.holdfast.embedded;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.TimeSource;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archive.RestoreProgress;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreResult;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.backend.sqlite.SqliteObjectFiles;
import dev.holdfast.backup.BackupDirectory;
import dev.holdfast.backup.DirectoryBackup;
import dev.holdfast.backup.StoppedBackup;
import dev.holdfast.embedded.parts.OpenedParts;
import dev.holdfast.embedded.parts.OwnDirectory;
import dev.holdfast.embedded.parts.StartedArchive;
import dev.holdfast.embedded.parts.StartedOperator;
import dev.holdfast.embedded.parts.StoppedShard;
import dev.holdfast.embedded.parts.Storage;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.ArchiveProvider;
import dev.holdfast.journal.DirectoryLock;
import dev.holdfast.journal.DirectoryReadLock;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.HistoryOptions;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.NodeDirectory;
import dev.holdfast.journal.ShardEpoch;
import dev.holdfast.journal.StagedDirectory;
import dev.holdfast.journal.StoppedJournal;
import dev.holdfast.recovery.Backup;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.JournalArchive;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.spi.inspect.InspectedRuntime;
import dev.holdfast.spi.inspect.OperatorProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Opens durable objects in this process.
 *
 * <pre>{@code
 * try (ObjectRuntime runtime = Holdfast.open(Path.of("data"),
 *     objects -> objects.namespace("counters", Counter.class, CounterObject::new))) {
 *   long visits = runtime.namespace("counters", Counter.class).getByName("front-page").add(1);
 * }
 * }</pre>
 *
 * <p>A data directory holds {@code journal/}, the only component that makes changes durable, and
 * beside it {@code journal.mark}, which states the id of the journal and how far it has come;
 * {@code sqlite/} and {@code rocksdb/}, the databases of the objects, which are repaired from the
 * journal; and {@code LOCK}, which keeps a second process out. Namespaces with {@link
 * StorageKind#SQLITE}, {@link StorageKind#ROCKSDB} and any other storage share the journal: data
 * that an object of one gets from an object of another becomes durable in the same order. {@link
 * ObjectRuntime#backup} copies a data directory that is in use.
 */
public final class Holdfast {

  /** Maximum number of native storage calls that block at once; each occupies a platform thread. */
  private static final int STORAGE_THREADS_MAX = 8;

  /** The smallest cap of the history that follows from the free space. */
  private static final long HISTORY_BYTES_MIN = 1L << 30;

  private Holdfast() {}

  /**
   * Opens a runtime: locks the directory, reads the journal, repairs the objects' files after a
   * crash, and accepts calls.
   *
   * @param directory the data directory; created if missing. One that has files, and none of
   *     Holdfast, is refused; {@code lost+found} and names that begin with a dot do not count
   * @param objects registers namespaces and options; called once, before any file is touched
   * @return the open runtime
   * @throws dev.holdfast.errors.NamespaceException if a namespace is malformed, registered twice,
   *     specifies a storage that no dependency of the application has, or has objects in another
   *     storage than it specifies
   * @throws dev.holdfast.errors.ArchiveException if the options have an archive, and no dependency
   *     of the application makes archives
   * @throws dev.holdfast.DirectoryInUseException if another runtime has the directory open
   * @throws dev.holdfast.errors.DataDirectoryException if the directory cannot be created, read or
   *     written, or was written by a newer version; or if it has data in a storage that no
   *     dependency of the application has, or RocksDB's library is missing; or if the options ask
   *     for the operator's socket, and no dependency of the application has it
   * @throws dev.holdfast.errors.JournalCorruptException if the journal is damaged at a place that
   *     no crash can have torn; nothing was changed
   */
  public static ObjectRuntime open(Path directory, Consumer<ObjectRegistrar> objects) {
    // First, because an error in the registration must not touch the disk.
    EngineBuilder engine = new EngineBuilder(objects);
    try (OpenedParts parts = new OpenedParts()) {
      SystemTimeSource time = parts.add(new SystemTimeSource());
      ObjectRuntime runtime = open(new Opening(directory), engine, time, time, parts);
      parts.handOver();
      return runtime;
    }
  }

  /**
   * Opens a runtime with the caller's clock, for tests of timers and alarms. Handlers of alarms run
   * one at a time, in the order in which their alarms are due; otherwise like {@link #open(Path,
   * Consumer)}.
   *
   * @param directory the data directory; created if missing
   * @param time the only clock of the runtime, such as the testkit's {@code VirtualClock}; not
   *     closed
   * @param objects registers namespaces and options
   * @return the open runtime
   * @throws dev.holdfast.HoldfastException as {@link #open(Path, Consumer)} states
   */
  public static ObjectRuntime open(
      Path directory, TimeSource time, Consumer<ObjectRegistrar> objects) {
    EngineBuilder engine = new EngineBuilder(objects);
    try (OpenedParts parts = new OpenedParts()) {
      ObjectRuntime runtime = open(new Opening(directory), engine, time, () -> {}, parts);
      parts.handOver();
      return runtime;
    }
  }

  /**
   * Restores a data directory from an archive: everything, one namespace or one object. The runtime
   * that opens the directory then brings the files of the objects up to date, as after a crash.
   *
   * <p>One namespace or object is restored with its history, unless the archive begins with a base
   * image: then it has its state of the moment, and the restore needs room for everything beside
   * the directory.
   *
   * <p>The directory appears when it is complete and durable. A restore that fails or is killed
   * leaves no directory, and can be repeated.
   *
   * @param archive the archive; not closed
   * @param directory the data directory; missing or empty
   * @param request what is restored
   * @return what was restored
   * @throws dev.holdfast.errors.ArchiveException if the archive cannot be read, is damaged, or does
   *     not cover the moment; or if no dependency of the application makes archives
   * @throws dev.holdfast.errors.DataDirectoryException if the directory is not empty, or cannot be
   *     written
   * @throws dev.holdfast.DirectoryInUseException if another restore to the directory is under way
   * @throws dev.holdfast.errors.InvalidObjectIdException if the request has the id of an object of
   *     another namespace
   */
  public static RestoreResult restore(
      ArchiveStore archive, Path directory, RestoreRequest request) {
    Disk disk = JournalOptions.DEFAULT.disk();
    ArchiveProvider.Restore restore =
        StartedArchive.provider()
            .restore(archive, disk, System.currentTimeMillis(), new SecureRandom()::nextLong);
    String namespace = request.namespace();
    if (namespace != null && !restore.hasFirstRecord(request.target())) {
      return StagedDirectory.make(
          directory,
          ".selecting",
          disk,
          /* source= */ null,
          (place, data) -> {
            Path whole = place.resolve("whole");
            RestoreResult restored = restore.run(whole, request.target(), null, request.progress());
            new SelectedRestore(new UnsyncedDisk(), namespace, request.object())
                .copy(whole, data, place);
            FileTree.force(disk, data);
            return restored;
          });
    }
    return restore.run(directory, request.target(), selection(request), request.progress());
  }

  /**
   * Makes a data directory from another one that no runtime has open, or from a backup: everything,
   * one namespace or one object, as it is or as it was at a moment that its history covers. Changes
   * no byte of the other one.
   *
   * <p>With everything comes the history; the journal keeps what came after the moment, too, and
   * its events. One namespace or object has the state of the moment and no history. The directory
   * appears when it is complete and durable. Blocks.
   *
   * <p>An object whose history was purged after the moment cannot go back. The restore is refused
   * then, or leaves the object as it is ({@link RestoreRequest#withoutPurged}).
   *
   * @param source the other data directory, or the backup
   * @param directory the data directory; missing or empty
   * @param request what is restored
   * @return what was restored; the generation is 0
   * @throws dev.holdfast.DirectoryInUseException if a runtime has the source open, or another
   *     process writes the directory
   * @throws dev.holdfast.BookmarkException if an object that was changed after the moment keeps no
   *     history
   * @throws dev.holdfast.errors.BackupException if the source cannot be read
   * @throws dev.holdfast.errors.DataDirectoryException if the source has no journal, or does not
   *     cover the moment; if the history of an object was purged after it; if what is there does
   *     not prove the state of then; or if the directory is not empty, is in the source, or cannot
   *     be written
   * @throws dev.holdfast.errors.JournalCorruptException if the journal is damaged at a place that
   *     no crash can have torn
   */
  public static RestoreResult restore(Path source, Path directory, RestoreRequest request) {
    Disk disk = JournalOptions.DEFAULT.disk();
    Disk unsynced = new UnsyncedDisk();
    String namespace = request.namespace();
    return StagedDirectory.make(
        directory,
        ".restoring",
        disk,
        source,
        (place, data) -> {
          Path whole = namespace == null ? data : place.resolve("whole");
          Backup copy = backup(unsynced, source, whole, request.progress());
          long bytes = copy.bytesCopied();
          PastRestore.Outcome past =
              request.target() instanceof RestoreTarget.Latest
                  ? new PastRestore.Outcome(copy.position(), List.of())
                  : new PastRestore(whole, unsynced).run(request, selection(request));
          if (namespace != null) {
            new SelectedRestore(unsynced, namespace, request.object()).copy(whole, data, place);
          }
          FileTree.force(disk, data);
          return new RestoreResult(0, past.position(), bytes, past.purged());
        });
  }

  private static @Nullable Predicate<ObjectKey> selection(RestoreRequest request) {
    String namespace = request.namespace();
    if (namespace == null) {
      return null;
    }
    String object = request.object();
    if (object == null) {
      return key -> key.namespace().equals(namespace);
    }
    ObjectKey only = new ObjectKey(namespace, EngineBuilder.idOf(namespace, object));
    return only::equals;
  }

  /**
   * Makes a backup of a data directory that no runtime has open, as {@link ObjectRuntime#backup}
   * does of one that is in use. Changes no byte of the data directory, and opens none of its
   * databases. Blocks.
   *
   * @param directory the data directory
   * @param target the directory of the backup; created if missing. It is empty, or has backups of
   *     this data directory that were never opened
   * @return the backup
   * @throws dev.holdfast.DirectoryInUseException if a runtime has the data directory open
   * @throws dev.holdfast.errors.BackupException if the target is another directory, or files cannot
   *     be read or written
   * @throws dev.holdfast.errors.DataDirectoryException if the directory has no journal, is that of
   *     a node of a cluster, or cannot be read
   * @throws dev.holdfast.errors.JournalCorruptException if the journal is damaged at a place that
   *     no crash can have torn
   */
  public static Backup backup(Path directory, Path target) {
    NodeDirectory.refuseToBackUp(JournalOptions.DEFAULT.disk(), directory);
    return backup(JournalOptions.DEFAULT.disk(), directory, target, (_, _, _, _) -> {});
  }

  private static Backup backup(Disk disk, Path directory, Path target, RestoreProgress progress) {
    Path data = directory.toAbsolutePath().normalize();
    try (DirectoryReadLock _ = DirectoryReadLock.acquire(data);
        BackupDirectory.Reading _ =
            new BackupDirectory(JournalOptions.DEFAULT.disk(), data).read()) {
      NodeDirectory.refuseToRestore(disk, data);
      StoppedJournal journal = StoppedJournal.read(disk, data);
      return StoppedBackup.run(
          new StoppedBackup.Host(
              data,
              disk,
              journal::beginCopy,
              journal.lastPosition(),
              Instant.ofEpochMilli(System.currentTimeMillis()),
              progress),
          target);
    }
  }

  /**
   * Opens the parts of a runtime and wires them.
   *
   * @param opening what is opened
   * @param engine the registered namespaces and options
   * @param time the clock
   * @param ownTime closed with the runtime
   * @param parts receives what must be closed if the opening fails
   */
  static ObjectRuntime open(
      Opening opening,
      EngineBuilder engine,
      TimeSource time,
      AutoCloseable ownTime,
      OpenedParts parts) {
    Path data = opening.directory().toAbsolutePath();
    Disk disk = opening.disk();
    Storage.require(engine, opening.shown());
    Function<ArchiveProvider.Host, ArchiveProvider.Running> archives =
        StartedArchive.starter(engine.options().archive());
    OperatorProvider operators =
        engine.options().operatorSocket() ? StartedOperator.provider(data) : null;
    new BackupDirectory(disk, data).completeOrRefuse();
    OwnDirectory.require(disk, data);
    NodeDirectory.refuseToOpen(disk, data);
    DirectoryLock lock = parts.add(DirectoryLock.acquire(data, disk));
    NodeDirectory.refuseToOpen(disk, data); // it may have become one meanwhile
    engine.beginRecovery(time);
    FileJournal journal =
        parts.add(
            FileJournal.open(lock, time, engine.events(), journalOptions(engine, opening, data)));
    long toRead = journal.statistics().lowWaterLag();
    // What recovery appends to a copy is not in the directory that is shown.
    long lastShown = opening.origin() == null ? Long.MAX_VALUE : journal.lastPosition();
    StorageThreads threads = parts.add(new StorageThreads(STORAGE_THREADS_MAX));
    Storage storage =
        Storage.open(
            source(opening, journal, time),
            new Storage.Place(data, disk, opening.origin(), opening.only()),
            engine,
            windows(engine, opening),
            threads,
            time,
            parts);
    List<JournalView> views = new ArrayList<>(storage.views());
    engine.endRecovery(time, data, toRead);
    DirectoryBackup backups =
        new DirectoryBackup(
            new DirectoryBackup.Host(
                data.normalize(),
                disk,
                journal,
                journal::beginCopy,
                storage.backends().values(),
                time));
    JournalArchive archive =
        StartedArchive.start(
            archives,
            new StartedArchive.Source(
                journal.tail(),
                time,
                new SecureRandom().nextLong(),
                ShardEpoch.NONE,
                engine.options()::closeTimeout,
                new ArchiveProvider.Files(
                    disk,
                    data,
                    backups::copyImage,
                    StartedArchive.historyFloor(storage.views()),
                    journal::settle)),
            parts,
            views);
    journal.start(views);
    if (opening.isWithoutCode()) {
      storage.serveWithoutCode(engine, Opening.ALL_HISTORY);
    } else {
      storage.serve(engine, new SecureRandom());
    }
    return engine
        .operator(
            journal.history(), lastShown, operator(operators, opening, lock.directory(), time))
        .archive(archive)
        .backups(backups)
        .objectFiles(new SqliteObjectFiles(threads, disk, data.resolve("import")))
        .closeLast(threads)
        .closeLast(ownTime)
        .closeLast(lock)
        .dataDirectory(opening.shown(), opening.origin() == null ? disk : new FileDisk())
        .open(journal, time, new SecureRandom());
  }

  private static Storage.Source source(Opening opening, FileJournal journal, TimeSource time) {
    StoppedShard shard = opening.shard();
    if (shard == null) {
      return new Storage.Source(
          journal, journal.recoveryLog(), journal.history(), journal.history());
    }
    StoppedShard.OwnRecords own =
        shard.own(
            opening.disk(),
            opening.directory().toAbsolutePath().resolve(FileJournal.DIRECTORY_NAME),
            journal.lastPosition(),
            time);
    return new Storage.Source(
        journal, own.log(), journal.history(), own.history(), /* isShared= */ true);
  }

  private static Function<InspectedRuntime, AutoCloseable> operator(
      @Nullable OperatorProvider operators, Opening opening, Path locked, TimeSource time) {
    return opened -> {
      opening.inspected().accept(opened);
      return operators == null ? () -> {} : operators.serve(locked, opened, time);
    };
  }

  private static Function<String, Duration> windows(EngineBuilder engine, Opening opening) {
    if (opening.isWithoutCode()) {
      return _ -> Opening.ALL_HISTORY;
    }
    Map<String, Duration> windows = engine.recoveryWindows();
    return namespace -> windows.getOrDefault(namespace, Duration.ZERO);
  }

  /** The journal keeps what the namespace with the longest window needs. */
  private static JournalOptions journalOptions(EngineBuilder engine, Opening opening, Path data) {
    if (opening.isWithoutCode()) {
      // The application has the windows, which opens the directory again.
      return JournalOptions.DEFAULT
          .withDisk(opening.disk())
          .withHistory(new HistoryOptions(Opening.ALL_HISTORY.toMillis(), Long.MAX_VALUE));
    }
    long windowMillis = 0;
    for (Duration window : engine.recoveryWindows().values()) {
      windowMillis = Math.max(windowMillis, window.toMillis());
    }
    long bytesMax = engine.options().historyBytesMax();
    if (bytesMax == RuntimeOptions.HISTORY_BY_DISK) {
      bytesMax = historyByDisk(opening.disk(), data);
    }
    engine.historyBytesMax(bytesMax);
    return JournalOptions.DEFAULT
        .withHistory(new HistoryOptions(windowMillis, bytesMax))
        .withPayloadBytesMax(engine.payloadBytesMax());
  }

  /**
   * Half of what is free without the journal: what it takes already must not make the cap smaller
   * with each opening.
   */
  static long historyByDisk(Disk disk, Path data) {
    Path journal = data.resolve(FileJournal.DIRECTORY_NAME);
    try {
      long taken = 0;
      for (Path file : disk.list(journal)) {
        try (DiskFile open = disk.open(file, Mode.READ)) {
          taken += open.size();
        }
      }
      return Math.max(HISTORY_BYTES_MIN, (disk.usableBytes(data) + taken) / 2);
    } catch (IOException e) {
      throw new DataDirectoryException(data, "The free space of the disk cannot be read", e);
    }
  }
}
