package dev.holdfast.embedded.parts;

import dev.holdfast.TimeSource;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;

/**
 * What a directory has whose journal other nodes write too, and which no process has open: it is
 * read as on a single machine. Confined to one thread.
 */
public interface StoppedShard {

  /** Makes a file of a directory appear in another one. */
  @FunctionalInterface
  interface Transfer {

    /**
     * Makes the file appear.
     *
     * @param to its new name
     * @param from its name
     * @throws IOException if that is not possible
     */
    void run(Path to, Path from) throws IOException;
  }

  /**
   * Fills the directory of a journal.
   *
   * @param journal the directory, which is empty
   * @param transfer makes files appear that never change
   * @throws IOException if a file cannot be read or written
   */
  void copyJournal(Path journal, Transfer transfer) throws IOException;

  /**
   * Reads the journal that {@link #copyJournal} has made.
   *
   * @param disk where it is
   * @param journal its directory
   * @param lastPosition its last record
   * @param time the clock
   * @return the records
   * @throws dev.holdfast.errors.DataDirectoryException if the directory cannot be read
   */
  OwnRecords own(Disk disk, Path journal, long lastPosition, TimeSource time);

  /**
   * The records as the files of this node need them.
   *
   * @param log the records that the files may lack
   * @param history the past of the objects
   */
  record OwnRecords(RecoveryLog log, JournalHistory history) {}
}
