package dev.holdfast.faults;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Makes the temporary directories of tests in memory, if the machine has a file system there and
 * room enough: a sync costs nothing then. Tests of power cuts lose nothing by it, because {@link
 * PowerLossDisk} decides what a sync has saved; nor do those that kill a process.
 *
 * <p>Choose it with the property {@code junit.jupiter.tempdir.factory.default}.
 */
public final class MemoryDirectory implements TempDirFactory {

  private static final Path MEMORY = Path.of("/dev/shm");

  /** With less, a container may end the tests for want of memory. */
  private static final long MEMORY_BYTES_MIN = 8L << 30;

  private static final long USABLE_BYTES_MIN = 4L << 30;

  private static final String PREFIX = "holdfast";

  /** Creates the factory. */
  public MemoryDirectory() {}

  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
      throws IOException {
    return hasRoom()
        ? Files.createTempDirectory(MEMORY, PREFIX)
        : Files.createTempDirectory(PREFIX);
  }

  private static boolean hasRoom() throws IOException {
    return Files.isWritable(MEMORY)
        && Files.getFileStore(MEMORY).getUsableSpace() >= USABLE_BYTES_MIN
        && ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize()
            >= MEMORY_BYTES_MIN;
  }
}
