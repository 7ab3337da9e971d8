package dev.holdfast.backend.sqlite.database;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * How many bytes a thread has written to files. SQLite writes the temporary files of a statement on
 * the thread that runs it, and deletes their names at once: their size and owner cannot be found in
 * any other way. Available on Linux only.
 */
final class ThreadWrites {

  /** Returned where the system does not provide the number. */
  static final long UNKNOWN = -1;

  private static final String COUNTERS = "/proc/thread-self/io";

  /** The text is about 150 bytes long. */
  private static final int TEXT_BYTES_MAX = 1_024;

  private static final String WRITTEN = "wchar:";

  private ThreadWrites() {}

  /**
   * {@return how many bytes the operating system thread that runs this has written since it began;
   * {@link #UNKNOWN} if the system does not provide the number}
   */
  static long bytes() {
    // Not a channel, which takes more locks: the JVM keeps eight per thread, and the driver holds
    // the lock of the connection four times when SQLite calls. With one more, the lock of the
    // connection becomes a monitor, and each call of the native library takes about 50 ns longer.
    try (FileInputStream counters = new FileInputStream(COUNTERS)) {
      byte[] bytes = new byte[TEXT_BYTES_MAX];
      int length = counters.readNBytes(bytes, 0, bytes.length);
      String text = new String(bytes, 0, length, StandardCharsets.US_ASCII);
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
