package dev.holdfast.backend.sqlite;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Empty {@code -wal} files, kept under other names from the closing of one database to the opening
 * of another. SQLite makes such a file when it opens a database and deletes it at the end. But ext4
 * gives the number of a deleted file to no other for some minutes, and looks at each of these when
 * it makes a file: 400 microseconds of processor time an opening, after 10,000 closings.
 *
 * <p>A file here is only a name and a number. It is emptied before it is kept, and all that an
 * earlier process left are deleted: what is in them belongs to some other object. Nothing here is
 * durable or needs to be. Thread-safe.
 */
final class SpareLogs {

  private static final String PREFIX = "spare-";

  /** No namespace, whose directories are beside them, may have a name with this in it. */
  private static final String SUFFIX = ".sqlite-wal";

  /** Enough for those that are closed and opened at the same time; some more do no harm. */
  private static final int KEPT_MAX = 64;

  private final Path directory;
  private final Queue<Path> spares = new ConcurrentLinkedQueue<>();
  private final AtomicInteger keptCount = new AtomicInteger();
  private final AtomicLong lastNumber = new AtomicLong();

  SpareLogs(Path directory) {
    this.directory = directory;
  }

  /** Deletes all; to be called before the first use, and after the last one. */
  void deleteAll() throws IOException {
    spares.clear();
    keptCount.set(0);
    try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, PREFIX + "*" + SUFFIX)) {
      for (Path each : found) {
        Files.deleteIfExists(each);
      }
    }
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
    keptCount.decrementAndGet();
    return move(spare, log);
  }

  /**
   * Takes the log of a database that is about to be closed out of the way, so that SQLite does not
   * find it to delete it; everything in it was copied.
   *
   * @return what to {@link #keep} when the database is closed; null to let SQLite delete the log
   */
  @Nullable Path takeAway(Path log) {
    if (keptCount.get() >= KEPT_MAX) {
      return null;
    }
    Path spare = directory.resolve(PREFIX + lastNumber.incrementAndGet() + SUFFIX);
    return move(log, spare) ? spare : null;
  }

  /** Empties and keeps what was taken away; nobody has it open any more. */
  void keep(Path spare) throws IOException {
    try (RandomAccessFile opened = new RandomAccessFile(spare.toFile(), "rw")) {
      opened.setLength(0);
    }
    keptCount.incrementAndGet();
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
