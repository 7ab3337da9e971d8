package dev.holdfast.embedded;

import dev.holdfast.embedded.parts.StoppedShard;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.inspect.InspectedRuntime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a runtime is opened for.
 *
 * @param directory the data directory
 * @param disk where it is
 * @param origin a data directory that is only read, and from which the files of objects are copied
 *     when they are needed; null for none
 * @param isWithoutCode whether the namespaces are those that the data have, with objects that run
 *     no code, all history and no alarm that fires
 * @param inspected receives the runtime as operators see it
 * @param shard the shard that the origin is; null if it is a data directory
 * @param only the only object that is asked for, in a copy of an origin; null for all
 */
record Opening(
    Path directory,
    Disk disk,
    @Nullable Path origin,
    boolean isWithoutCode,
    Consumer<InspectedRuntime> inspected,
    @Nullable StoppedShard shard,
    @Nullable ObjectKey only) {

  /** Of a directory with a separate journal. */
  Opening(
      Path directory,
      Disk disk,
      @Nullable Path origin,
      boolean isWithoutCode,
      Consumer<InspectedRuntime> inspected) {
    this(directory, disk, origin, isWithoutCode, inspected, /* shard= */ null, /* only= */ null);
  }

  /** Nothing is dropped from a journal that is opened without the application's windows. */
  static final Duration ALL_HISTORY = Duration.ofDays(365_000);

  /** For an application. */
  Opening(Path directory) {
    this(directory, JournalOptions.DEFAULT.disk(), null, false, _ -> {});
  }

  /** {@return the directory that reports and the health are about} */
  Path shown() {
    return origin == null ? directory.toAbsolutePath() : origin;
  }
}
