package dev.holdfast.backup;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a second backup, of this process or another, away from a target, and each backup from one
 * that is read: a lock of the operating system on the file {@code backup.lock} in it, which ends
 * with the process. The file stays: if it were deleted, two processes could each lock a file of
 * that name.
 */
final class TargetLock implements AutoCloseable {

  static final String NAME = "backup.lock";

  /** Locked by this process: closing a second descriptor of a file would end its lock. */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path directory;
  private final FileChannel channel;

  private TargetLock(Path directory, FileChannel channel) {
    this.directory = directory;
    this.channel = channel;
  }

  /**
   * {@return the lock of a directory that exists; null if another backup has it}
   *
   * @throws IOException if the file cannot be created or locked
   */
  static @Nullable TargetLock acquire(Disk disk, Path target) throws IOException {
    Path file = target.resolve(NAME);
    if (!disk.exists(file)) {
      disk.open(file, Mode.CREATE).close();
    }
    return lock(target.toRealPath(), StandardOpenOption.WRITE);
  }

  /**
   * {@return the lock of a directory that is only read, and has the file; null if a backup has it,
   * or this process reads the directory already}
   *
   * @throws IOException if the file cannot be locked
   */
  static @Nullable TargetLock share(Path target) throws IOException {
    return lock(target.toRealPath(), StandardOpenOption.READ);
  }

  private static @Nullable TargetLock lock(Path directory, StandardOpenOption access)
      throws IOException {
    if (!HELD.add(directory)) {
      return null;
    }
    TargetLock lock = null;
    try {
      lock = lockFile(directory, access);
      return lock;
    } finally {
      if (lock == null) {
        HELD.remove(directory);
      }
    }
  }

  private static @Nullable TargetLock lockFile(Path directory, StandardOpenOption access)
      throws IOException {
    Path file = directory.resolve(NAME);
    if (!Files.isRegularFile(file)) {
      throw new IOException(file + " is not a regular file"); // a pipe would be waited for
    }
    FileChannel channel = FileChannel.open(file, access);
    FileLock held = null;
    try {
      held = channel.tryLock(0, Long.MAX_VALUE, /* shared= */ access == StandardOpenOption.READ);
      return held == null ? null : new TargetLock(directory, channel);
    } catch (OverlappingFileLockException e) {
      return null; // of this process under another class loader
    } finally {
      if (held == null) {
        channel.close();
      }
    }
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      HELD.remove(directory);
    }
  }
}
