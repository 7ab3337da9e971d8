package dev.holdfast.verify.sqlite;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.catalog.CatalogSurvey;
import dev.holdfast.backend.sqlite.file.FileRefusedException;
import dev.holdfast.backend.sqlite.file.Marks;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.spi.verify.FindingKind;
import dev.holdfast.spi.verify.Severity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Opens a copy of the catalog if it is whole and belongs to the journal. Used by one thread. */
final class CatalogAcceptance {

  private static final String ONE_COPY = "Restore the whole data directory from one backup.";

  private final Disk disk;
  private final Path file;
  private final Marks marks;
  private final Path scratch;
  private final Consumer<Finding> findings;
  private long readBytes;

  /**
   * @param file the file of the catalog
   * @param marks those of the journal
   * @param scratch for the copy
   */
  CatalogAcceptance(Disk disk, Path file, Marks marks, Path scratch, Consumer<Finding> findings) {
    this.disk = disk;
    this.file = file;
    this.marks = marks;
    this.scratch = scratch;
    this.findings = findings;
  }

  /** {@return how many bytes of the file were read} */
  long readBytes() {
    return readBytes;
  }

  /**
   * {@return the open copy; null if the catalog cannot be used, which was reported}
   *
   * @param hasObjects whether there are files of objects
   */
  @Nullable CatalogSurvey open(boolean hasObjects) throws IOException {
    CatalogSurvey.Found found = CatalogSurvey.find(disk, file, marks);
    boolean wasSaved = !marks.belongs(0, 0) || !marks.states().isEmpty();
    if (found == CatalogSurvey.Found.NOTHING && (hasObjects || wasSaved)) {
      findings.accept(
          new Finding(
              Severity.ERROR,
              FindingKind.CATALOG_MISSING,
              file,
              0,
              null,
              "The catalog is missing or empty, and there "
                  + (hasObjects ? "are objects." : "were objects: their files are missing too."),
              hasObjects
                  ? "The names of objects that do not write again, and what binds the objects'"
                      + " files to the journal."
                  : "All objects in SQLite.",
              hasObjects
                  ? "Restore a backup, or run ./holdfast repair: it rebuilds the catalog from the"
                      + " objects."
                  : ONE_COPY));
      return null;
    }
    if (found == CatalogSurvey.Found.NO_DATABASE) {
      report(FindingKind.CATALOG_DAMAGED, "The file is not a SQLite database.");
      return null;
    }
    try {
      if (found == CatalogSurvey.Found.CATALOG) {
        CatalogSurvey.checkPages(disk, file, marks);
        readBytes += Files.size(file);
      }
      CatalogSurvey opened =
          CatalogSurvey.open(disk, found == CatalogSurvey.Found.CATALOG ? file : null, scratch);
      boolean isAccepted = false;
      try {
        isAccepted = accept(opened);
        return isAccepted ? opened : null;
      } finally {
        if (!isAccepted) {
          opened.close();
        }
      }
    } catch (FileRefusedException e) {
      report(FindingKind.CATALOG_DAMAGED, "The file " + e.getMessage() + ".");
    } catch (SqliteException e) {
      report(FindingKind.CATALOG_DAMAGED, "SQLite cannot read it: " + e.getMessage() + ".");
    }
    return null;
  }

  private boolean accept(CatalogSurvey opened) throws SqliteException {
    List<String> wrong = opened.inconsistencies();
    if (!wrong.isEmpty()) {
      report(
          FindingKind.CATALOG_DAMAGED,
          "The catalog is inconsistent: " + String.join("; ", wrong) + ".");
      return false;
    }
    if (!opened.belongs(marks)) {
      findings.accept(
          new Finding(
              Severity.ERROR,
              FindingKind.CATALOG_FOREIGN,
              file,
              0,
              null,
              "The journal does not have the mark of the catalog: one of them is an older copy, or"
                  + " of another directory.",
              "Which of the two is newer is not known.",
              ONE_COPY));
      return false;
    }
    return true;
  }

  /** Reports a catalog that cannot be used. */
  void report(FindingKind kind, String meaning) {
    findings.accept(
        new Finding(
            Severity.ERROR,
            kind,
            file,
            0,
            null,
            meaning,
            "The names of objects that do not write again, and what binds the objects' files to the"
                + " journal.",
            "Restore a backup, or run ./holdfast repair: it rebuilds the catalog from the"
                + " objects."));
  }
}
