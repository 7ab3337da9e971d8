package dev.holdfast.embedded;

import dev.holdfast.backup.BackupDirectory;
import dev.holdfast.embedded.parts.AskedObject;
import dev.holdfast.embedded.parts.OpenedParts;
import dev.holdfast.embedded.parts.StoppedShard;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.DirectoryReadLock;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.NodeDirectory;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.ScratchDirectory;
import dev.holdfast.spi.inspect.InspectedRuntime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A data directory that no runtime has open, for operators: shows what recovery would leave,
 * without the classes of the application and without firing alarms. Keeps runtimes away until it is
 * closed. Thread-safe.
 */
public final class StoppedDirectory implements AutoCloseable {

  private final InspectedRuntime inspected;

  /** What is closed, in this order. */
  private final List<AutoCloseable> parts;

  private boolean closed; // guarded by this

  private StoppedDirectory(InspectedRuntime inspected, List<AutoCloseable> parts) {
    this.inspected = inspected;
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
   * file up to date: after a restore, or a kill, the file of every object may need it. Operations
   * on other objects are not for this directory.
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
    return readFor(directory, AskedObject.find(namespace, object));
  }

  private static StoppedDirectory readFor(Path directory, @Nullable ObjectKey only) {
    Path origin = directory.toAbsolutePath();
    Disk disk = new FileDisk();
    try (OpenedParts parts = new OpenedParts()) {
      DirectoryReadLock lock = parts.add(DirectoryReadLock.acquire(origin));
      NodeDirectory.refuseToRead(disk, origin);
      BackupDirectory.Reading backup = parts.add(new BackupDirectory(disk, origin).read());
      Copy opened = parts.add(read(origin, null, only));
      parts.handOver();
      return new StoppedDirectory(opened.directory().inspected(), List.of(opened, lock, backup));
    }
  }

  /**
   * Opens the directory of a shard to read it, as {@link #read(Path)} does. The caller keeps other
   * processes away from it.
   *
   * @param directory the directory of the shard
   * @param shard what it has
   * @param only the only object that is asked for; null for all
   * @return the directory
   * @throws DataDirectoryException if it cannot be read, or the temporary directory cannot be
   *     written
   * @throws dev.holdfast.errors.JournalCorruptException if the journal is damaged
   */
  @SuppressWarnings("exports") // the cluster has shards
  public static StoppedDirectory readShard(
      Path directory, StoppedShard shard, @Nullable ObjectKey only) {
    Copy opened = read(directory, shard, only);
    return new StoppedDirectory(opened.directory().inspected(), List.of(opened));
  }

  /** A copy of a directory. */
  private record Copy(OperatedDirectory directory, ScratchDirectory scratch)
      implements AutoCloseable {

    @Override
    public void close() {
      try {
        directory.close();
      } finally {
        delete(scratch);
      }
    }
  }

  /**
   * @param shard the shard that the origin is; null if it is a data directory
   * @param only the only object that is asked for; null for all
   */
  private static Copy read(Path origin, @Nullable StoppedShard shard, @Nullable ObjectKey only) {
    ScratchDirectory copies = newScratch();
    Path scratch = copies.path();
    boolean isOpened = false;
    try {
      if (shard == null) {
        ScratchFiles.fill(origin, scratch);
      } else {
        ScratchFiles.fill(origin, shard, scratch);
      }
      OperatedDirectory found =
          OperatedDirectory.open(
              read -> new Opening(scratch, new CopyOnWriteDisk(), origin, true, read, shard, only),
              new EngineBuilder(_ -> {}));
      isOpened = true;
      return new Copy(found, copies);
    } catch (IOException e) {
      throw new DataDirectoryException(
          origin, "The directory cannot be read, or " + scratch + " cannot be written", e);
    } finally {
      if (!isOpened) {
        delete(copies);
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
    OperatedDirectory opened =
        OperatedDirectory.open(
            directory, JournalOptions.DEFAULT.disk(), new EngineBuilder(_ -> {}));
    return new StoppedDirectory(opened.inspected(), List.of(opened));
  }

  private static ScratchDirectory newScratch() {
    try {
      return ScratchDirectory.temporary("holdfast-inspect-");
    } catch (IOException e) {
      throw new DataDirectoryException(
          Path.of(System.getProperty("java.io.tmpdir", "/tmp")),
          "No temporary directory can be created; set -Djava.io.tmpdir to another one",
          e);
    }
  }

  private static void delete(ScratchDirectory copies) {
    try {
      copies.close();
    } catch (IOException e) {
      throw new DataDirectoryException(
          copies.path(), "The temporary directory cannot be deleted; delete it", e);
    }
  }

  /** {@return the runtime that has the directory open} */
  @SuppressWarnings("exports") // the operations for operators are written against it
  public InspectedRuntime inspected() {
    return inspected;
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
