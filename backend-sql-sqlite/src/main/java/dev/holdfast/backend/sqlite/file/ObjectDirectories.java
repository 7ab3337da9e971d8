package dev.holdfast.backend.sqlite.file;

import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The directories of object files. A directory is created when the first file needs it, and is
 * durable before it is used. Otherwise the sync of a file would be worthless: the file would vanish
 * with its directory, after the journal was notified that it is safe.
 *
 * <p>A process may have died after it had created a directory and before it had synced the parent.
 * So a process syncs the root and each namespace's directory once, before it first uses what it
 * finds in them.
 *
 * <p>Thread-safe.
 */
final class ObjectDirectories {

  private final Disk disk;
  private final Path root;

  /** Directories that exist durably: saves a disk access per opening. */
  private final Set<Path> durable = ConcurrentHashMap.newKeySet();

  private final ReentrantLock lock = new ReentrantLock();

  /** After a failure it is unknown which directories are durable. Guarded by lock. */
  private @Nullable IOException failure;

  ObjectDirectories(Disk disk, Path root) {
    this.disk = disk;
    this.root = root;
  }

  /** Creates the root, durably. Call it once, before anything else. */
  void ensureRoot() throws IOException {
    disk.ensureDirectory(root);
  }

  /** Creates a directory within that of a namespace, durably. */
  void ensure(Path directory) throws IOException {
    if (durable.contains(directory)) {
      return;
    }
    lock.lock();
    try {
      Path namespace = directory.getParent();
      if (namespace == null || !namespace.startsWith(root)) {
        throw new IllegalArgumentException("Not below " + root + ": " + directory);
      }
      if (!durable.contains(namespace)) {
        make(namespace);
        force(root);
        force(namespace);
        durable.add(namespace);
      }
      if (!disk.exists(directory)) {
        make(directory);
        force(namespace);
      }
      durable.add(directory);
    } finally {
      lock.unlock();
    }
  }

  private void make(Path directory) throws IOException {
    assert lock.isHeldByCurrentThread();
    if (failure != null) {
      throw new IOException(
          "a directory could not be made durable ("
              + failure.getMessage()
              + "); check the disk, close the runtime and open it again",
          failure);
    }
    disk.createDirectories(directory);
  }

  private void force(Path directory) throws IOException {
    assert lock.isHeldByCurrentThread();
    try {
      disk.forceDirectory(directory);
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }
}
