package dev.holdfast.cluster;

import dev.holdfast.RuntimeClosedException;
import dev.holdfast.TimeSource;
import dev.holdfast.backup.BackupDirectory;
import dev.holdfast.backup.BackupThread;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.member.NodeFile;
import dev.holdfast.cluster.object.ClusterCalls;
import dev.holdfast.errors.BackupException;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.journal.StagedDirectory;
import dev.holdfast.journal.shard.LoneReplica;
import dev.holdfast.journal.shard.ReplicaSource;
import dev.holdfast.journal.shard.ShardDirectories;
import dev.holdfast.journal.shard.ShardReplica;
import dev.holdfast.recovery.Backup;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.Replica.Fetched;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Backups of a cluster that runs: one copy of each shard, made as a node makes one that has none,
 * and separated from its log. Shards have no moment in common; each has at least what its owner had
 * when its copy was begun. {@code cluster recover} makes a cluster of one of it. Thread-safe.
 */
final class ClusterBackup implements AutoCloseable {

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** An owner that makes copies of its files for long says so each time; others do not answer. */
  private static final long WAIT_NANOS_MAX = TimeUnit.MINUTES.toNanos(10);

  /** A try that took longer has fetched something, which stays. */
  private static final long TRY_NANOS_MAX = TimeUnit.MINUTES.toNanos(1);

  private final Node node;
  private final IntToLongFunction positions;
  private final Copies copies;
  private final TimeSource time;
  private final RandomGenerator random;

  /** Held while a backup is made. */
  private final ReentrantLock running = new ReentrantLock();

  /** What is fetched now; null if nothing is. */
  private volatile @Nullable ShardReplica fetching;

  private volatile boolean closed;

  /**
   * The node that makes them.
   *
   * @param data its directory, absolute
   * @param disk has the directory, and the backups
   * @param file says whose the directory is
   */
  record Node(Path data, Disk disk, NodeFile file) {}

  /**
   * The copies that the nodes have.
   *
   * @param of those of a shard, by its number
   * @param damagedSource is notified of a shard whose copy on another node gave a damaged segment
   */
  record Copies(IntFunction<ReplicaSource> of, IntConsumer damagedSource) {}

  /**
   * Creates it; touches no file.
   *
   * @param node the node
   * @param positions asks the owner of a shard for its last record; all that was acknowledged
   *     before is there
   * @param copies those of the nodes
   * @param time waits
   * @param random makes what must not be repeated
   */
  ClusterBackup(
      Node node,
      IntToLongFunction positions,
      Copies copies,
      TimeSource time,
      RandomGenerator random) {
    this.node = node;
    this.positions = positions;
    this.copies = copies;
    this.time = time;
    this.random = random;
  }

  /**
   * Makes a backup; see {@link dev.holdfast.ObjectRuntime#backup}. The target is missing or empty,
   * and appears as a whole.
   */
  Backup make(Path to) {
    Path target = to.toAbsolutePath().normalize();
    BackupDirectory.requireApart(node.data(), target);
    return BackupThread.run(target, () -> makeNow(target));
  }

  private Backup makeNow(Path target) {
    running.lock();
    try {
      return StagedDirectory.make(
          target, ".backup", node.disk(), node.data(), (_, made) -> copyAll(target, made));
    } catch (DataDirectoryException | JournalCorruptException e) {
      throw new BackupException(target, "The backup was not made. " + e.getMessage(), e);
    } finally {
      running.unlock();
    }
  }

  private Backup copyAll(Path target, Path made) throws IOException {
    Disk disk = node.disk();
    disk.ensureDirectory(made);
    Instant began = Instant.ofEpochMilli(time.wallMillis());
    long position = 0;
    for (int shard = 0; shard < node.file().shards(); shard++) {
      Path directory = ShardDirectories.shard(made, shard);
      disk.ensureDirectory(Objects.requireNonNull(directory.getParent()));
      position = Math.max(position, copy(shard, directory));
      LoneReplica.leaveLog(directory, disk);
    }
    node.file().writeBackup(disk, made, random);
    FileTree.force(disk, made);
    requireOpen();
    return measured(target, made, position, began);
  }

  private Backup measured(Path target, Path made, long position, Instant began) throws IOException {
    AtomicLong files = new AtomicLong();
    AtomicLong bytes = new AtomicLong();
    FileTree.forEach(
        node.disk(),
        made,
        file -> {
          files.incrementAndGet();
          bytes.addAndGet(FileTree.sizeOf(node.disk(), file));
        });
    return new Backup(target, position, began, files.get(), bytes.get(), 0);
  }

  /** {@return the last record that the copy has: what the owner has acknowledged is there} */
  private long copy(int shard, Path directory) {
    long needed = positions.applyAsLong(shard);
    return OfflineReplica.use(
        directory,
        node.disk(),
        new NodeId(node.file().node()),
        new OfflineReplica.Others(
            () -> copies.of().apply(shard), () -> copies.damagedSource().accept(shard)),
        copy -> fetchUntil(copy, needed));
  }

  /** What is fetched stays, so that each try begins where the last one has ended. */
  private long fetchUntil(ShardReplica copy, long needed) {
    fetching = copy;
    long waitedNanos = 0;
    boolean hasAll = false;
    while (!hasAll) {
      requireOpen();
      long begunNanos = time.monotonicNanos();
      try {
        Fetched fetched =
            Objects.requireNonNull(copy.fetch(/* atLeastIndex= */ 0), "there are others");
        fetched.install();
        hasAll = copy.lastPosition() >= needed;
      } catch (JournalFailedException | JournalCorruptException | ClusterException e) {
        // What comes is also damaged if the other one writes a segment again, for a purge.
        requireOpen();
        waitedNanos += Math.min(TRY_NANOS_MAX, time.monotonicNanos() - begunNanos) + PAUSE_NANOS;
        if (copy.failure() != null || waitedNanos > WAIT_NANOS_MAX) {
          throw e;
        }
      }
      if (!hasAll) {
        ClusterCalls.pause(time, PAUSE_NANOS);
      }
    }
    fetching = null;
    return copy.lastPosition();
  }

  private void requireOpen() {
    if (closed) {
      throw new RuntimeClosedException();
    }
  }

  /** Ends a backup that is being made. */
  @Override
  public void close() {
    closed = true; // the running backup begins no other try
    ShardReplica copy = fetching;
    if (copy != null) {
      copy.logStopped(new RuntimeClosedException()); // and reads nothing more of others
    }
    running.lock();
    try {
      assert closed;
    } finally {
      running.unlock();
    }
  }
}
