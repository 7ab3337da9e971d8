package dev.holdfast.verify.sqlite;

import dev.holdfast.spi.ObjectKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongUnaryOperator;

/**
 * Copies the files of all objects out of a directory whose journal is damaged. A new journal
 * accepts them: the catalog is missing then, and is rebuilt from the objects. Changes nothing in
 * the damaged directory.
 */
public final class SqliteSalvage {

  private SqliteSalvage() {}

  /**
   * What became of an object.
   *
   * @param isKept whether it has a file in the target; if not, its file is damaged or missing, and
   *     the batches before the damage do not lead to a whole one
   * @param position the position up to which it has all its batches; the largest long if it has all
   * @param lacking how many later batches are in the journal and cannot be applied, because records
   *     between them and the file cannot be read
   */
  public record Outcome(boolean isKept, long position, int lacking) {}

  /**
   * Copies the files.
   *
   * @param source the damaged directory, and all records that can be read
   * @param gapAfter returns the first position above its argument that cannot be read; the largest
   *     long if there is none
   * @param target the directory {@code sqlite/} of the result
   * @param scratch an empty directory; deleted by its owner
   * @return what became of each object
   * @throws IOException if a file cannot be copied
   */
  public static Map<ObjectKey, Outcome> run(
      SqliteCheck.Source source, LongUnaryOperator gapAfter, Path target, Path scratch)
      throws IOException {
    ObjectSalvage salvage = new ObjectSalvage(source.ofView(), gapAfter, target, scratch);
    Map<ObjectKey, Outcome> outcomes = new LinkedHashMap<>();
    try {
      salvage
          .run()
          .forEach(
              (key, each) ->
                  outcomes.put(key, new Outcome(each.isKept(), each.position(), each.lacking())));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return outcomes;
  }
}
