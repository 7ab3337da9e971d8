package dev.holdfast.embedded.parts;

import dev.holdfast.TimeSource;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archiver.Archiver;
import dev.holdfast.archiver.ShardEpoch;
import dev.holdfast.journal.JournalTail;
import dev.holdfast.spi.JournalArchive;
import dev.holdfast.spi.JournalView;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The archive of a runtime, or of a shard. Stateless. */
public final class StartedArchive {

  private StartedArchive() {}

  /**
   * What is archived.
   *
   * @param journal reads the journal; used by the archive alone
   * @param time the clock
   * @param owner a random number
   * @param epoch the ownership of a shard; {@link ShardEpoch#NONE} for none
   * @param closeTimeout how long the close waits for the store
   * @param files what base images are made of
   */
  public record Source(
      JournalTail journal,
      TimeSource time,
      long owner,
      ShardEpoch epoch,
      Supplier<Duration> closeTimeout,
      Archiver.Files files) {}

  /**
   * Deletes what a process that was killed has left of a base image, and begins to archive. Before
   * the journal drops segments: it keeps those that are not archived yet.
   *
   * @param options where and how; null for no archive
   * @param source what is archived
   * @param parts receives the archive
   * @param views receives it, too
   * @return the archive
   * @throws dev.holdfast.errors.DataDirectoryException if what was left cannot be deleted
   */
  public static JournalArchive start(
      @Nullable ArchiveOptions options,
      Source source,
      OpenedParts parts,
      List<? super JournalView> views) {
    Archiver.Files files = source.files();
    Archiver.deleteLeftovers(files.directory());
    if (options == null) {
      return JournalArchive.NONE;
    }
    Archiver archiver =
        parts.add(
            new Archiver(
                options,
                new Archiver.Host(
                    source.journal(),
                    source.time(),
                    source.owner(),
                    source.epoch(),
                    StartedArchive::hostName,
                    source.closeTimeout(),
                    files)));
    views.add(archiver);
    archiver.start();
    return archiver;
  }

  /**
   * {@return the first position that one of the views needs for its history}
   *
   * @param views the views, not changed afterwards
   */
  public static LongSupplier historyFloor(List<? extends JournalView> views) {
    return () -> views.stream().mapToLong(JournalView::historyFloor).min().orElse(Long.MAX_VALUE);
  }

  /** {@return the name of this machine and the process, for people} */
  private static String hostName() {
    String process = "process " + ProcessHandle.current().pid();
    try {
      return InetAddress.getLocalHost().getHostName() + ", " + process;
    } catch (UnknownHostException e) {
      return "a machine without a name, " + process;
    }
  }
}
