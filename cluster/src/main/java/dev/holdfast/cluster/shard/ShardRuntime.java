package dev.holdfast.cluster.shard;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.TimeSource;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.backend.sqlite.SqliteObjectFiles;
import dev.holdfast.backup.DirectoryBackup;
import dev.holdfast.embedded.parts.OpenedParts;
import dev.holdfast.embedded.parts.StartedArchive;
import dev.holdfast.embedded.parts.Storage;
import dev.holdfast.journal.ArchiveProvider;
import dev.holdfast.journal.ShardEpoch;
import dev.holdfast.journal.image.ImageMaker;
import dev.holdfast.journal.shard.ReplicaPurge;
import dev.holdfast.journal.shard.RoundJournal;
import dev.holdfast.journal.shard.ShardJournal;
import dev.holdfast.journal.shard.ShardReplica;
import dev.holdfast.pitr.JournaledRecovery;
import dev.holdfast.recovery.Backup;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.NamespaceLookup;
import dev.holdfast.spi.JournalArchive;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.backup.BackupTarget;
import dev.holdfast.spi.backup.OnlineBackup;
import dev.holdfast.spi.backup.ViewImage;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The objects of a shard, while this node owns it. */
public final class ShardRuntime {

  private ShardRuntime() {}

  /**
   * What the shards of a node share.
   *
   * @param disk where the files are
   * @param time the clock
   * @param threads for native calls that block
   * @param lookup where objects find those of other shards
   * @param random for unique ids; must not be guessable
   * @param archive where the journal of the shard is archived; null for nowhere
   */
  public record Host(
      Disk disk,
      TimeSource time,
      StorageThreads threads,
      NamespaceLookup lookup,
      RandomGenerator random,
      @Nullable Archive archive) {

    /**
     * Without an archive.
     *
     * @param disk where the files are
     * @param time the clock
     * @param threads for native calls that block
     * @param lookup where objects find those of other shards
     * @param random for unique ids; must not be guessable
     */
    public Host(
        Disk disk,
        TimeSource time,
        StorageThreads threads,
        NamespaceLookup lookup,
        RandomGenerator random) {
      this(disk, time, threads, lookup, random, /* archive= */ null);
    }

    /**
     * {@return this, with an archive}
     *
     * @param to where the journal of the shard is archived
     */
    public Host archivingTo(Archive to) {
      return new Host(disk, time, threads, lookup, random, to);
    }
  }

  /** Where the journal of a shard is archived. Thread-safe. */
  public interface Archive {

    /**
     * {@return where and how an ownership archives, with the store of the shard}
     *
     * @param epoch its epoch
     */
    ArchiveOptions options(long epoch);

    /** {@return which cluster of its name it is} */
    long lineage();

    /**
     * Lets the earlier ownerships of the shard add nothing any more, on whichever member they were.
     *
     * @param epoch the epoch of the present one
     * @return completes when nothing that they add can appear any more; never, if the present one
     *     ends before
     */
    CompletableFuture<Void> whenAlone(long epoch);
  }

  /**
   * Opens the objects of a shard: brings their files up to the end of the journal, as after a
   * crash, and accepts calls. Blocks. Once the ownership has ended, the runtime has failed, as if
   * its journal had; close it then.
   *
   * @param directory the directory of the shard; the files of the objects are in it, beside those
   *     of the replica
   * @param journal the ownership; closed with the runtime, also if the opening fails
   * @param host what the shards of the node share; not closed
   * @param objects registers namespaces and options; called once
   * @return the open runtime
   * @throws dev.holdfast.errors.NamespaceException if a namespace is malformed, registered twice,
   *     or has objects in another storage than it specifies
   * @throws dev.holdfast.errors.DataDirectoryException if a file cannot be read or written
   * @throws dev.holdfast.errors.JournalFailedException if the ownership has ended meanwhile
   */
  public static ObjectRuntime open(
      Path directory, ShardJournal journal, Host host, Consumer<ObjectRegistrar> objects) {
    return open(directory, journal, host, new EngineBuilder(objects));
  }

