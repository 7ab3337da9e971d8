package dev.holdfast.backend.sqlite.database;

import dev.holdfast.SqlException;
import dev.holdfast.backend.sqlite.binding.SqliteCodes;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.file.FileRefusedException;
import dev.holdfast.backend.sqlite.wal.BatchTooLargeException;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import dev.holdfast.errors.CommitRefusedException;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.spi.ObjectKey;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Creates the errors of one object.
 *
 * @param key the object
 * @param file its database file
 */
public record ObjectErrors(ObjectKey key, Path file) {

  private static final int SQLITE_ERROR = 1;
  private static final int SQLITE_NOMEM = 7;
  private static final int SQLITE_READONLY = 8;
  private static final int SQLITE_INTERRUPT = 9;
  private static final int SQLITE_IOERR = 10;
  private static final int SQLITE_CORRUPT = 11;
  private static final int SQLITE_FULL = 13;
  private static final int SQLITE_CANTOPEN = 14;
  private static final int SQLITE_CONSTRAINT = 19;
  private static final int SQLITE_NOTADB = 26;

  /**
   * {@return whether the transaction may be gone or the file is in doubt, so that only a reset of
   * the object helps}
   */
  public static boolean isCritical(SqliteException e) {
    return switch (e.primaryCode()) {
      case SQLITE_NOMEM,
          SQLITE_READONLY,
          SQLITE_IOERR,
          SQLITE_CORRUPT,
          SQLITE_FULL,
          SQLITE_CANTOPEN,
          SQLITE_NOTADB ->
          true;
      default -> false;
    };
  }

  /**
   * {@return whether the statement was stopped; a statement that writes has rolled back its
   * transaction}
   */
  public static boolean isInterrupt(SqliteException e) {
    return e.primaryCode() == SQLITE_INTERRUPT;
  }

  public static boolean isConstraint(SqliteException e) {
    return e.primaryCode() == SQLITE_CONSTRAINT;
  }

  /** {@return the error with the text of the reference runtime} */
  public static String text(SqliteException e) {
    String primary = SqliteCodes.name(e.primaryCode(), e.codeName());
    String extended = primary.equals(e.codeName()) ? "" : " (extended: " + e.codeName() + ")";
    return e.text() + ": " + primary + extended;
  }

  public SqlException sql(SqliteException e) {
    return new SqlException(key.namespace(), key.id(), SqlAdvice.after(text(e)), e.resultCode(), e);
  }

  public SqlException sql(SqlRefusedException e) {
    return new SqlException(
        key.namespace(), key.id(), SqlAdvice.after(e.text()), e.resultCode(), e);
  }

  public SqlException sql(String message) {
    return sql(message, SQLITE_ERROR);
  }

  public SqlException sql(String message, Throwable cause) {
    int code = cause instanceof SqlException known ? known.resultCode() : SQLITE_ERROR;
    return new SqlException(key.namespace(), key.id(), message, code, cause);
  }

  public SqlException sql(String message, int resultCode) {
    return new SqlException(key.namespace(), key.id(), message, resultCode, null);
  }

  public CommitRefusedException constraintsViolated(SqliteException e) {
    return new CommitRefusedException(
        key.namespace(),
        key.id(),
        "Durable Object was reset and rolled back to its last known good state because the"
            + " application left the database in a state where constraints were violated: "
            + text(e)
            + ". The same call fails again: write what its deferred foreign keys refer to before"
            + " the turn ends",
        e);
  }

  public CommitRefusedException tooLarge(BatchTooLargeException e) {
    return new CommitRefusedException(
        key.namespace(), key.id(), e.getMessage() + "; nothing was stored [" + file + "]", e);
  }

  public StorageFailedException sqliteFailed(String doing, SqliteException e) {
    IOException unreadable = isDamage(e) ? readError() : null;
    if (unreadable != null) {
      unreadable.addSuppressed(e);
      return storage(
          doing
              + " failed: the file cannot be read: "
              + unreadable.getMessage()
              + "; check the disk",
          unreadable);
    }
    return storage(doing + " failed: " + text(e) + "; " + advice(e), e);
  }

  StorageFailedException refused(FileRefusedException e) {
    return storage("The object cannot be used: " + reason(e), e);
  }

  /** {@return why a file is refused, and what to do} */
  public static String reason(FileRefusedException e) {
    return "its database file "
        + e.getMessage()
        + ". The journal does not have all of it: restore the file from a copy of the data"
        + " directory that was made after that; nothing was changed";
  }

  public StorageFailedException storage(String message, @Nullable Throwable cause) {
    return new StorageFailedException(
        key.namespace(), key.id(), message + " [" + file + "]", cause);
  }

  private static boolean isDamage(SqliteException e) {
    return e.primaryCode() == SQLITE_CORRUPT || e.primaryCode() == SQLITE_NOTADB;
  }

  /**
   * {@return why the file cannot be read; null if it can} SQLite reports some read errors as
   * damage.
   */
  private @Nullable IOException readError() {
    byte[] buffer = new byte[1 << 16];
    try (InputStream in = Files.newInputStream(file)) {
      while (in.read(buffer) >= 0) {
        // Only whether it can be read matters.
      }
      return null;
    } catch (NoSuchFileException e) {
      return null; // the database is in memory
    } catch (IOException e) {
      return e;
    }
  }

  private static String advice(SqliteException e) {
    return switch (e.primaryCode()) {
      case SQLITE_FULL ->
          "make room on the disk, or see SqlLimits.databaseBytesMax if the object has reached it,"
              + " then call the object again";
      case SQLITE_INTERRUPT -> "bound what the statement does, then call the object again";
      case SQLITE_NOMEM ->
          "shorten the statement, and generated columns that name one another, or give the process"
              + " more memory";
      case SQLITE_CORRUPT, SQLITE_NOTADB ->
          "the file is damaged: restore it from a copy of the data directory";
      default -> "check the disk, then call the object again";
    };
  }
}
