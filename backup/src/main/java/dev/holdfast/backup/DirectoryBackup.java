package dev.holdfast.backup;

import dev.holdfast.TimeSource;
import dev.holdfast.errors.BackupException;
import dev.holdfast.recovery.Backup;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.backup.BackupTarget;
import dev.holdfast.spi.backup.FilesCopy;
import dev.holdfast.spi.backup.JournalCopy;
import dev.holdfast.spi.backup.OnlineBackup;
import dev.holdfast.spi.backup.ViewImage;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Backups of a data directory in use into other directories.
 *
 * <p>{@link DirectoryImage} has the order of the steps; turns and commits never wait ({@code
 * docs/records/smaller-decisions.md, 29}).
 *
 * <p>Thread-safe.
 */
public final class DirectoryBackup implements OnlineBackup {

  private final Host host;
  private final DirectoryImage image;

  /** Held while a backup is made. */
  private final ReentrantLock running = new ReentrantLock();

  private volatile boolean closed;

  /**
   * What is copied, and how.
   *
   * @param directory the data directory
   * @param disk has it and the targets
   * @param journal the journal of the directory
   * @param journalFiles begins a copy of the files of the journal
   * @param backends the views with files, not changed afterwards
   * @param time the clock of the runtime
   */
  public record Host(
      Path directory,
      Disk disk,
      Journal journal,
      Function<BackupTarget, JournalCopy> journalFiles,
      Collection<? extends StorageBackend> backends,
      TimeSource time) {}

  /**
   * Creates it; touches no file.
   *
   * @param host what is copied
   */
  public DirectoryBackup(Host host) {
    this.host = host;
    this.image =
        new DirectoryImage(
            host.journalFiles(),
            host.backends().stream()
                .<Function<BackupTarget, FilesCopy>>map(each -> each::beginCopy)
                .toList(),
            host.journal()::durablePosition,
            () -> Instant.ofEpochMilli(host.time().wallMillis()));
  }

  @Override
  public Backup backup(Path target) {
    Path directory = target.toAbsolutePath().normalize();
    BackupDirectory.requireApart(host.directory(), directory);
    return BackupThread.run(directory, () -> backupNow(directory));
  }

  private Backup backupNow(Path directory) throws IOException {
    running.lock();
    try {
      host.journal().awaitDurable(host.journal().lastPosition());
      try (DirectoryTarget target =
          new DirectoryTarget(new BackupDirectory(host.disk(), directory), this::requireOpen)) {
        return target.complete(directory, image.copy(target));
      }
    } finally {
      running.unlock();
    }
  }

  /**
   * Copies the files of all views as of one position, and not the journal. Waits for a backup that
   * is being made, and blocks as long as the copy takes.
   *
   * @param target receives the files
   * @param pinned called once after the last file, while the journal still keeps all records from
   *     the low-water mark of the image on
   * @throws IOException if a file cannot be copied
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed or is closed
   */
  public void copyImage(BackupTarget target, Consumer<ViewImage> pinned) throws IOException {
    running.lock();
    try {
      requireOpen(); // nothing is copied after the close, which waits for this lock
      image.copyViews(new OpenTarget(target), pinned);
    } finally {
      running.unlock();
    }
  }

  /** Ends a copy at its next file when the runtime is closed, which waits for it. */
  private final class OpenTarget implements BackupTarget {

    private final BackupTarget target;

    OpenTarget(BackupTarget target) {
      this.target = target;
    }

    @Override
    public boolean keep(String name, String version) throws IOException {
      requireOpen();
      return target.keep(name, version);
    }

    @Override
    public void put(Source source) throws IOException {
      requireOpen();
      target.put(source);
    }

    @Override
    public void put(String name, byte[] content) throws IOException {
      requireOpen();
      target.put(name, content);
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new BackupException(
          host.directory(),
          "The runtime was closed before the backup was complete; make it again, with the same"
              + " target, and it continues",
          null);
    }
  }

  @Override
  public void close() {
    closed = true; // the running backup ends at its next file
    running.lock();
    try {
      assert closed;
    } finally {
      running.unlock();
    }
  }
}
