package dev.holdfast.backend.sqlite.meter;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How many bytes a thread has written to files. SQLite writes the temporary files of a statement on
 * the thread that runs it, and deletes their names at once: nothing else tells their size, or whose
 * they are. Known on Linux only.
 */
public final class ThreadWrites {

  /** What is returned where the system does not say. */
  public static final long UNKNOWN = -1;

  private static final Path COUNTERS = Path.of("/proc/thread-self/io");
  private static final String WRITTEN = "wchar:";

  private ThreadWrites() {}

  /**
   * {@return how many bytes the thread of the system that runs this has written since it began;
   * {@link #UNKNOWN} if the system does not say}
   */
  public static long bytes() {
    // Made by the system when it is opened, and without a size.
    try (InputStream counters = Files.newInputStream(COUNTERS)) {
      String text = new String(counters.readAllBytes(), StandardCharsets.US_ASCII);
      int at = text.indexOf(WRITTEN);
      if (at < 0) {
        return UNKNOWN;
      }
      return Long.parseLong(text, at + WRITTEN.length() + 1, text.indexOf('\n', at), 10);
    } catch (IOException | IndexOutOfBoundsException | NumberFormatException e) {
      return UNKNOWN; // another system, or one that does not count
    }
  }
}
