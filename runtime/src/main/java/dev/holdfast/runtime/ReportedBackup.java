package dev.holdfast.runtime;

import dev.holdfast.errors.BackupException;
import dev.holdfast.recovery.Backup;
import dev.holdfast.runtime.internal.jfr.BackupEvent;
import dev.holdfast.runtime.internal.jfr.FlightRecording;
import dev.holdfast.runtime.internal.turn.EngineParts;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.backup.OnlineBackup;
import java.nio.file.Path;

/**
 * Backups whose ends are in the log and in flight recordings: schedules make them, and nobody reads
 * what they return. Thread-safe.
 *
 * @param backups makes them
 * @param parts have the log
 */
record ReportedBackup(OnlineBackup backups, EngineParts parts) {

  Backup backup(Path target) {
    BackupEvent event = FlightRecording.isPossible() ? BackupEvent.beginIfOn() : null;
    Backup backup;
    try {
      backup = backups.backup(target);
    } catch (BackupException e) {
      parts.report(LogEvent.BACKUP_FAILED, String.valueOf(e.getMessage()), e);
      throw e;
    }
    if (event != null) {
      event.end(backup);
    }
    parts.report(
        LogEvent.BACKUP_MADE,
        "A backup up to position "
            + backup.position()
            + " is in "
            + backup.directory()
            + ": "
            + backup.files()
            + " files, "
            + backup.bytesCopied()
            + " bytes copied, "
            + backup.bytesKept()
            + " kept.",
        null);
    return backup;
  }
}