  /**
   * Opens the objects of a shard as {@link #open(Path, ShardJournal, Host, Consumer)} does, with an
   * engine that has threads and a log of its own.
   *
   * @param directory the directory of the shard
   * @param journal the ownership
   * @param host what the shards of the node share
   * @param engine knows the objects; used once
   * @return the open runtime
   */
  public static ObjectRuntime open(
      Path directory, ShardJournal journal, Host host, EngineBuilder engine) {
    try (OpenedParts parts = new OpenedParts()) {
      parts.add(journal);
      ObjectRuntime runtime = open(directory.toAbsolutePath(), journal, host, engine, parts);
      parts.handOver();
      return runtime;
    }
  }

  /**
   * Brings the files of the objects forward while another node owns the shard: they get a part of
   * what they lack, durably. Blocks; not while the objects are open.
   *
   * @param directory the directory of the shard
   * @param replica the copy of the shard
   * @param bytesMax about how much of the journal is read
   * @param host what the shards of the node share; not closed
   * @param objects registers namespaces and options; called once if there is something to do
   * @return whether everything that was read is saved; null if there was nothing to do
   * @throws dev.holdfast.errors.DataDirectoryException if a file cannot be read or written
   * @throws dev.holdfast.errors.JournalCorruptException if a segment is damaged
   * @throws dev.holdfast.errors.JournalFailedException if the end of the round cannot be recorded;
   *     the next round repeats it, as after every failure
   */
  public static @Nullable Boolean follow(
      Path directory,
      ShardReplica replica,
      long bytesMax,
      Host host,
      Consumer<ObjectRegistrar> objects) {
    // The requests for restores are in the journal only; their state is recorded with the round.
    RoundJournal journal =
        replica.beginRound(bytesMax, viewId -> viewId == JournaledRecovery.VIEW_ID);
    if (journal == null) {
      return null;
    }
    try (OpenedParts parts = new OpenedParts()) {
      parts.add(journal);
      EngineBuilder engine = new EngineBuilder(objects);
      Storage storage =
          storage(
              new Storage.Source(
                  journal,
                  journal.recoveryLog(),
                  journal.history(),
                  journal.ownHistory(),
                  /* isShared= */ true),
              directory.toAbsolutePath(),
              host,
              engine,
              parts);
      ReplicaPurge.Erasing erasing = replica.purges().erasing(journal.lastPosition());
      Optional<String> unknown =
          erasing == null ? Optional.empty() : storage.eraseRemains(engine, erasing.keys());
      unknown.ifPresent(replica.purges()::unknown);
      storage.save(journal.lastPosition());
      parts.handOver();
      boolean hasAll = journal.finish(storage.views());
      if (erasing != null && unknown.isEmpty() && hasAll) {
        replica.purges().erased(erasing);
      }
      return hasAll;
    }
  }

  private static ObjectRuntime open(
      Path directory, ShardJournal journal, Host host, EngineBuilder engine, OpenedParts parts) {
    // Other nodes hear with the next entry that this ownership was accepted, or with a heartbeat
    // much later: their callers are to wait here while the objects are opened.
    journal.whenProven(_ -> {});
    engine.historyBytesMax(journal.historyBytesMax());
    engine.beginRecovery(host.time());
    long toRead = journal.lastPosition() + 1 - journal.recoveryLog().firstPosition();
    Storage storage =
        storage(
            new Storage.Source(
                journal,
                journal.recoveryLog(),
                journal.history(),
                journal.ownHistory(),
                /* isShared= */ true),
            directory,
            host,
            engine,
            parts);
    engine.endRecovery(host.time(), directory, Math.max(0, toRead));
    DirectoryBackup copies =
        new DirectoryBackup(
            new DirectoryBackup.Host(
                directory.normalize(),
                host.disk(),
                journal,
                _ -> journal.beginCopy(),
                storage.backends().values(),
                host.time()));
    List<JournalView> views = new ArrayList<>(storage.views());
    AtomicBoolean isServed = new AtomicBoolean();
    JournalArchive archive =
        archive(
            directory,
            journal,
            host,
            // Another owner goes on where this one has ended, so a planned move does not wait.
            () ->
                isServed.get() && journal.isSavedAtClose() && journal.failure() == null
                    ? engine.options().closeTimeout()
                    : Duration.ZERO,
            copies,
            parts,
            views);
    journal.start(views);
    FilesForOthers files = new FilesForOthers(journal, copies);
    journal.giveFiles(files);
    storage.serve(engine, host.random());
    engine
        .operator(journal.history(), Long.MAX_VALUE, _ -> () -> {})
        .objectFiles(
            new SqliteObjectFiles(host.threads(), host.disk(), directory.resolve("import")))
        .dataDirectory(directory, host.disk())
        .lookup(host.lookup())
        .archive(archive)
        .backups(files);
    ObjectRuntime runtime = engine.open(journal, host.time(), host.random());
    isServed.set(true);
    return runtime;
  }

