package dev.holdfast.spi.disk;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The file system of the operating system. Thread-safe; {@link DiskFile} states the rules for its
 * files.
 *
 * <p>On file systems with POSIX permissions, everything created here is accessible to its owner
 * only: directories have mode 0700, files 0600.
 *
 * <p>Directories are synced where the platform supports it. Windows cannot open a directory; its
 * file system journal orders the entries.
 */
public final class FileDisk implements Disk {

  private static final boolean CAN_SYNC_DIRECTORIES =
      !System.getProperty("os.name", "").startsWith("Windows");

  /** Creates the disk; it has no state. */
  public FileDisk() {}

  @Override
  public DiskFile open(Path file, Mode mode) throws IOException {
    switch (mode) {
      case READ, WRITE -> {
        // RandomAccessFile would create a missing file when it opens it for writing, and calls a
        // directory "not found".
        if (!Files.isRegularFile(file)) {
          throw Files.exists(file)
              ? new FileNotFoundException(file + " is not a regular file")
              : new NoSuchFileException(file.toString());
        }
      }
      case CREATE -> {
        if (!Files.exists(file)) {
          create(file);
        }
      }
    }
    return OpenFile.open(file, mode != Mode.READ);
  }

  private static void create(Path file) throws IOException {
    try {
      Files.createFile(file, ownerOnly(file, "rw-------"));
    } catch (FileAlreadyExistsException e) {
      // Another process created it meanwhile, or it is a link to nothing: opening it will show
      // which.
    }
  }

  /**
   * Creates an empty file that only its owner can access.
   *
   * @param file its path
   * @return the path
   * @throws IOException if it exists or cannot be created
   */
  public static Path createNew(Path file) throws IOException {
    return Files.createFile(file, ownerOnly(file, "rw-------"));
  }

  private static FileAttribute<?>[] ownerOnly(Path path, String permissions) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }

  @Override
  public boolean exists(Path path) {
    return Files.exists(path);
  }

  @Override
  public List<Path> list(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return List.of();
    }
    List<Path> entries = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
      stream.forEach(entries::add);
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    Collections.sort(entries);
    return Collections.unmodifiableList(entries);
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) { // also a link to one, which the next call refuses
      Path parent = directory.toAbsolutePath().getParent();
      if (parent != null && !Files.isDirectory(parent)) {
        Files.createDirectories(parent);
      }
      // This call accepts an existing directory: another process may create it at the same time.
      Files.createDirectories(directory, ownerOnly(directory, "rwx------"));
    }
  }

  @Override
  public void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    if (!CAN_SYNC_DIRECTORIES) {
      return;
    }
    try (AsynchronousFileChannel channel =
        AsynchronousFileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  @Override
  public long usableBytes(Path directory) throws IOException {
    return Files.getFileStore(directory).getUsableSpace();
  }

  @Override
  public long totalBytes(Path directory) throws IOException {
    return Files.getFileStore(directory).getTotalSpace();
  }

  @Override
  public boolean isWritable(Path directory) {
    return Files.isDirectory(directory) && Files.isWritable(directory);
  }
}
