package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.SpareLogs;
import dev.holdfast.backend.sqlite.wal.CommitLog;
import dev.holdfast.backend.sqlite.wal.MemoryPages;
import dev.holdfast.backend.sqlite.wal.WalFile;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How a database is open: a connection, and what its commits have written that the file does not
 * have. A database that is opened again has another form. Confined to the holder of the {@link
 * OpenDatabase}.
 */
sealed interface DatabaseForm {

  /**
   * Where the database is.
   *
   * @param library opens it
   * @param files has its file
   * @param file the file; it may not exist
   */
  record Place(SqliteLibrary library, ObjectFiles files, Path file) {}

  ObjectConnection connection();

  CommitLog log();

  /** {@return whether {@link OpenDatabase#trim} is due} */
  boolean isTrimDue(int frames);

  /** Records that the object must have a file, also if nothing was written to it. */
  default void needFile() {} // most have one

  /** Copies what was committed into the file, without a sync. */
  void copy() throws IOException, SqliteException;

  /** Records that all was copied, if the log does not know by itself. */
  default void copied() {}

  /** {@return the database as of the last accepted commit; the connection is abandoned} */
  DatabaseForm reverted() throws IOException, SqliteException;

  /** {@return the database after work on its file, which is not open meanwhile} */
  DatabaseForm rewritten(OpenDatabase.FileWork work) throws IOException, SqliteException;

  /** Closes it; everything was copied. */
  void close() throws IOException, SqliteException;

  /** Closes it and leaves file and log as they are. */
  default void abandon() throws IOException, SqliteException {
    try {
      log().close();
    } finally {
      connection().abandon();
    }
  }

  /**
   * A file with a log.
   *
   * @param lentLog null if SQLite has created the log itself
   */
  record InFile(
      Place place, ObjectConnection connection, WalFile log, SpareLogs.@Nullable Lent lentLog)
      implements DatabaseForm {

    static InFile open(Place place) throws IOException, SqliteException {
      SpareLogs.Lent lent = place.files().prepareLog(place.file());
      InFile opened = null;
      try {
        opened = connect(place, new WalFile(ObjectFiles.wal(place.file())), lent);
        return opened;
      } finally {
        if (opened == null && lent != null) {
          lent.giveBack();
        }
      }
    }

    private static InFile connect(Place place, WalFile log, SpareLogs.@Nullable Lent lent)
        throws SqliteException {
      return new InFile(place, ObjectConnection.open(place.library(), place.file()), log, lent);
    }

    @Override
    public boolean isTrimDue(int frames) {
      return log.hasUncopiedFrames(frames);
    }

    @Override
    public void copy() throws SqliteException {
      log.copying();
      connection.copyWal();
    }

    @Override
    public void copied() {
      log.allCopied();
    }

    @Override
    public DatabaseForm reverted() throws IOException, SqliteException {
      connection.abandon();
      log.cutToAccepted();
      return connect(place, log, lentLog);
    }

    @Override
    public DatabaseForm rewritten(OpenDatabase.FileWork work) throws IOException, SqliteException {
      log.forget();
      connection.close();
      work.run();
      return connect(place, log, lentLog);
    }

    @Override
    public void close() throws IOException, SqliteException {
      try {
        log.close();
      } finally {
        connection.close();
      }
      if (lentLog != null) {
        lentLog.giveBack();
      }
    }
  }

  /** A small database in memory; its file may not exist yet. */
  record InMemory(Place place, ObjectConnection connection, MemoryPages log)
      implements DatabaseForm {

    /**
     * @param image the database, in the format of the file
     * @param bytesMax up to which size it stays in memory
     * @param isNew whether it has no file
     */
    static InMemory open(Place place, byte[] image, int bytesMax, boolean isNew)
        throws SqliteException {
      ObjectConnection connection = connect(place, image);
      return new InMemory(
          place,
          connection,
          new MemoryPages(image, bytesMax, isNew, connection.connectionOfImage()));
    }

    private static ObjectConnection connect(Place place, byte[] image) throws SqliteException {
      return ObjectConnection.openInMemory(place.library(), MemoryPages.forMemory(image));
    }

    @Override
    public boolean isTrimDue(int frames) {
      return log.isTooLarge();
    }

    @Override
    public void needFile() {
      log.needFile();
    }

    @Override
    public void copy() throws IOException {
      log.copyInto(place.files(), place.file());
    }

    /** {@return the database as a file} The caller closes the connection of this form. */
    InFile asFile() throws IOException, SqliteException {
      needFile();
      copy();
      return InFile.open(place);
    }

    @Override
    public DatabaseForm reverted() throws SqliteException {
      connection.abandon();
      ObjectConnection opened = connect(place, log.accepted());
      log.reopened(opened.connectionOfImage());
      return new InMemory(place, opened, log);
    }

    @Override
    public DatabaseForm rewritten(OpenDatabase.FileWork work) {
      throw new IllegalStateException("The database of " + place.file() + " is in memory.");
    }

    @Override
    public void close() throws SqliteException {
      boolean isTooLarge = log.isTooLarge();
      log.close();
      if (isTooLarge) {
        connection.close();
      } else {
        connection.closeForOthers();
      }
    }
  }
}
