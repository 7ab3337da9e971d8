package dev.holdfast.backup;

import dev.holdfast.HoldfastException;
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
import org.jspecify.annotations.Nullable;

/**
 * Backups of a data directory in use into other directories.
 *
 * <p>{@link DirectoryImage} has the order of the steps; turns and commits never wait ({@code
 * docs/adr/0029}).
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
    Outcome outcome = new Outcome();
    // A thread of its own: it blocks for long, and an interrupt of the caller must not end it.
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .name("holdfast-backup")
            .start(() -> outcome.run(() -> backupNow(directory)));
    awaitEnd(thread);
    return outcome.get(directory);
  }

  /** The result of the thread; read after its end. */
  private static final class Outcome {

    private @Nullable Backup backup;
    private @Nullable Throwable failure;

    void run(Work work) {
      try {
        backup = work.run();
      } catch (Throwable e) {
        failure = e; // every one of them is thrown to the caller
      }
    }

    Backup get(Path directory) {
      Backup made = backup;
      if (made != null) {
        return made;
      }
      switch (failure) {
        case HoldfastException e -> throw e;
        case Error e -> throw e;
        case null, default -> throw BackupDirectory.failure(directory, failure);
      }
    }
  }

  /** What the thread does. */
  private interface Work {
    Backup run() throws IOException;
  }

  private static void awaitEnd(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
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
