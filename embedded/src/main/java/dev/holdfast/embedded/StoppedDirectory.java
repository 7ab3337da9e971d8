package dev.holdfast.embedded;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.backup.BackupDirectory;
import dev.holdfast.embedded.parts.OpenedParts;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.InvalidObjectIdException;
import dev.holdfast.journal.DirectoryReadLock;
import dev.holdfast.journal.NodeDirectory;
import dev.holdfast.journal.shard.StoppedReplica;
import dev.holdfast.operator.Operations;
import dev.holdfast.operator.OperatorService;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A data directory that no runtime has open, for operators: shows what recovery would leave,
 * without the classes of the application and without firing alarms. That of a node of a cluster has
 * the objects of all its shards. Keeps runtimes away until it is closed. Thread-safe.
 */
public final class StoppedDirectory implements AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final OperatorService operations;

  /** What is closed, in this order. */
  private final List<AutoCloseable> parts;

  private boolean closed; // guarded by this

  private StoppedDirectory(OperatorService operations, List<AutoCloseable> parts) {
    this.operations = operations;
    this.parts = List.copyOf(parts);
  }

  /**
   * Opens a data directory to read it. Recovery runs in a temporary directory, with links to the
   * files that do not change and copies of the others; files of objects are copied when they are
   * needed. No byte and no time of the data directory changes. What an operation writes is lost.
   *
   * @param directory the data directory
   * @return the directory
   * @throws dev.holdfast.DirectoryInUseException if a runtime has the directory open
   * @throws DataDirectoryException if it cannot be read, or the temporary directory cannot be
   *     written
   * @throws dev.holdfast.errors.JournalCorruptException if the journal is damaged
   */
  public static StoppedDirectory read(Path directory) {
    return readFor(directory, null);
  }

  /**
   * Opens a data directory to read one object, as {@link #read(Path)} does, and brings only its
   * file up to date: after a restore, or a kill, that of every object may need it. Operations on
   * other objects are not for this directory.
   *
   * @param directory the data directory
   * @param namespace the name of the namespace
   * @param object the name of the object, or its id
   * @return the directory
   * @throws dev.holdfast.DirectoryInUseException if a runtime has the directory open
   * @throws DataDirectoryException if it cannot be read, or the temporary directory cannot be
   *     written
   * @throws dev.holdfast.errors.JournalCorruptException if the journal is damaged
   */
  public static StoppedDirectory read(Path directory, String namespace, String object) {
    ObjectKey only = null;
    try {
      only = new ObjectKey(namespace, EngineBuilder.idOf(namespace, object));
    } catch (InvalidObjectIdException e) {
      LOG.log(Level.DEBUG, "The operation says what is wrong with the object.", e);
    }
    return readFor(directory, only);
  }

  private static StoppedDirectory readFor(Path directory, @Nullable ObjectKey only) {
    Path origin = directory.toAbsolutePath();
    Disk disk = new FileDisk();
    try (OpenedParts parts = new OpenedParts()) {
      DirectoryReadLock lock = parts.add(DirectoryReadLock.acquire(origin));
      StoppedDirectory found;
      if (NodeDirectory.isNode(disk, origin)) {
        found = readNode(disk, origin, only, lock, parts);
      } else {
        BackupDirectory.Reading backup = parts.add(new BackupDirectory(disk, origin).read());
        Opened opened = parts.add(read(origin, null, only));
        found = new StoppedDirectory(opened.operations(), List.of(opened, lock, backup));
      }
      parts.handOver();
      return found;
    }
  }

  private static StoppedDirectory readNode(
      Disk disk, Path origin, @Nullable ObjectKey only, DirectoryReadLock lock, OpenedParts parts) {
    List<@Nullable OperatorService> shards = new ArrayList<>();
    List<AutoCloseable> closed = new ArrayList<>();
    List<Path> all = NodeDirectory.shards(disk, origin);
    for (Path shard : all) {
      boolean isAsked =
          only == null || shard.equals(all.get(NodeDirectory.shardOf(only.id(), all.size())));
      StoppedReplica replica = isAsked ? StoppedReplica.read(disk, shard) : null;
      if (replica == null) {
        shards.add(null);
      } else {
        Opened opened = parts.add(read(shard, replica, only));
        shards.add(opened.operations());
        closed.add(opened);
      }
    }
    closed.add(lock);
    return new StoppedDirectory(new StoppedNode(shards), closed);
  }

  /** Something that is open, and what is done after it is closed. */
  private record Opened(ObjectRuntime runtime, Operations operations, Runnable afterClose)
      implements AutoCloseable {

    @Override
    public void close() {
      try {
        runtime.close();
      } finally {
        afterClose.run();
      }
    }
  }

  /**
   * @param replica the copy of a shard that the origin is; null if it is a data directory
   * @param only the only object that is asked for; null for all
   */
  private static Opened read(
      Path origin, @Nullable StoppedReplica replica, @Nullable ObjectKey only) {
    Path scratch = newScratch();
    boolean isOpened = false;
    try {
      if (replica == null) {
        ScratchFiles.fill(origin, scratch);
      } else {
        ScratchFiles.fill(origin, replica, scratch);
      }
      Opened found =
          open(
              new Opening(scratch, new CopyOnWriteDisk(), origin, true, _ -> {}, replica, only),
              () -> delete(scratch));
      isOpened = true;
      return found;
    } catch (IOException e) {
      throw new DataDirectoryException(
          origin, "The directory cannot be read, or " + scratch + " cannot be written", e);
    } finally {
      if (!isOpened) {
        delete(scratch);
      }
    }
  }

  /**
   * Opens a data directory to change it, as {@link Holdfast#open} does.
   *
   * @param directory the data directory, which exists
   * @return the directory
   * @throws dev.holdfast.DirectoryInUseException if a runtime has the directory open
   * @throws DataDirectoryException if it cannot be read or written
   * @throws dev.holdfast.errors.JournalCorruptException if the journal is damaged
   */
  public static StoppedDirectory change(Path directory) {
    Opening opening = new Opening(directory);
    Opened opened =
        open(new Opening(opening.directory(), opening.disk(), null, true, _ -> {}), () -> {});
    return new StoppedDirectory(opened.operations(), List.of(opened));
  }

  private static Opened open(Opening opening, Runnable afterClose) {
    AtomicReference<Operations> operations = new AtomicReference<>();
    try (OpenedParts parts = new OpenedParts()) {
      SystemTimeSource time = parts.add(new SystemTimeSource());
      ObjectRuntime runtime =
          Holdfast.open(
              new Opening(
                  opening.directory(),
                  opening.disk(),
                  opening.origin(),
                  opening.isWithoutCode(),
                  found -> operations.set(found.operations()),
                  opening.replica(),
                  opening.only()),
              new EngineBuilder(_ -> {}),
              time,
              time,
              parts);
      parts.handOver();
      return new Opened(runtime, Objects.requireNonNull(operations.get()), afterClose);
    }
  }

  private static Path newScratch() {
    try {
      return Files.createTempDirectory(
          "holdfast-inspect-",
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (IOException e) {
      throw new DataDirectoryException(
          Path.of(System.getProperty("java.io.tmpdir", "/tmp")),
          "No temporary directory can be created; set -Djava.io.tmpdir to another one",
          e);
    }
  }

  private static void delete(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new DataDirectoryException(
          directory, "The temporary directory cannot be deleted; delete it", e);
    }
  }

  /**
   * {@return the operations on the directory; those of a node that change something are refused}
   */
  public OperatorService operations() {
    return operations;
  }

  /**
   * Closes the directory; runtimes may open it again. Closing twice has no effect.
   *
   * @throws dev.holdfast.errors.JournalFailedException if the last sync of a changed directory
   *     fails
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    // The last one that was opened is closed first, and each whether the others can be or not.
    try (OpenedParts all = new OpenedParts()) {
      parts.subList(1, parts.size()).reversed().forEach(all::add);
      parts.getFirst().close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("A part of a directory throws nothing else.", e);
    }
  }
}
