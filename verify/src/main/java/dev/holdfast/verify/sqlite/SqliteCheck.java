package dev.holdfast.verify.sqlite;

import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.verify.Finding;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Checks the objects' files and the catalog of a data directory that no runtime has open. Changes
 * nothing. {@code docs/formats/sqlite-files.md} and {@code docs/formats/catalog.md} state what is
 * checked.
 */
public final class SqliteCheck {

  private SqliteCheck() {}

  /**
   * What to check.
   *
   * @param disk where it is
   * @param directory the directory {@code sqlite/}; may be missing
   * @param records those of the journal
   * @param isWhole whether the records are all that recovery needs; if not, objects that have
   *     written since they were saved are not checked
   */
  public record Source(Disk disk, Path directory, RecoveryLog records, boolean isWhole) {

    DirectoryCheck.Source ofView() {
      return new DirectoryCheck.Source(disk, SqliteBackend.VIEW_ID, directory, records, isWhole);
    }
  }

  /**
   * How much was checked.
   *
   * @param objects how many objects
   * @param readBytes how many bytes of their files and the catalog
   * @param lastBatches for each object that was saved, the last batch in its file
   */
  public record Result(long objects, long readBytes, Map<ObjectKey, Long> lastBatches) {}

  /**
   * Checks the files.
   *
   * @param source what to check
   * @param scratch an empty directory for copies; deleted by its owner
   * @param isDeep whether the journal is replayed and compared with the files, page by page
   * @param findings receives what is wrong
   * @return how much was checked
   * @throws IOException if a directory cannot be read or the scratch directory not be written
   */
  public static Result run(Source source, Path scratch, boolean isDeep, Consumer<Finding> findings)
      throws IOException {
    DirectoryCheck check = new DirectoryCheck(source.ofView(), scratch, isDeep, findings);
    check.run();
    return new Result(check.objects(), check.readBytes(), check.lastBatches());
  }
}
