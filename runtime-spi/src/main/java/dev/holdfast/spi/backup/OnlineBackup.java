package dev.holdfast.spi.backup;

import dev.holdfast.recovery.Backup;
import java.nio.file.Path;

/** Backups of the data directory of a runtime, as the engine uses them. Thread-safe. */
public interface OnlineBackup extends AutoCloseable {

  /**
   * Makes a backup, as {@link dev.holdfast.ObjectRuntime#backup} states.
   *
   * @param target the directory of the backup
   * @return the backup
   * @throws dev.holdfast.errors.BackupException if it cannot be made
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   */
  Backup backup(Path target);

  /** Interrupts the running backup and waits for its end; later ones are refused. */
  @Override
  void close();
}
