package dev.holdfast.embedded.parts;

import dev.holdfast.TimeSource;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.ArchiveProvider;
import dev.holdfast.journal.JournalTail;
import dev.holdfast.journal.ShardEpoch;
import dev.holdfast.spi.JournalArchive;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Function;
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
      ArchiveProvider.Files files) {}

  /**
   * {@return what makes the archive of a journal; null without options} Called before anything is
   * changed, because it refuses a missing dependency.
   *
   * @param options where and how; null for no archive
   * @throws ArchiveException if no dependency of the application makes archives
   */
  public static @Nullable Function<ArchiveProvider.Host, ArchiveProvider.Running> starter(
      @Nullable ArchiveOptions options) {
    if (options == null) {
      return null;
    }
    ArchiveProvider provider = provider();
    return journal -> provider.start(options, journal);
  }

  /**
   * Deletes what a process that was killed has left of a base image, and begins to archive. Before
   * the journal drops segments: it keeps those that are not archived yet.
   *
   * @param starter makes the archive; null for none
   * @param source what is archived
   * @param parts receives the archive
   * @param views receives it, too
   * @return the archive
   * @throws dev.holdfast.errors.DataDirectoryException if what was left cannot be deleted
   */
  public static JournalArchive start(
      @Nullable Function<ArchiveProvider.Host, ArchiveProvider.Running> starter,
      Source source,
      OpenedParts parts,
      List<? super JournalView> views) {
    ArchiveProvider.Files files = source.files();
    deleteLeftovers(files.directory());
    if (starter == null) {
      return JournalArchive.NONE;
    }
    ArchiveProvider.Running archive =
        parts.add(
            starter.apply(
                new ArchiveProvider.Host(
                    source.journal(),
                    source.time(),
                    source.owner(),
                    source.epoch(),
                    StartedArchive::hostName,
                    source.closeTimeout(),
                    files)));
    views.add(archive);
    return archive;
  }

  /**
   * Deletes what a runtime that was killed has left of a base image.
   *
   * @param data the data directory
   * @throws DataDirectoryException if it cannot be deleted
   */
  public static void deleteLeftovers(Path data) {
    Path left = data.resolve(ArchiveProvider.BASE_DIRECTORY);
    try {
      if (Files.exists(left)) {
        FileTree.delete(new FileDisk(), left);
      }
    } catch (IOException e) {
      throw new DataDirectoryException(
          data, "What is left of a base image cannot be deleted; check the disk", e);
    }
  }

  /**
   * {@return what makes archives, with the loader of Holdfast}
   *
   * @throws ArchiveException if it is not among the dependencies of the application
   */
  public static ArchiveProvider provider() {
    return ServiceLoader.load(ArchiveProvider.class, StartedArchive.class.getClassLoader())
        .findFirst()
        .orElseThrow(
            () ->
                new ArchiveException(
                    "No dependency of the application has archives. Add"
                        + " dev.holdfast:holdfast-archive, in the version of Holdfast, or open the"
                        + " runtime without an archive; nothing was changed",
                    null));
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
