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
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Files that serve as the {@code -wal} files of databases, one after the other, also those of the
 * next process. SQLite makes such a file when it opens a database and deletes it at the end. But
 * ext4 gives the number of a deleted file to no other for some minutes, and looks at each of these
 * when it makes a file: 400 microseconds of processor time an opening, after 10,000 closings. So
 * SQLite makes and deletes no more than a second name: each file here keeps a name of its own,
 * {@code spare-N.sqlite-wal}, and a database that is opened finds it linked under the name of its
 * log. There are never more of them than databases were open at once.
 *
 * <p>What is in a file that serves no database belongs to some other object, or did. So its header
 * is overwritten with zeros, and SQLite takes it for a log that was not begun; what is behind the
 * header has other salts than any log to come. Cut off is only a long one: cutting, and taking the
 * space again, costs as much as the commit that is written.
 *
 * <p>A file is lent only if it has no other name. Else a log that a crash or an error has left
 * beside one database would be the log of another.
 *
 * <p>Nothing here is durable or needs to be: after a power cut a file may have its header back, or
 * a name. So at the beginning of a process all are looked at and cleared. Thread-safe.
 */
public final class SpareLogs {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private static final String PREFIX = "spare-";

  /** No namespace, whose directories are beside them, may have a name with this in it. */
  private static final String SUFFIX = ".sqlite-wal";

  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

  /** A log that was longer is cut off: some thousand of them are kept. */
  private static final int BYTES_KEPT_MAX = 32 * 1_024;

  private static final byte[] NO_HEADER = new byte[PageSize.LOG_HEADER_BYTES];

  private final Path directory;

  /** Whether the system says how many names a file has; if not, SQLite makes its logs itself. */
  private final boolean canCountNames;

  private final Queue<Path> spares = new ConcurrentLinkedQueue<>();
  private final AtomicLong lastNumber = new AtomicLong();

  public SpareLogs(Path directory) {
    this.directory = directory;
    this.canCountNames = directory.getFileSystem().supportedFileAttributeViews().contains("unix");
  }

  /** Takes over what an earlier process has left; to be called once, before the first use. */
  public void takeOver() throws IOException {
    try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, PREFIX + "*" + SUFFIX)) {
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

  /** {@return the number in the name of a file; 0 if it is none of ours} */
  private static long numberOf(Path spare) {
    String name = String.valueOf(spare.getFileName());
    String number = name.substring(PREFIX.length(), name.length() - SUFFIX.length());
    return NUMBER.matcher(number).matches() ? Long.parseLong(number) : 0;
  }

  private boolean hasOneName(Path spare) throws IOException {
    return canCountNames && Files.getAttribute(spare, "unix:nlink").equals(1);
  }

  /** Makes a file one that SQLite takes for empty. */
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
   * @return what was lent; null if a system does not link files, say, and SQLite is to make the
   *     log: what has its name may still be there then
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
      return new Lent(this, spare);
    } catch (IOException | UnsupportedOperationException e) {
      LOG.log(Level.DEBUG, () -> "SQLite is to make " + log + " itself.", e);
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

  private void takeBack(Path spare) {
    try {
      if (hasOneName(spare)) {
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
     * To be called when the database was closed and nobody has the file open any more. If it was
     * not closed in good order, and its log is still there, the file is left to that. Never called
     * for a database that was given up: the next process looks at its log and at this.
     */
    public void giveBack() {
      owner.takeBack(spare);
    }
  }
}
