package dev.holdfast.cluster.object;

import dev.holdfast.TimeSource;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileSum;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Files of objects that travel between the owner and the node that exports or imports, on the disk
 * of the owner. The asker numbers them. A file is deleted when its asker is done with it, when
 * nobody has asked for it in two minutes, and when the node is opened or closed. Thread-safe.
 *
 * <p>They belong to the node and not to an ownership: a file is what it is, whichever node owns the
 * shard by now, and only the owner exports and imports.
 */
public final class StagedFiles implements AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /** In the directory of the node. */
  private static final String DIRECTORY = "staged";

  /** How much of a file a message has. */
  static final int PIECE_BYTES_MAX = 1 << 20;

  /** The parts of an imported file: what is beside a database belongs to it. */
  static final List<String> SUFFIXES = List.of("", "-wal", "-journal");

  static final int FILES_MAX = 16;

  static final long SILENCE_NANOS = TimeUnit.MINUTES.toNanos(2);

  private final Disk disk;
  private final Path directory;
  private final TimeSource time;
  private final Executor work;

  // Guarded by this.
  private final Map<Long, Staged> files = new HashMap<>();
  private boolean isClosed;

  /** A file; its fields are guarded by the monitor of all. */
  private static final class Staged {
    final long number;
    final long bytesMax;
    int users;
    long askedNanos;

    Staged(long number, long bytesMax) {
      this.number = number;
      this.bytesMax = bytesMax;
    }
  }

  /** What is done with a file. */
  @FunctionalInterface
  interface Use<R> {

    /**
     * Uses a file.
     *
     * @param file where it is, or will be
     * @return what the use gives
     * @throws IOException if the file cannot be read or written
     */
    R of(Path file) throws IOException;
  }

  private StagedFiles(Disk disk, Path directory, TimeSource time, Executor work) {
    this.disk = disk;
    this.directory = directory;
    this.time = time;
    this.work = work;
  }

  /**
   * Deletes what a process that was killed has left.
   *
   * @param disk has the files
   * @param data the directory of the node
   * @param time says how long nobody has asked
   * @param work deletes files
   * @return the files, none
   * @throws DataDirectoryException if a file cannot be deleted
   */
  public static StagedFiles open(Disk disk, Path data, TimeSource time, Executor work) {
    Path directory = data.resolve(DIRECTORY);
    try {
      FileTree.delete(disk, directory);
    } catch (IOException e) {
      throw new DataDirectoryException(directory, "What is left in it cannot be deleted", e);
    }
    return new StagedFiles(disk, directory, time, work);
  }

  /**
   * Begins a file, which has no content yet.
   *
   * @param number not that of another one
   * @param bytes how much it will have at most, with what is beside it
   * @throws IOException if there is no room for it
   */
  void begin(long number, long bytes) throws IOException {
    disk.createDirectories(directory);
    if (!disk.hasRoomForCopy(directory, bytes)) {
      throw new IOException("its " + bytes + " bytes have no room on the disk of the owner");
    }
    synchronized (this) {
      if (isClosed || files.size() >= FILES_MAX) {
        throw new IOException("the owner has too many of them at once; repeat it a little later");
      }
      Staged begun = new Staged(number, bytes);
      begun.askedNanos = time.monotonicNanos();
      if (files.putIfAbsent(number, begun) != null) {
        throw new IOException("the owner has it already");
      }
      look(begun, SILENCE_NANOS);
    }
  }

  private void look(Staged file, long nanos) {
    time.schedule(nanos, () -> dropIfSilent(file));
  }

  private void dropIfSilent(Staged file) {
    synchronized (this) {
      if (files.get(file.number) != file) {
        return;
      }
      long silent = time.monotonicNanos() - file.askedNanos;
      if (file.users > 0 || silent < SILENCE_NANOS) {
        look(file, file.users > 0 ? SILENCE_NANOS : SILENCE_NANOS - silent);
        return;
      }
    }
    work.execute(() -> drop(file.number)); // a timer must not block
  }

  /**
   * Uses a file that was begun; it stays meanwhile.
   *
   * @param number of the file
   * @param use what is done with it
   * @return what the use gives
   * @throws IOException if the use fails, or there is no such file any more
   */
  <R> R use(long number, Use<R> use) throws IOException {
    Staged file = taken(number);
    try {
      return use.of(directory.resolve(name(number)));
    } finally {
      giveBack(file);
    }
  }

  private synchronized Staged taken(long number) throws IOException {
    Staged file = files.get(number);
    if (file == null) {
      throw new IOException(
          "is not on its owner any more: that has changed, or was waited for too long. Repeat it.");
    }
    file.users++;
    return file;
  }

  private void giveBack(Staged file) {
    boolean isUnwanted;
    synchronized (this) {
      file.users--;
      file.askedNanos = time.monotonicNanos();
      isUnwanted = file.users == 0 && files.get(file.number) != file;
    }
    if (isUnwanted) {
      delete(file.number);
    }
  }

  /** {@return what a file has} */
  FileSum sum(Path file) throws IOException {
    return FileSum.of(disk, file);
  }

  /** Refuses a file that is not what was sent, with all that is beside it. */
  void requireAll(Path file, Map<String, FileSum> sums) throws IOException {
    for (String suffix : SUFFIXES) {
      Path part = file.resolveSibling(file.getFileName() + suffix);
      FileSum present = disk.exists(part) ? sum(part) : null;
      if (!Objects.equals(present, sums.get(suffix))) {
        throw new IOException("did not arrive as it was sent; repeat it");
      }
    }
  }

  /** {@return the next bytes of a file; none at its end} */
  byte[] read(long number, long offset) throws IOException {
    return use(number, file -> piece(disk, file, offset));
  }

  /** {@return some bytes of a file; none at its end} */
  static byte[] piece(Disk disk, Path file, long offset) throws IOException {
    try (DiskFile open = disk.open(file, Mode.READ)) {
      byte[] piece = new byte[Math.clamp(open.size() - offset, 0, PIECE_BYTES_MAX)];
      int count = piece.length == 0 ? 0 : open.read(piece, 0, piece.length, offset);
      return Arrays.copyOf(piece, Math.max(0, count));
    }
  }

  /** Writes bytes after those that are there. */
  void write(long number, String suffix, long offset, byte[] bytes) throws IOException {
    if (!SUFFIXES.contains(suffix)) {
      throw new IOException("has nothing beside it with the ending " + suffix);
    }
    Staged file = taken(number);
    try (DiskFile open = disk.open(directory.resolve(name(number) + suffix), Mode.CREATE)) {
      if (offset > open.size() || offset + bytes.length > file.bytesMax) {
        throw new IOException("does not go on at byte " + offset);
      }
      open.write(bytes, 0, bytes.length, offset);
    } finally {
      giveBack(file);
    }
  }

  private static String name(long number) {
    return Long.toHexString(number) + ".sqlite";
  }

  /**
   * Forgets a file, and deletes it as soon as nobody uses it.
   *
   * @param number of the file; without effect if there is none
   */
  void drop(long number) {
    synchronized (this) {
      Staged file = files.remove(number);
      if (file == null || file.users > 0) {
        return;
      }
    }
    delete(number);
  }

  private void delete(long number) {
    for (String suffix : SUFFIXES) {
      try {
        disk.delete(directory.resolve(name(number) + suffix));
      } catch (IOException e) {
        LOG.log(
            Level.WARNING,
            "A file that another node has taken or sent stays until the next opening.",
            e);
      }
    }
  }

  @Override
  public void close() {
    List<Long> left;
    synchronized (this) {
      isClosed = true;
      left = List.copyOf(files.keySet());
    }
    left.forEach(this::drop);
  }
}
