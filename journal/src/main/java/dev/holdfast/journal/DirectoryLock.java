package dev.holdfast.journal;

import dev.holdfast.DataDirectoryException;
import dev.holdfast.DirectoryInUseException;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps a second runtime, in this process or another, away from a data directory: a lock of the
 * operating system on the file {@code LOCK} in it, which ends with the process however it dies.
 *
 * <p>Thread-safe.
 */
public final class DirectoryLock implements AutoCloseable {

  private static final String FILE_NAME = "LOCK";

  /**
   * Directories locked by this process. To try a second time through the file would not only fail
   * but, on POSIX systems, drop the first lock: closing any descriptor of a file ends all locks
   * that the process has on it.
   */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  /** Channels on files that are locked through another channel of this process, see above. */
  private static final Set<FileChannel> NEVER_CLOSED = ConcurrentHashMap.newKeySet();

  private final Path directory;
  private final FileChannel channel;
  private boolean closed; // guarded by this

  private DirectoryLock(Path directory, FileChannel channel) {
    this.directory = directory;
    this.channel = channel;
  }

  /**
   * Locks a data directory, which is made, durably, if it is not there.
   *
   * @param dataDirectory the directory
   * @param disk what it is on
   * @return the lock; to be closed when the directory is no longer used
   * @throws DirectoryInUseException if it is locked already
   * @throws DataDirectoryException if it cannot be made or written
   */
  public static DirectoryLock acquire(Path dataDirectory, Disk disk) {
    // An interrupt would close the channel while it is being locked.
    boolean interrupted = Thread.interrupted();
    try {
      disk.createDirectories(dataDirectory);
      Path directory = dataDirectory.toRealPath();
      makeDurable(directory, disk);
      return acquireReal(directory);
    } catch (IOException e) {
      throw new DataDirectoryException(
          dataDirectory,
          "The data directory cannot be made or written; choose a directory that can",
          e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Nothing in the directory is durable before its own name is. The lock file is made later than
   * this, so where there is none, all that leads to the directory may have been made just now, by
   * this process or by one that died before it came this far.
   */
  private static void makeDurable(Path directory, Disk disk) throws IOException {
    Path parent = directory.getParent();
    if (parent == null) {
      return;
    }
    disk.forceDirectory(parent);
    if (disk.exists(directory.resolve(FILE_NAME))) {
      return;
    }
    for (Path above = parent.getParent(); above != null; above = above.getParent()) {
      try {
        disk.forceDirectory(above);
      } catch (AccessDeniedException e) {
        return; // whoever makes a directory in another may read both: these were there before
      }
    }
  }

  private static DirectoryLock acquireReal(Path directory) throws IOException {
    if (!HELD.add(directory)) {
      throw new DirectoryInUseException(directory);
    }
    boolean locked = false;
    try {
      DirectoryLock lock = lockFile(directory);
      locked = true;
      return lock;
    } finally {
      if (!locked) {
        HELD.remove(directory);
      }
    }
  }

  private static DirectoryLock lockFile(Path directory) throws IOException {
    FileChannel channel =
        FileChannel.open(
            directory.resolve(FILE_NAME), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    boolean keepOpen = false;
    try {
      FileLock lock = channel.tryLock();
      if (lock == null) {
        throw new DirectoryInUseException(directory);
      }
      keepOpen = true;
      return new DirectoryLock(directory, channel);
    } catch (OverlappingFileLockException e) {
      // Locked by this process under another class loader, which has a registry of its own.
      NEVER_CLOSED.add(channel);
      keepOpen = true;
      throw new DirectoryInUseException(directory);
    } finally {
      if (!keepOpen) {
        channel.close();
      }
    }
  }

  /** {@return the real path of the locked directory} */
  public Path directory() {
    return directory;
  }

  /** Unlocks the directory. Closing twice does nothing. The file stays. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      channel.close(); // also ends the lock
    } catch (IOException e) {
      throw new DataDirectoryException(directory, "The lock file cannot be closed", e);
    } finally {
      HELD.remove(directory);
    }
  }
}
