package dev.holdfast.spi.disk;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The file system of the operating system. Thread-safe; {@link DiskFile} says what holds for its
 * files.
 *
 * <p>Directories are synced where the platform can do it. Windows cannot open one; there the
 * journal of the file system orders the entries.
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
      case CREATE -> {}
    }
    return OpenFile.open(file, mode != Mode.READ);
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
    }
    Collections.sort(entries);
    return Collections.unmodifiableList(entries);
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) { // also a link to one, which the next call refuses
      Files.createDirectories(directory);
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
}
