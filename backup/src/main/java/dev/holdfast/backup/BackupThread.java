package dev.holdfast.backup;

import dev.holdfast.HoldfastException;
import dev.holdfast.recovery.Backup;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The thread of a backup: it blocks for long, and an interrupt of the caller must not end it. */
public final class BackupThread {

  private final Work work;

  // Read after the end of the thread.
  private @Nullable Backup backup;
  private @Nullable Throwable failure;

  private BackupThread(Work work) {
    this.work = work;
  }

  /** What the thread does. */
  @FunctionalInterface
  public interface Work {

    /**
     * Makes the backup.
     *
     * @return the backup
     * @throws IOException if a file cannot be read or written
     */
    Backup run() throws IOException;
  }

  /**
   * Makes a backup on a thread, and waits for its end. An interrupt of the caller stays set.
   *
   * @param target the directory of the backup
   * @param work makes it
   * @return the backup
   * @throws HoldfastException as the work throws it; a {@link dev.holdfast.errors.BackupException}
   *     for every other exception
   */
  public static Backup run(Path target, Work work) {
    BackupThread made = new BackupThread(work);
    awaitEnd(Thread.ofPlatform().daemon().name("holdfast-backup").start(made::make));
    return made.get(target);
  }

  private void make() {
    try {
      backup = work.run();
    } catch (Throwable e) {
      failure = e; // every one of them is thrown to the caller
    }
  }

  private Backup get(Path target) {
    Backup made = backup;
    if (made != null) {
      return made;
    }
    switch (failure) {
      case HoldfastException e -> throw e;
      case Error e -> throw e;
      case null, default -> throw BackupDirectory.failure(target, failure);
    }
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
}
