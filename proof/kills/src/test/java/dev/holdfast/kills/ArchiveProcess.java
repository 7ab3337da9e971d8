package dev.holdfast.kills;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A process that writes and archives until it is killed. One thread stores the numbers from 1 on
 * and prints {@code stored NUMBER} when each was answered. Another one prints {@code archived
 * NUMBER} when a number that was answered is in the archive.
 */
final class ArchiveProcess {

  private ArchiveProcess() {}

  /** {@return a runtime that makes an image whenever the archive has grown by one} */
  static ObjectRuntime open(Path data, Path archive) {
    return BackupProcess.open(
        data,
        RuntimeOptions.DEFAULT.withArchive(
            ArchiveOptions.to(new DirectoryArchive(archive))
                .withInterval(Duration.ofMillis(5))
                .withBaseBytes(1)
                .withBasesMax(2)));
  }

  /** Takes the data directory and the archive. */
  public static void main(String[] arguments) {
    ObjectRuntime runtime = open(Path.of(arguments[0]), Path.of(arguments[1]));
    AtomicLong stored = new AtomicLong(BackupProcess.last(runtime));
    Thread.ofPlatform()
        .start(
            () -> {
              while (true) {
                long number = stored.get() + 1;
                BackupProcess.cell(runtime, number).set(number);
                stored.set(number);
                System.out.println("stored " + number);
              }
            });
    while (true) {
      long answered = stored.get();
      long durable = runtime.statistics().journal().durablePosition();
      while (runtime.statistics().archive().position() < durable) {
        Thread.yield();
      }
      System.out.println("archived " + answered);
    }
  }
}