  private static JournalArchive archive(
      Path directory,
      ShardJournal journal,
      Host host,
      Supplier<Duration> closeTimeout,
      DirectoryBackup copies,
      OpenedParts parts,
      List<JournalView> views) {
    Archive archive = host.archive();
    if (archive == null) {
      return JournalArchive.NONE;
    }
    return StartedArchive.start(
        StartedArchive.starter(archive.options(journal.epoch())),
        new StartedArchive.Source(
            journal.tail(),
            host.time(),
            host.random().nextLong(),
            new ShardEpoch(archive.lineage(), journal.epoch()),
            closeTimeout,
            new ArchiveProvider.Files(
                host.disk(),
                directory,
                (target, pinned) -> copyImage(journal, copies, target, pinned),
                StartedArchive.historyFloor(List.copyOf(views)),
                () -> archive.whenAlone(journal.epoch()).thenCompose(_ -> journal.settle()))),
        parts,
        views);
  }

  /** With what must be known of the files: the journal has checkpoints of other nodes as well. */
  private static void copyImage(
      ShardJournal journal, DirectoryBackup copies, BackupTarget target, Consumer<ViewImage> pinned)
      throws IOException {
    Map<String, byte[]> state = new HashMap<>();
    copies.copyImage(
        target,
        image -> {
          state.putAll(journal.stateOf(image));
          pinned.accept(image);
        });
    for (Map.Entry<String, byte[]> each : state.entrySet()) {
      target.put(each.getKey(), each.getValue());
    }
  }

  /**
   * Copies the files of the objects for other nodes. Closed before them, as what makes backups.
   *
   * @param journal gives them to others
   * @param copies makes the copies
   */
  private record FilesForOthers(ShardJournal journal, DirectoryBackup copies)
      implements OnlineBackup, ImageMaker {

    @Override
    public void make(BackupTarget target, Consumer<ViewImage> pinned, Consumer<Throwable> failed) {
      Thread.ofPlatform()
          .daemon()
          .name("holdfast-image")
          .start(
              () -> {
                try {
                  copies.copyImage(target, pinned);
                } catch (IOException | RuntimeException | Error e) {
                  failed.accept(e);
                }
              });
    }

    /** Fails: a shard is no data directory of its own. */
    @Override
    public Backup backup(Path target) {
      throw new UnsupportedOperationException("A shard alone makes no backup; ask its node.");
    }

    @Override
    public void close() {
      journal.keepFiles(); // first: a copy that is under way ends
      copies.close();
    }
  }

  private static Storage storage(
      Storage.Source source, Path directory, Host host, EngineBuilder engine, OpenedParts parts) {
    Map<String, Duration> windows = engine.recoveryWindows();
    return Storage.open(
        source,
        new Storage.Place(directory, host.disk(), /* origin= */ null),
        engine,
        namespace -> windows.getOrDefault(namespace, Duration.ZERO),
        host.threads(),
        host.time(),
        parts);
  }
}
