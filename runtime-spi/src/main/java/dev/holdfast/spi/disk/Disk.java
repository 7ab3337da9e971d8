package dev.holdfast.spi.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A file system.
 *
 * <p>What survives a power cut: the content of a file up to its last {@link DiskFile#force}; the
 * existence, absence or new name of an entry once {@link #forceDirectory} of its directory has
 * returned after the change. Anything later may be present, missing, or torn at 4 KiB. Thread-safe.
 */
public interface Disk {

  /** How to open a file. */
  enum Mode {
    /** Fails unless the file exists; reading only. */
    READ,
    /** Fails unless the file exists. */
    WRITE,
    /** Creates an empty file unless one exists. */
    CREATE
  }

  /**
   * Opens a file. An open file must not be moved.
   *
   * @param file its path
   * @param mode how to open it
   * @return the open file
   * @throws IOException if the file cannot be opened
   */
  DiskFile open(Path file, Mode mode) throws IOException;

  /**
   * {@return whether a file or directory exists}
   *
   * @param path a file or directory
   */
  boolean exists(Path path);

  /**
   * Returns the entries of a directory, sorted by name; empty if there is no such directory.
   *
   * @param directory the directory
   * @return full paths
   * @throws IOException if it cannot be read
   */
  List<Path> list(Path directory) throws IOException;

  /**
   * Creates a directory and its missing parents; each is durable after {@link #forceDirectory} of
   * its parent.
   *
   * @param directory the directory
   * @throws IOException if it cannot be created
   */
  void createDirectories(Path directory) throws IOException;

  /**
   * Creates a directory and its missing parents, durably. An existing directory is made durable as
   * well: a process may have died after it had created the directory and before it had synced the
   * parent.
   *
   * @param directory the directory
   * @throws IOException if it cannot be created, or the sync fails
   */
  default void ensureDirectory(Path directory) throws IOException {
    Path parent = directory.toAbsolutePath().getParent();
    if (parent == null) {
      return;
    }
    if (!exists(parent)) {
      ensureDirectory(parent);
    }
    createDirectories(directory);
    forceDirectory(parent);
  }

  /**
   * Deletes a file if it exists; durable after {@link #forceDirectory} of its directory.
   *
   * @param file the file
   * @throws IOException if it cannot be deleted
   */
  void delete(Path file) throws IOException;

  /**
   * Renames a file atomically, replacing the target; durable after {@link #forceDirectory}.
   *
   * @param from its present path
   * @param to its new path
   * @throws IOException if it cannot be renamed
   */
  void move(Path from, Path to) throws IOException;

  /**
   * Replaces a file, or creates it, durably: after a power cut one of the two contents is whole,
   * and a failed sync is not trusted later. Uses a file beside it, with {@code .new} after its
   * name.
   *
   * @param file the file
   * @param content its new content
   * @throws IOException if the new content cannot be made durable
   */
  default void replace(Path file, byte[] content) throws IOException {
    Path target = file.toAbsolutePath();
    Path fresh = target.resolveSibling(target.getFileName() + ".new");
    delete(fresh);
    try (DiskFile open = open(fresh, Mode.CREATE)) {
      open.write(content, 0, content.length, 0);
      open.force();
    }
    move(fresh, target);
    Path directory = target.getParent();
    if (directory != null) {
      forceDirectory(directory);
    }
  }

  /**
   * Makes the entries of a directory durable.
   *
   * @param directory the directory
   * @throws IOException if the sync fails
   */
  void forceDirectory(Path directory) throws IOException;

  /**
   * Returns the number of bytes that can still be written below a directory.
   *
   * @param directory the directory
   * @return the space left
   * @throws IOException if it cannot be determined
   */
  long usableBytes(Path directory) throws IOException;

  /**
   * Returns whether a copy has room below a directory, and leaves 256 MiB to the journal, which
   * stops without room.
   *
   * @param directory the directory
   * @param bytes the size of the copy
   * @return whether it has
   * @throws IOException if the space left cannot be determined
   */
  default boolean hasRoomForCopy(Path directory, long bytes) throws IOException {
    return usableBytes(directory) - (256L << 20) >= bytes;
  }

  /**
   * Returns the size of the file system that has a directory.
   *
   * @param directory the directory
   * @return the size in bytes
   * @throws IOException if it cannot be determined
   */
  long totalBytes(Path directory) throws IOException;

  /**
   * {@return whether files can be created in a directory, as far as that is known without creating
   * one}
   *
   * @param directory the directory
   */
  boolean isWritable(Path directory);
}
