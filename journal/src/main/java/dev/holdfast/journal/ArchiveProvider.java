package dev.holdfast.journal;

import dev.holdfast.TimeSource;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archive.RestoreProgress;
import dev.holdfast.archive.RestoreResult;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.spi.JournalArchive;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.backup.BackupTarget;
import dev.holdfast.spi.backup.ViewImage;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Archives journals, and restores data directories from archives. A runtime that needs it finds it
 * with {@link java.util.ServiceLoader} among the dependencies of the application.
 */
public interface ArchiveProvider {

  /** Where an archive keeps what it makes of the files, in the data directory. */
  String BASE_DIRECTORY = "archive.base";

  /**
   * Begins to archive a journal, which keeps what is not archived yet.
   *
   * @param options where and how
   * @param host what the archive needs
   * @return the archive, also a view of the journal
   */
  Running start(ArchiveOptions options, Host host);

  /**
   * Prepares restores.
   *
   * @param store the archive; not closed
   * @param disk where directories are written
   * @param nowMillis the time, milliseconds since 1970
   * @param random random numbers
   * @return the restores
   */
  Restore restore(ArchiveStore store, Disk disk, long nowMillis, LongSupplier random);

  /** An archive of a journal in use. */
  interface Running extends JournalArchive, JournalView {}

  /** Restores of one archive. Confined to one thread. */
  interface Restore {

    /**
     * Restores into a new directory.
     *
     * @param to the directory; missing or empty
     * @param moment the moment
     * @param selection the objects; null for all
     * @param progress what is done
     * @return what was restored
     * @throws dev.holdfast.errors.ArchiveException if the archive cannot be read, is damaged, or
     *     does not cover the moment; there is no directory
     * @throws dev.holdfast.errors.DataDirectoryException if the directory cannot be written, or is
     *     not empty
     * @throws dev.holdfast.DirectoryInUseException if another restore writes it
     */
    RestoreResult run(
        Path to,
        RestoreTarget moment,
        @Nullable Predicate<ObjectKey> selection,
        RestoreProgress progress);

    /**
     * Returns whether the archive leads to a moment from the first record of the journal on.
     * Otherwise only everything can be restored: an image has the files of all objects.
     *
     * @param moment the moment
     * @return whether some objects can be restored
     * @throws dev.holdfast.errors.ArchiveException if the archive cannot be read
     */
    boolean hasFirstRecord(RestoreTarget moment);
  }

  /**
   * What an archive needs of its runtime.
   *
   * @param journal reads the journal; used by the archive alone
   * @param time the clock
   * @param owner a random number, unique to the runtime
   * @param epoch the ownership of a shard; {@link ShardEpoch#NONE} for none
   * @param host the name of the machine, for people; may take time
   * @param closeTimeout how long the close waits for the store, asked when it begins; of a shard,
   *     zero if another owner goes on with what is not archived
   * @param files what base images are made of
   */
  record Host(
      JournalTail journal,
      TimeSource time,
      long owner,
      ShardEpoch epoch,
      Supplier<String> host,
      Supplier<Duration> closeTimeout,
      Files files) {}

  /**
   * The files of the runtime.
   *
   * @param disk has them
   * @param directory the data directory
   * @param images copies the files of the views
   * @param historyFloor the first position that a view needs for its history; thread-safe
   * @param settle completes with a position before which nothing needs the journal; thread-safe
   */
  record Files(
      Disk disk,
      Path directory,
      Images images,
      LongSupplier historyFloor,
      Supplier<CompletableFuture<Long>> settle) {}

  /** Copies the files of the views. Thread-safe. */
  @FunctionalInterface
  interface Images {

    /**
     * Copies the files.
     *
     * @param target receives them
     * @param pinned called once, while the journal still has all records that the image needs
     * @throws IOException if a file cannot be copied
     */
    void copy(BackupTarget target, Consumer<ViewImage> pinned) throws IOException;
  }
}
