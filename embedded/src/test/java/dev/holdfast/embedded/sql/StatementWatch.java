package dev.holdfast.embedded.sql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Continuously measures the resources of this process while a statement runs: resident memory, and
 * files, including files without a name. Stops a statement that exceeds its bounds.
 */
final class StatementWatch implements AutoCloseable {

  /** The resources that a statement may take. */
  record Bounds(long millis, long memoryMebibytes, long filesMebibytes) {}

  /** The resources that a statement took. */
  record Took(long millis, long memoryMebibytes, long filesMebibytes) {

    boolean isWithin(Bounds bounds) {
      return millis <= bounds.millis
          && memoryMebibytes <= bounds.memoryMebibytes
          && filesMebibytes <= bounds.filesMebibytes;
    }
  }

  private static final long MEBIBYTE = 1 << 20;
  private static final long NANOS_BETWEEN_LOOKS = 2_000_000;

  private final Path directory;
  private final @Nullable Bounds bounds;
  private final Stop stop;
  private final Thread thread = Thread.ofPlatform().daemon().unstarted(this::look);

  private boolean isClosed;
  private boolean isRunning;
  private long startedNanos;
  private long memoryBefore;
  private long filesBefore;
  private long filesMost;

  /** Stops a statement. */
  @FunctionalInterface
  interface Stop {

    /** Stops it; called repeatedly until it has ended. */
    void stop(Took took);
  }

  /**
   * @param directory the directory of the objects
   * @param bounds bounds beyond which a statement is stopped; null for none
   * @param stop stops a statement
   */
  StatementWatch(Path directory, @Nullable Bounds bounds, Stop stop) {
    this.directory = directory;
    this.bounds = bounds;
    this.stop = stop;
    thread.start();
  }

  /** A statement begins. */
  synchronized void begin() throws IOException {
    if (bounds != null || memoryBefore == 0) {
      // The peak starts at the present resident memory. Freed memory may stay resident: if
      // statements are not stopped, all of them count from the first one on.
      Files.writeString(Path.of("/proc/self/clear_refs"), "5");
      memoryBefore = memory();
    }
    filesBefore = files();
    filesMost = filesBefore;
    startedNanos = System.nanoTime();
    isRunning = true;
  }

  /** The statement has ended; {@return what it took} */
  synchronized Took end() {
    isRunning = false;
    return took();
  }

  private Took took() {
    filesMost = Math.max(filesMost, files());
    return new Took(
        (System.nanoTime() - startedNanos) / 1_000_000,
        (memory() - memoryBefore) / MEBIBYTE,
        (filesMost - filesBefore) / MEBIBYTE);
  }

  private void look() {
    while (lookOnce()) {
      LockSupport.parkNanos(NANOS_BETWEEN_LOOKS);
    }
  }

  private boolean lookOnce() {
    Took beyond = null;
    synchronized (this) {
      if (isRunning) {
        Took took = took();
        beyond = bounds == null || took.isWithin(bounds) ? null : took;
      }
      if (isClosed) {
        return false;
      }
    }
    if (beyond != null) {
      stop.stop(beyond);
    }
    return true;
  }

  /** {@return the most bytes that were resident since the statement began} */
  private static long memory() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines
              .filter(line -> line.startsWith("VmHWM:"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
              .findFirst()
              .orElseThrow()
          << 10;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long files() {
    return sizes(Path.of("/proc/self/fd"), true) + sizes(directory.resolve("sqlite"), false);
  }

  private static long sizes(Path files, boolean onlyNameless) {
    try (Stream<Path> all = onlyNameless ? Files.list(files) : Files.walk(files)) {
      return all.mapToLong(file -> size(file, onlyNameless)).sum();
    } catch (IOException | UncheckedIOException e) {
      return 0; // one was deleted meanwhile
    }
  }

  private static long size(Path file, boolean onlyNameless) {
    try {
      if (onlyNameless && !Files.readSymbolicLink(file).toString().endsWith(" (deleted)")) {
        return 0;
      }
      return Files.isRegularFile(file) ? Files.size(file) : 0;
    } catch (IOException e) {
      return 0; // it was deleted meanwhile
    }
  }

  @Override
  public synchronized void close() {
    isClosed = true;
  }
}
