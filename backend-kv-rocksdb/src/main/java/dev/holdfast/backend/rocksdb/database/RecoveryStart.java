package dev.holdfast.backend.rocksdb.database;

import dev.holdfast.backend.rocksdb.batch.Batch;
import dev.holdfast.backend.rocksdb.file.FlushedMark;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.RecoveryLog;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;

/**
 * Determines the record from which a database is brought up to date, or refuses the database: a
 * database that was removed, is an older copy, or belongs to another journal does not have the
 * current state of the objects.
 *
 * <p>The journal's low-water mark is never above the position after the flushed mark. So a database
 * whose <em>applied</em> is lower than both has lost data. A database that reaches them is complete
 * together with the records from the low-water mark on.
 *
 * <p>Used by the thread that opens the database.
 */
public final class RecoveryStart {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final Path directory;
  private final FlushedMark mark;
  private final RecoveryLog log;

  public RecoveryStart(Path directory, FlushedMark mark, RecoveryLog log) {
    this.directory = directory;
    this.mark = mark;
    this.log = log;
  }

  /**
   * Refuses to create an empty database if the journal cannot fill it.
   *
   * @throws DataDirectoryException if the journal cannot fill it
   */
  public void requireForEmpty() {
    boolean wasFlushed =
        mark.state() == FlushedMark.State.CURRENT || mark.state() == FlushedMark.State.OLD_FORMAT;
    if (wasFlushed && !isUsable(0)) {
      throw refusal(0);
    }
  }

  /** {@return whether a database that has every batch up to a position can be used} */
  public boolean isUsable(long appliedPosition) {
    return isComplete(appliedPosition) || reaches(appliedPosition);
  }

  /** {@return whether a database lacks only records from the low-water mark on} */
  private boolean isComplete(long appliedPosition) {
    return switch (mark.state()) {
      case CURRENT ->
          appliedPosition >= mark.position() && appliedPosition + 1 >= log.firstPosition();
      // The low-water mark may be higher than what the database had to have.
      case OLD_FORMAT -> appliedPosition >= mark.position();
      case ABSENT -> appliedPosition + 1 >= log.firstPosition();
      case GIVEN_UP -> false;
    };
  }

  /** {@return whether the journal still has every record after a position} */
  private boolean reaches(long appliedPosition) {
    return log.oldestPosition() <= appliedPosition + 1;
  }

  /**
   * {@return the position after which records are redone; the journal has all of them}
   *
   * @param found the database
   * @throws DataDirectoryException if the database must not be used
   */
  public long after(Database.Found found) {
    if (found.isNew() && mark.state() == FlushedMark.State.ABSENT) {
      return ofNewDatabase();
    }
    return ofDatabase(found);
  }

  /** {@return whether an operator gives up the data of objects in the database} */
  public boolean isGivenUp() {
    return mark.state() == FlushedMark.State.GIVEN_UP;
  }

  /**
   * Refuses a database or a mark that belongs to another data directory.
   *
   * @throws DataDirectoryException if one of them does
   */
  public void requireSameJournal(Database.Found found) {
    requireSameJournal("The RocksDB database", directory, found.journalId());
    if (mark.state() == FlushedMark.State.CURRENT && mark.file() != null) {
      requireSameJournal("The file", mark.file(), mark.journalId());
    }
  }

  private void requireSameJournal(String what, Path path, long journalId) {
    if (journalId != Database.Found.NO_JOURNAL && journalId != log.journalId()) {
      throw new DataDirectoryException(
          path,
          what
              + " belongs to another data directory: its journal has the id "
              + Long.toHexString(journalId)
              + ", the journal here has "
              + Long.toHexString(log.journalId())
              + ". Restore the whole data directory from one copy",
          null);
    }
  }

  /**
   * Refuses to give up a database that is there.
   *
   * @throws DataDirectoryException if it is
   */
  public void requireGivenUp(Database.Found found) {
    if (!found.isNew()) {
      throw new DataDirectoryException(
          directory,
          mark.file()
              + " gives the RocksDB database up, but the database exists. Remove the directory",
          null);
    }
    LOG.log(
        Level.WARNING,
        "The data of objects in the RocksDB database in {0} is given up, as {1} requests",
        directory,
        mark.file());
  }

  /**
   * Refuses to go on while the mark still gives the database up: the next opening would give up
   * what is written from now on.
   *
   * @throws DataDirectoryException if it does, because the new database could not be flushed
   */
  public void requireMarked() {
    if (isGivenUp()) {
      throw new DataDirectoryException(
          directory,
          "The RocksDB database is given up, and the one in its place cannot be made durable. Check"
              + " the disk, remove the directory and open again",
          null);
    }
  }

  /** RocksDB was never used here, or the database and its mark were removed. */
  private long ofNewDatabase() {
    if (log.firstPosition() == 1) {
      return 0; // a first run that ended before a flush
    }
    boolean[] wasUsed = new boolean[1];
    log.forEachFrom(
        log.oldestPosition(), (viewId, _) -> viewId == Batch.VIEW_ID, _ -> wasUsed[0] = true);
    if (!wasUsed[0]) {
      return log.firstPosition() - 1;
    }
    if (log.oldestPosition() > 1) {
      throw refusal(0);
    }
    warn("was removed", 0);
    return 0;
  }

  private long ofDatabase(Database.Found found) {
    long applied = found.appliedPosition();
    boolean isOld =
        mark.state() == FlushedMark.State.OLD_FORMAT
            || (mark.state() == FlushedMark.State.ABSENT
                && found.journalId() == Database.Found.NO_JOURNAL);
    if (isComplete(applied)) {
      if (mark.state() == FlushedMark.State.ABSENT && !isOld) {
        LOG.log(
            Level.WARNING,
            "{0} is missing and written again: the journal shows that the RocksDB database lacks"
                + " nothing",
            mark.file());
      }
      return Math.max(applied, log.firstPosition() - 1);
    }
    if (reaches(applied)) {
      warn(found.isNew() ? "was removed" : "is an older copy", applied);
      return applied;
    }
    if (isOld && applied >= mark.position()) {
      return log.firstPosition() - 1; // by the rules of the version that wrote it
    }
    throw refusal(applied);
  }

  private void warn(String what, long applied) {
    LOG.log(
        Level.WARNING,
        "The RocksDB database in {0} {1}: it has changes up to journal position {2}; the later ones"
            + " are read from the journal, which has all of them",
        directory,
        what,
        Long.toString(applied));
  }

  private DataDirectoryException refusal(long applied) {
    return new DataDirectoryException(
        directory,
        "The RocksDB database was removed, or is an older copy: it holds changes up to journal"
            + " position "
            + applied
            + ", but had them up to "
            + Math.max(mark.position(), log.firstPosition() - 1)
            + ", and the journal keeps records from "
            + log.oldestPosition()
            + " on only. Restore the whole data directory from one copy. To give up the data of"
            + " the objects in RocksDB, remove the directory and write \""
            + FlushedMark.GIVE_UP
            + "\" into the file "
            + mark.file(),
        null);
  }
}
