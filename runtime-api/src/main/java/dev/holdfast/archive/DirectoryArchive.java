package dev.holdfast.archive;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An archive in a directory, such as a mounted disk or NFS. Its file system must have hard links:
 * an entry is written beside its name, synced, and linked to its name, which fails if the name
 * exists. On file systems with POSIX permissions, only the owner can access what is created.
 * Thread-safe.
 */
public final class DirectoryArchive implements ArchiveStore {

  /** The name of a folder, or the last part of the name of an entry. */
  private static final Pattern PART = Pattern.compile("[a-z0-9-][a-z0-9.-]*");

  private static final Pattern NAME = Pattern.compile(PART + "(/" + PART + ")*");

  /** Between a name and a number: an entry that is being written, or was when a machine failed. */
  private static final String UNFINISHED = "~";

  private static final Pattern UNFINISHED_NAME = Pattern.compile(PART + UNFINISHED + "[0-9]+");

  private final Path directory;

  /** Directories whose names this store has synced. */
  private final Set<Path> durable = ConcurrentHashMap.newKeySet();

  /**
   * Creates the store. Touches no file.
   *
   * @param directory the directory; created with the first entry
   */
  public DirectoryArchive(Path directory) {
    this.directory = directory.toAbsolutePath();
  }

  @Override
  public boolean putIfAbsent(String name, ArchiveContent content) throws IOException {
    Path file = file(name);
    Path parent = directoryOf(file);
    if (Files.exists(file)) {
      force(parent); // its writer may have failed before it did
      return false;
    }
    Path unfinished = create(file);
    try {
      try (FileChannel channel = FileChannel.open(unfinished, StandardOpenOption.WRITE);
          InputStream source = content.open()) {
        OutputStream target = Channels.newOutputStream(channel);
        source.transferTo(target);
        channel.force(true);
      }
      try {
        Files.createLink(file, unfinished);
      } catch (FileAlreadyExistsException e) {
        force(parent);
        return false;
      } catch (UnsupportedOperationException e) {
        throw new IOException(directory + " is on a file system without hard links", e);
      }
      force(parent);
      return true;
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }

  /** Creates an empty file beside an entry that no other writer has. */
  private Path create(Path file) throws IOException {
    for (int number = 0; ; number++) {
      try {
        return Files.createFile(
            file.resolveSibling(file.getFileName() + UNFINISHED + number), ownerOnly("rw-------"));
      } catch (FileAlreadyExistsException e) {
        // Another writer's, or left behind when a machine failed.
      }
    }
  }

  /**
   * Creates the directory of a file, durably. The name of one that exists is synced as well: a
   * process that was killed may have created it, and nothing in it is durable before its name is.
   */
  private Path directoryOf(Path file) throws IOException {
    Path parent = file.getParent();
    if (parent == null) {
      throw new IOException(file + " is in no directory");
    }
    List<Path> unsynced = new ArrayList<>();
    for (Path at = parent; at != null; at = at.getParent()) {
      boolean isOurs = at.startsWith(directory) && !durable.contains(at);
      if (isOurs || !Files.isDirectory(at)) {
        unsynced.addFirst(at);
      }
    }
    Files.createDirectories(parent, ownerOnly("rwx------"));
    for (Path each : unsynced) {
      Path holder = each.getParent();
      if (holder != null) {
        force(holder);
      }
      durable.add(each);
    }
    return parent;
  }

  private FileAttribute<?>[] ownerOnly(String permissions) {
    return directory.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }

  private static void force(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  @Override
  public @Nullable InputStream open(String name) throws IOException {
    try {
      return Files.newInputStream(file(name));
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  @Override
  public List<ArchiveEntry> list(String prefix, String after, int limit) throws IOException {
    int slash = prefix.lastIndexOf('/');
    String folder = prefix.substring(0, slash + 1);
    List<ArchiveEntry> found = new ArrayList<>();
    add(
        folder.isEmpty() ? directory : directory.resolve(folder),
        folder,
        prefix,
        after,
        limit,
        found);
    return found;
  }

  /** Adds the entries of one folder and those below it, in order. */
  private static void add(
      Path folder, String path, String prefix, String after, int limit, List<ArchiveEntry> found)
      throws IOException {
    for (String name : names(folder)) {
      if (found.size() >= limit) {
        return;
      }
      Path file = folder.resolve(name);
      String full = path + name;
      if (name.endsWith("/")) {
        String last = full + Character.MAX_VALUE; // after everything in that folder
        if ((full.startsWith(prefix) || prefix.startsWith(full)) && last.compareTo(after) > 0) {
          add(file, full, prefix, after, limit, found);
        }
      } else if (full.startsWith(prefix) && full.compareTo(after) > 0) {
        try {
          found.add(new ArchiveEntry(full, Files.size(file)));
        } catch (NoSuchFileException e) {
          // Deleted meanwhile.
        }
      }
    }
  }

  /**
   * {@return the names in a folder, in the order of full names: the name of a folder ends in a
   * slash}
   */
  private static Iterable<String> names(Path folder) throws IOException {
    TreeSet<String> names = new TreeSet<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        String name = String.valueOf(file.getFileName());
        if (!name.contains(UNFINISHED)) {
          names.add(Files.isDirectory(file) ? name + "/" : name);
        }
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return names;
  }

  @Override
  public void delete(String name) throws IOException {
    Path file = file(name);
    Files.deleteIfExists(file);
    Path parent = file.getParent();
    if (parent != null && Files.isDirectory(parent)) {
      force(parent); // also if an earlier call has deleted it: that one may have failed before
    }
  }

  @Override
  public void deleteUnfinished(String prefix) throws IOException {
    deleteUnfinished(directory.resolve(prefix));
  }

  /** Other programs may have files and folders here: only names that this store gives count. */
  private static void deleteUnfinished(Path folder) throws IOException {
    boolean isChanged = false;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        String name = String.valueOf(file.getFileName());
        if (PART.matcher(name).matches() && Files.isDirectory(file)) {
          deleteUnfinished(file);
        } else if (UNFINISHED_NAME.matcher(name).matches() && Files.isRegularFile(file)) {
          Files.deleteIfExists(file);
          isChanged = true;
        }
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      return;
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    if (isChanged) {
      force(folder);
    }
  }

  private Path file(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("Not a name of an entry: " + name);
    }
    return directory.resolve(name);
  }

  @Override
  public String toString() {
    return directory.toString();
  }
}
