package dev.holdfast.backend.sqlite.catalog;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.file.FileRefusedException;
import dev.holdfast.backend.sqlite.file.Marks;
import dev.holdfast.errors.DataDirectoryException;
import java.nio.file.Path;

/**
 * Creates the errors of the catalog: what is wrong, and what to do.
 *
 * @param file its database
 */
record CatalogErrors(Path file) {

  private static final int SQLITE_CORRUPT = 11;
  private static final int SQLITE_NOTADB = 26;

  static final String ADVICE =
      ". The file is damaged. Close the runtime, move this file and its -wal away, and open the"
          + " runtime again: it rebuilds the catalog from the objects. The name of an object is"
          + " listed again after its next write.";

  /** {@return the error for a catalog that does not belong to the journal} */
  DataDirectoryException foreign(Marks marks) {
    return new DataDirectoryException(
        file,
        marks.isEmpty()
            ? "The catalog of the objects is newer than the journal, or belongs to another one:"
                + " journal/ was restored from an older copy, or belongs to another directory."
                + " Restore the whole data directory from one copy"
            : "The catalog of the objects is older than the journal, or belongs to another one:"
                + " it was restored from an older copy, and perhaps the files of the objects too."
                + " Restore the whole data directory from one copy",
        null);
  }

  /** {@return the error for a directory in which only the journal is left} */
  DataDirectoryException removed() {
    return new DataDirectoryException(
        file,
        "The journal records objects, but the catalog and all files of objects are missing:"
            + " they were removed. Restore the whole data directory from one copy",
        null);
  }

  /** {@return the error for an operation that failed} */
  DataDirectoryException failed(String doing, Exception e) {
    return new DataDirectoryException(
        file,
        "The catalog of objects and alarms cannot be "
            + doing
            + ": "
            + (e instanceof FileRefusedException ? "the file " : "")
            + e.getMessage()
            + (isDamage(e) ? ADVICE : ""),
        e);
  }

  private static boolean isDamage(Exception e) {
    return e instanceof FileRefusedException
        || (e instanceof SqliteException damage
            && (damage.primaryCode() == SQLITE_CORRUPT || damage.primaryCode() == SQLITE_NOTADB));
  }
}
