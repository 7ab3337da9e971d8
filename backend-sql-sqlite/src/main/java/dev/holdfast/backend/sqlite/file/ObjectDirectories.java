package dev.holdfast.backend.sqlite.file;

import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The directories of object files. A directory is created when the first file needs it, and is
 * durable, with its parents, when the first of its files is saved. Otherwise the sync of a file
 * would be worthless: the file would vanish with its directory, after the journal was notified that
 * it is safe. Until then the journal has all of the file.
 *
 * <p>A process may have died after it had created a directory and before it had synced the parent.
 * So a process syncs the root and each namespace's directory once, before it first reports that a
 * file in them is saved.
 *
 * <p>Thread-safe.
 */
final class ObjectDirectories {

  private final Disk disk;
  private final Path root;

  /** Directories that exist durably: saves a disk access per opening. */
  private final Set<Path> durable = ConcurrentHashMap.newKeySet();

  /** Directories that exist; the next sync of their parent makes them durable. */
  private final Set<Path> made = ConcurrentHashMap.newKeySet();

  private final ReentrantLock lock = new ReentrantLock();

  /** Directories that could not be synced: a later sync may succeed and say nothing of them. */
  private final Map<Path, IOException> failures = new ConcurrentHashMap<>();

  ObjectDirectories(Disk disk, Path root) {
    this.disk = disk;
    this.root = root;
  }

  /** Creates the root, durably. Call it once, before anything else. */
  void ensureRoot() throws IOException {
    disk.ensureDirectory(root);
  }

  /** Creates a directory within the directory of a namespace, without a sync. */
  void ensure(Path directory) throws IOException {
    if (durable.contains(directory) || made.contains(directory)) {
      return;
    }
    Path namespace = namespace(directory);
    requireNoFailure(namespace);
    disk.createDirectories(namespace); // by itself: a missing parent would be open to others
    disk.createDirectories(directory);
    made.add(directory);
  }

  /**
   * Makes a directory within the directory of a namespace durable, with the entries of its files.
   *
   * @throws IOException if that fails; the files are not known to be durable
   */
  void force(Path directory) throws IOException {
    forceOne(directory);
    if (durable.contains(directory)) {
      return;
    }
    lock.lock();
    try {
      if (!durable.contains(directory)) {
        forceParents(namespace(directory));
        durable.add(directory);
      }
    } finally {
      lock.unlock();
    }
  }

  private void forceParents(Path namespace) throws IOException {
    assert lock.isHeldByCurrentThread();
    // Before the sync: it says nothing of a directory that is created meanwhile.
    List<Path> covered = made.stream().filter(each -> namespace.equals(each.getParent())).toList();
    if (!durable.contains(namespace)) {
      forceOne(root);
    }
    forceOne(namespace);
    durable.add(namespace);
    durable.addAll(covered);
    covered.forEach(made::remove);
  }

  private Path namespace(Path directory) {
    Path namespace = directory.getParent();
    if (namespace == null || !root.equals(namespace.getParent())) {
      throw new IllegalArgumentException("Not below " + root + ": " + directory);
    }
    return namespace;
  }

  private void forceOne(Path directory) throws IOException {
    requireNoFailure(directory);
    try {
      disk.forceDirectory(directory);
    } catch (FileSystemException e) {
      throw e; // it could not be opened, so nothing was synced, and a later sync is trusted
    } catch (IOException e) {
      failures.put(directory, e);
      throw e;
    }
  }

  private void requireNoFailure(Path directory) throws IOException {
    IOException failed = failures.get(directory);
    if (failed != null) {
      throw new IOException(
          "a directory could not be made durable ("
              + failed.getMessage()
              + "); check the disk, close the runtime and open it again",
          failed);
    }
  }
}
