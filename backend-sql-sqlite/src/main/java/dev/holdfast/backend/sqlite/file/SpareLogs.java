package dev.holdfast.backend.sqlite.file;

import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Files that serve as the {@code -wal} files of databases, one after the other, across processes.
 * SQLite creates such a file when it opens a database and deletes it at the end. But ext4 does not
 * reuse the inode number of a deleted file for some minutes, and checks each of these numbers when
 * it creates a file: 400 microseconds of processor time per opening, after 10,000 closings. So
 * SQLite creates and deletes only a second name: each file here keeps a separate name, {@code
 * _spare/spare-N.sqlite-wal}, and a database that is opened finds it linked under the name of its
 * log. There are at most as many files as databases were open at once.
 *
 * <p>Small databases are in memory and have no log. For a database of 100 KB, opening it, one write
 * and closing it took 340 microseconds of processor time instead of 405 (2026-11-29, ext4, four
 * warm rounds each), with 74 system calls instead of 69: making an inode is what costs.
 *
 * <p>The content of a file that serves no database belongs to another object, or did. So its header
 * is overwritten with zeros, and SQLite treats it as a log that was not begun; what follows the
 * header has other salts than any later log. Only a long file is truncated: truncating, and
 * allocating the space again, costs as much as the commit that is written.
 *
 * <p>A file is lent only if it has no other name. Otherwise a log that a crash or an error has left
 * beside one database would be the log of another.
 *
 * <p>Nothing here is durable or needs to be: after a power cut a file may have its header back, or
 * a name. So a process checks and clears all files when it starts. Thread-safe.
 */
public final class SpareLogs {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /** No namespace has a name that begins with an underscore; their directories are beside it. */
  private static final String DIRECTORY = "_spare";

  private static final String PREFIX = "spare-";
  private static final String SUFFIX = ".sqlite-wal";
  private static final String NAMES = PREFIX + "*" + SUFFIX;

  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

  /** A longer log is truncated: a few thousand files are kept. */
  private static final int BYTES_KEPT_MAX = 32 * 1_024;

  private static final byte[] NO_HEADER = new byte[LogFormat.HEADER_BYTES];

  private final Path directory;

  /**
   * Whether the system reports how many names a file has; if not, SQLite creates its logs itself.
   */
  private final boolean canCountNames;

  private final Queue<Path> spares = new ConcurrentLinkedQueue<>();
  private final AtomicLong lastNumber = new AtomicLong();

  /** Spares in use. */
  private final Set<Path> lent = ConcurrentHashMap.newKeySet();

  /** Spares in use that are deleted when they come back. */
  private final Set<Path> discarded = ConcurrentHashMap.newKeySet();

  /**
   * Creates the supply; {@link #takeOver} makes it usable.
   *
   * @param root the directory of the databases
   */
  public SpareLogs(Path root) {
    this.directory = root.resolve(DIRECTORY);
    this.canCountNames = root.getFileSystem().supportedFileAttributeViews().contains("unix");
  }

  /** Takes over the files of an earlier process. Call it once, before the first use. */
  public void takeOver() throws IOException {
    new FileDisk().createDirectories(directory);
    try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, NAMES)) {
      for (Path each : found) {
        long number = numberOf(each);
        if (number > 0 && hasOneName(each)) {
          lastNumber.accumulateAndGet(number, Math::max);
          clear(each);
          spares.add(each);
        } else {
          Files.delete(each);
        }
      }
    }
  }

  /** {@return the number in the name of a file; 0 if the file is not one of these} */
  private static long numberOf(Path spare) {
    String name = String.valueOf(spare.getFileName());
    String number = name.substring(PREFIX.length(), name.length() - SUFFIX.length());
    return NUMBER.matcher(number).matches() ? Long.parseLong(number) : 0;
  }

  private boolean hasOneName(Path spare) throws IOException {
    return canCountNames && Files.getAttribute(spare, "unix:nlink").equals(1);
  }

  /** Clears a file so that SQLite treats it as empty. */
  private static void clear(Path spare) throws IOException {
    try (RandomAccessFile opened = new RandomAccessFile(spare.toFile(), "rw")) {
      long bytes = opened.length();
      if (bytes > BYTES_KEPT_MAX) {
        opened.setLength(0);
      } else if (bytes > 0) {
        opened.write(NO_HEADER);
      }
    }
  }

  /**
   * Gives a file the name of the log of a database that is about to be opened, whatever has that
   * name.
   *
   * @return the lent file; null if, for example, the system does not link files, and SQLite is to
   *     create the log: a file of that name may still exist then
   */
  public @Nullable Lent lend(Path log) {
    if (!canCountNames) {
      return null;
    }
    Path spare = spares.poll();
    try {
      if (spare == null) {
        spare =
            FileDisk.createNew(directory.resolve(PREFIX + lastNumber.incrementAndGet() + SUFFIX));
      }
      link(spare, log);
      lent.add(spare);
      return new Lent(this, spare);
    } catch (IOException | UnsupportedOperationException e) {
      LOG.log(Level.DEBUG, () -> "SQLite creates " + log + " itself.", e);
      if (spare != null) {
        spares.add(spare);
      }
      return null;
    }
  }

  private static void link(Path spare, Path log) throws IOException {
    try {
      Files.createLink(log, spare);
    } catch (FileAlreadyExistsException e) {
      Files.delete(log);
      Files.createLink(log, spare);
    }
  }

  /**
   * Deletes the files that are not in use, and each of the others when it comes back: after the end
   * of their present content they may have frames of any database.
   */
  public void discard() throws IOException {
    discarded.addAll(lent);
    for (Path spare = spares.poll(); spare != null; spare = spares.poll()) {
      Files.delete(spare);
    }
  }

  private void takeBack(Path spare) {
    lent.remove(spare);
    try {
      if (!discarded.remove(spare) && hasOneName(spare)) {
        clear(spare);
        spares.add(spare);
      } else {
        Files.delete(spare);
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, () -> spare + " is left to the next process.", e);
    }
  }

  /** A file that serves as the log of a database. */
  public record Lent(SpareLogs owner, Path spare) {

    /**
     * Returns the file. Call it when the database was closed and the file is no longer open
     * anywhere. If the database was not closed normally, and its log still exists, the file stays
     * its log. Never call it for a database that was abandoned: the next process checks its log and
     * this file.
     */
    public void giveBack() {
      owner.takeBack(spare);
    }
  }
}
