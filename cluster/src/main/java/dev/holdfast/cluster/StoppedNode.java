package dev.holdfast.cluster;

import dev.holdfast.TimeSource;
import dev.holdfast.cluster.shard.EveryShard;
import dev.holdfast.cluster.shard.ShardedOperations;
import dev.holdfast.embedded.StoppedDirectory;
import dev.holdfast.embedded.parts.AskedObject;
import dev.holdfast.embedded.parts.OpenedParts;
import dev.holdfast.embedded.parts.StoppedShard;
import dev.holdfast.journal.DirectoryReadLock;
import dev.holdfast.journal.NodeDirectory;
import dev.holdfast.journal.shard.ShardDirectories;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.journal.shard.StoppedReplica;
import dev.holdfast.operator.Operations;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.operator.OperatorService;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a node that does not run, or a backup of one, for operators: shows the objects
 * of all its shards as {@link StoppedDirectory} shows those of a data directory. Keeps nodes away
 * until it is closed. Thread-safe.
 */
public final class StoppedNode implements AutoCloseable {

  private final OperatorService operations;
  private final Deque<AutoCloseable> parts;

  private StoppedNode(OperatorService operations, Deque<AutoCloseable> parts) {
    this.operations = operations;
    this.parts = parts;
  }

  /**
   * Returns whether a directory is that of a node, or a backup of one.
   *
   * @param directory the directory, which need not exist
   * @return whether it is one
   */
  public static boolean isNode(Path directory) {
    return NodeDirectory.isNode(new FileDisk(), directory);
  }

  /**
   * Opens the directory of a node to read it. No byte of it changes, and what an operation writes
   * is lost, as {@link StoppedDirectory#read(Path)} says.
   *
   * @param directory the directory
   * @return the node
   * @throws dev.holdfast.DirectoryInUseException if a process has the directory open
   * @throws dev.holdfast.errors.DataDirectoryException if it cannot be read, or the temporary
   *     directory cannot be written
   * @throws dev.holdfast.errors.JournalCorruptException if a journal is damaged
   */
  public static StoppedNode read(Path directory) {
    return readFor(directory, null);
  }

  /**
   * Opens the directory of a node to read one object, and only the shard that has it. Operations on
   * other objects are not for this node.
   *
   * @param directory the directory
   * @param namespace the name of the namespace
   * @param object the name of the object, or its id
   * @return the node
   * @throws dev.holdfast.DirectoryInUseException if a process has the directory open
   * @throws dev.holdfast.errors.DataDirectoryException if it cannot be read, or the temporary
   *     directory cannot be written
   * @throws dev.holdfast.errors.JournalCorruptException if a journal is damaged
   */
  public static StoppedNode read(Path directory, String namespace, String object) {
    return readFor(directory, AskedObject.find(namespace, object));
  }

  private static StoppedNode readFor(Path directory, @Nullable ObjectKey only) {
    Path origin = directory.toAbsolutePath();
    Disk disk = new FileDisk();
    try (OpenedParts opening = new OpenedParts()) {
      Deque<AutoCloseable> opened = new ArrayDeque<>();
      opened.push(opening.add(DirectoryReadLock.acquire(origin)));
      List<@Nullable OperatorService> shards = new ArrayList<>();
      List<Path> all = ShardDirectories.shards(disk, origin);
      for (Path shard : all) {
        boolean isAsked =
            only == null || shard.equals(all.get(new ShardMap(all.size()).shardOf(only.id())));
        StoppedReplica replica = isAsked ? StoppedReplica.read(disk, shard) : null;
        if (replica == null) {
          shards.add(null);
        } else {
          StoppedDirectory read =
              opening.add(StoppedDirectory.readShard(shard, new Copy(replica), only));
          opened.push(read);
          shards.add(new Operations(read.inspected()));
        }
      }
      opening.handOver();
      return new StoppedNode(operations(shards), opened);
    }
  }

  /** The operations on the copies that the node has. */
  private static OperatorService operations(List<@Nullable OperatorService> shards) {
    EveryShard every =
        new EveryShard(
            shards.size(),
            /* mayLack= */ true,
            shard ->
                shards.get(shard) == null ? "This node has no copy of it; ask another." : null);
    return new ShardedOperations(
        every,
        (shard, request, answers) -> {
          OperatorService found = shards.get(shard);
          if (found == null) {
            throw new OperatorException(
                Reason.FAILED, "This node has no copy of shard " + shard + "; ask another.");
          }
          return found.perform(request, answers);
        });
  }

  private record Copy(StoppedReplica replica) implements StoppedShard {

    @Override
    public void copyJournal(Path journal, Transfer transfer) throws IOException {
      replica.copyJournal(journal, transfer::run);
    }

    @Override
    public OwnRecords own(Disk disk, Path journal, long lastPosition, TimeSource time) {
      StoppedReplica.OwnJournal own = replica.own(disk, journal, lastPosition, time);
      return new OwnRecords(own.log(), own.history());
    }
  }

  /** {@return the operations on the node; those that change something are refused} */
  public OperatorService operations() {
    return operations;
  }

  /** Closes the directory; the node can be opened again. Closing twice has no effect. */
  @Override
  public synchronized void close() {
    try (OpenedParts all = new OpenedParts()) {
      parts.reversed().forEach(all::add);
      parts.clear();
    }
  }
}
