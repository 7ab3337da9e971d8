package dev.holdfast.journal;

import dev.holdfast.DirectoryInUseException;
import dev.holdfast.errors.DataDirectoryException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Keeps runtimes away from a data directory while it is read, and changes no byte and no time of
 * it: a shared lock on the file {@code LOCK}. Several processes may read at once. Thread-safe.
 */
public final class DirectoryReadLock implements AutoCloseable {

  private final Path directory;

  /** Null if there is no file: a directory that was copied without it. */
  private final @Nullable RandomAccessFile file;

  private DirectoryReadLock(Path directory, @Nullable RandomAccessFile file) {
    this.directory = directory;
    this.file = file;
  }

  /**
   * Locks a data directory for reading.
   *
   * @param dataDirectory the directory
   * @return the lock; close it when the directory is no longer read
   * @throws DirectoryInUseException if a runtime has the directory open, or this process reads it
   *     already
   * @throws DataDirectoryException if there is no such directory, or the file cannot be read
   */
  public static DirectoryReadLock acquire(Path dataDirectory) {
    if (!Files.isDirectory(dataDirectory)) {
      throw new DataDirectoryException(dataDirectory, "There is no such directory", null);
    }
    try {
      Path directory = dataDirectory.toRealPath();
      if (!DirectoryLock.hold(directory)) {
        throw new DirectoryInUseException(directory);
      }
      boolean isLocked = false;
      try {
        DirectoryReadLock lock = new DirectoryReadLock(directory, lockFile(directory));
        isLocked = true;
        return lock;
      } finally {
        if (!isLocked) {
          DirectoryLock.release(directory);
        }
      }
    } catch (IOException e) {
      throw new DataDirectoryException(
          dataDirectory, "The lock file cannot be read; check its permissions", e);
    }
  }

  private static @Nullable RandomAccessFile lockFile(Path directory) throws IOException {
    Path path = directory.resolve(DirectoryLock.FILE_NAME);
    if (!Files.exists(path)) {
      return null;
    }
    if (!Files.isRegularFile(path)) {
      throw new IOException(path + " is not a regular file"); // a pipe would be waited for
    }
    RandomAccessFile opened = new RandomAccessFile(path.toFile(), "r");
    boolean keepOpen = false;
    try {
      FileLock lock = opened.getChannel().tryLock(0, Long.MAX_VALUE, /* shared= */ true);
      if (lock == null || DirectoryLock.isOwnerAlive(opened, path)) {
        throw new DirectoryInUseException(directory);
      }
      keepOpen = true;
      return opened;
    } catch (OverlappingFileLockException e) {
      // Locked by this process under another class loader. Closing the file would end that lock.
      keepOpen = true;
      throw new DirectoryInUseException(directory);
    } finally {
      if (!keepOpen) {
        opened.close();
      }
    }
  }

  /**
   * Requires that no runtime has opened the directory meanwhile: nothing keeps it away from one
   * without a lock file, which the first opening creates.
   *
   * @throws DirectoryInUseException if one has
   */
  public void requireUnopened() {
    if (file == null && Files.exists(directory.resolve(DirectoryLock.FILE_NAME))) {
      throw new DirectoryInUseException(directory);
    }
  }

  /** Unlocks the directory. Closing twice has no effect. */
  @Override
  public void close() {
    try {
      if (file != null) {
        file.close();
      }
    } catch (IOException e) {
      throw new DataDirectoryException(directory, "The lock file cannot be closed", e);
    } finally {
      DirectoryLock.release(directory);
    }
  }
}
