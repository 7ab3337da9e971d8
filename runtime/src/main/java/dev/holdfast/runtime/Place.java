package dev.holdfast.runtime;

import dev.holdfast.runtime.internal.turn.EngineParts;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.statistics.RecoveryStatistics;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where a runtime is, and what it reports when it is opened and closed.
 *
 * @param data the data directory; null for a runtime in memory
 * @param recovery what the recovery of the directory took
 */
record Place(@Nullable Data data, RecoveryStatistics recovery) {

  /**
   * A data directory.
   *
   * @param directory where it is
   * @param disk the file system that has it
   */
  record Data(Path directory, Disk disk) {}

  private static final String VERSION = readVersion();

  /** The build writes the version into a file: neither class path nor module path has it always. */
  private static String readVersion() {
    try (InputStream file = Place.class.getResourceAsStream("version.txt")) {
      return file == null
          ? "unknown"
          : new String(file.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("The version cannot be read from Holdfast's own jar.", e);
    }
  }

  String opened(Set<String> namespaces, EngineParts parts) {
    return "Holdfast "
        + VERSION
        + " opened "
        + name()
        + " with the namespaces "
        + namespaces
        + "; its recovery up to position "
        + parts.journal().durablePosition()
        + " read "
        + recovery.records()
        + " records in "
        + Duration.ofNanos(recovery.nanos()).toMillis()
        + " ms.";
  }

  String closed(long uptimeNanos) {
    return "Holdfast closed "
        + name()
        + " after "
        + Duration.ofNanos(uptimeNanos).toSeconds()
        + " s.";
  }

  String name() {
    return data == null ? "a runtime in memory" : data.directory().toString();
  }
}
