package dev.holdfast.backend.sqlite.file;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.ObjectKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The files of a backend that does not run, which are copied one by one when another one first
 * needs them. They are only read. Thread-safe.
 */
final class FileOrigin {

  private final Path root;

  /** The objects whose files were copied: one that was deleted since is not copied again. */
  private final Set<ObjectKey> copied = ConcurrentHashMap.newKeySet();

  FileOrigin(Path root) {
    this.root = root;
  }

  Path root() {
    return root;
  }

  /**
   * Copies the file of an object, unless that was done.
   *
   * @param key the object
   * @param from its file here; need not exist
   * @param to its file there
   * @param directories makes the directory of that file
   */
  void copy(ObjectKey key, Path from, Path to, ObjectDirectories directories) {
    if (copied.contains(key)) {
      return;
    }
    synchronized (this) { // no thread uses a file that another one copies
      if (copied.contains(key)) {
        return;
      }
      try {
        if (Files.exists(from)) {
          directories.ensure(Objects.requireNonNull(to.getParent()));
          Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
        }
      } catch (IOException e) {
        throw new DataDirectoryException(from, "The file cannot be copied to " + to, e);
      }
      copied.add(key);
    }
  }
}
