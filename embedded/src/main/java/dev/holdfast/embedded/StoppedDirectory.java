package dev.holdfast.embedded;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.backup.BackupDirectory;
import dev.holdfast.embedded.parts.OpenedParts;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.DirectoryReadLock;
import dev.holdfast.journal.NodeDirectory;
import dev.holdfast.operator.Operations;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/**
 * A data directory that no runtime has open, for operators: shows what recovery would leave,
 * without the classes of the application and without firing alarms. Keeps runtimes away until it is
 * closed. Thread-safe.
 */
public final class StoppedDirectory implements AutoCloseable {

  private final ObjectRuntime runtime;
  private final Operations operations;
  private final Runnable afterClose;
  private boolean closed; // guarded by this

  private StoppedDirectory(ObjectRuntime runtime, Operations operations, Runnable afterClose) {
    this.runtime = runtime;
    this.operations = operations;
    this.afterClose = afterClose;
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
    Path origin = directory.toAbsolutePath();
    DirectoryReadLock lock = DirectoryReadLock.acquire(origin);
    boolean opened = false;
    try {
      NodeDirectory.refuseToRead(new FileDisk(), origin);
      new BackupDirectory(new FileDisk(), origin).requireComplete();
      Path scratch = newScratch();
      try {
        ScratchFiles.fill(origin, scratch);
        StoppedDirectory found =
            open(
                new Opening(scratch, new CopyOnWriteDisk(), origin, true, _ -> {}),
                () -> {
                  try {
                    delete(scratch);
                  } finally {
                    lock.close();
                  }
                });
        opened = true;
        return found;
      } catch (IOException e) {
        throw new DataDirectoryException(
            origin, "The directory cannot be read, or " + scratch + " cannot be written", e);
      } finally {
        if (!opened) {
          delete(scratch);
        }
      }
    } finally {
      if (!opened) {
        lock.close();
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
    return open(new Opening(opening.directory(), opening.disk(), null, true, _ -> {}), () -> {});
  }

  private static StoppedDirectory open(Opening opening, Runnable afterClose) {
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
                  found -> operations.set(found.operations())),
              new EngineBuilder(_ -> {}),
              time,
              time,
              parts);
      parts.handOver();
      return new StoppedDirectory(runtime, Objects.requireNonNull(operations.get()), afterClose);
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

  /** {@return the operations on the directory} */
  public Operations operations() {
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
    try {
      runtime.close();
    } finally {
      afterClose.run();
    }
  }
}
