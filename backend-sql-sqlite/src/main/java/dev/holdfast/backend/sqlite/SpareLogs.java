package dev.holdfast.backend.sqlite;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Empty {@code -wal} files, kept under other names from the closing of one database to the opening
 * of another, be it of the next process. SQLite makes such a file when it opens a database and
 * deletes it at the end. But ext4 gives the number of a deleted file to no other for some minutes,
 * and looks at each of these when it makes a file: 400 microseconds of processor time an opening,
 * after 10,000 closings. So none is deleted; there are never more of them than databases were open
 * at once, as one is made only when none is left.
 *
 * <p>A file here is only a name and a number. It is emptied before it is kept, and what an earlier
 * process did not get around to empty is deleted: what is in it belongs to some other object.
 * Nothing here is durable or needs to be: one that has its content back after a power cut is
 * deleted too. Thread-safe.
 */
final class SpareLogs {

  private static final String PREFIX = "spare-";

  /** No namespace, whose directories are beside them, may have a name with this in it. */
  private static final String SUFFIX = ".sqlite-wal";

  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

  private final Path directory;
  private final Queue<Path> spares = new ConcurrentLinkedQueue<>();
  private final AtomicLong lastNumber = new AtomicLong();

  SpareLogs(Path directory) {
    this.directory = directory;
  }

  /** Takes over what an earlier process has emptied; to be called once, before the first use. */
  void takeOver() throws IOException {
    try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, PREFIX + "*" + SUFFIX)) {
      for (Path each : found) {
        long number = numberOf(each);
        if (number > 0 && Files.size(each) == 0) {
          lastNumber.accumulateAndGet(number, Math::max);
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

  /**
   * Puts an empty file in the place of the log of a database that is about to be opened, whatever
   * is there.
   *
   * @return false if there is none; nothing was changed
   */
  boolean put(Path log) {
    Path spare = spares.poll();
    if (spare == null) {
      return false;
    }
    return move(spare, log);
  }

  /**
   * Takes the log of a database that is about to be closed out of the way, so that SQLite does not
   * find it to delete it; everything in it was copied.
   *
   * @return what to {@link #keep} when the database is closed; null if it could not be moved, and
   *     SQLite is to delete it
   */
  @Nullable Path takeAway(Path log) {
    Path spare = directory.resolve(PREFIX + lastNumber.incrementAndGet() + SUFFIX);
    return move(log, spare) ? spare : null;
  }

  /** Empties and keeps what was taken away; nobody has it open any more. */
  void keep(Path spare) throws IOException {
    try (RandomAccessFile opened = new RandomAccessFile(spare.toFile(), "rw")) {
      opened.setLength(0);
    }
    spares.add(spare);
  }

  /**
   * {@return whether a file was moved; if not, for lack of it or because a system does not move
   * open files, the log is made and deleted as ever}
   */
  private static boolean move(Path from, Path to) {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
