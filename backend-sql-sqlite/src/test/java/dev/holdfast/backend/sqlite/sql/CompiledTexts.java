package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.database.ObjectConnection;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import dev.holdfast.sql.SqlLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * A separate process that compiles generated texts under {@link SqlLimits#FOREIGN}, and prints each
 * that took more memory than it may, and a summary.
 */
final class CompiledTexts {

  static final String DONE = "done";
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final Path PEAK = Path.of("/proc/self/clear_refs");
  private static final int TEXTS_PER_SCHEMA = 12;

  private CompiledTexts() {}

  /**
   * Compiles texts.
   *
   * @param arguments a directory, the first seed, the number of texts, the most mebibytes that one
   *     may take
   */
  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    long seed = Long.parseLong(arguments[1]);
    int texts = Integer.parseInt(arguments[2]);
    long mebibytesMax = Long.parseLong(arguments[3]);
    int compiled = 0;
    int refused = 0;
    int failed = 0;
    long most = 0;
    long nanosMost = 0;
    // What was freed stays with the process: so this is what all texts took until now.
    long base = mebibytes("VmRSS");
    for (int number = 0; number < texts; seed++) {
      Path file = directory.resolve(seed + ".sqlite");
      Files.createFile(file);
      ObjectConnection connection = ObjectConnection.open(SqliteLibrary.jdbc(), file);
      GeneratedTexts grammar = new GeneratedTexts(seed);
      connection.limit(SqlLimits.FOREIGN);
      for (String each : grammar.schema()) {
        if (answer(connection, each).isEmpty()) {
          try {
            connection.connection().execute(each);
          } catch (SqliteException e) {
            // SQLite refuses it by itself.
          }
        }
      }
      for (int count = 0; count < TEXTS_PER_SCHEMA && number < texts; count++, number++) {
        String text = grammar.statement();
        Files.writeString(PEAK, "5");
        long begun = System.nanoTime();
        String answer = answer(connection, text);
        long nanos = System.nanoTime() - begun;
        long took = mebibytes("VmHWM") - base;
        compiled += answer.isEmpty() ? 1 : 0;
        refused += answer.contains("expandedTermsMax") ? 1 : 0;
        failed += answer.isEmpty() || answer.contains("expandedTermsMax") ? 0 : 1;
        most = Math.max(most, took);
        nanosMost = Math.max(nanosMost, nanos);
        if (took > mebibytesMax || nanos > Long.getLong("slow", Long.MAX_VALUE)) {
          say("%d took %d MiB, %d ms: %s -> %s", seed, took, nanos / 1_000_000, text, answer);
        }
      }
      connection.connection().close();
      Files.delete(file);
    }
    say(
        "%d compiled, %d refused for their terms, %d by SQLite; at most %d MiB, %d ms",
        compiled, refused, failed, most, nanosMost / 1_000_000);
    say(DONE);
  }

  /** {@return why a text is refused; empty if it is not} */
  private static String answer(ObjectConnection connection, String text) {
    try {
      StatementPlans plans = new StatementPlans(new Schemas(), connection.connection(), () -> "");
      for (SqlStatement each : new SqlScripts().of(text).statements()) {
        plans.of(each, SqlLimits.FOREIGN.expandedTermsMax(), null);
      }
      return "";
    } catch (SqlRefusedException e) {
      return e.text();
    } catch (SqliteException e) {
      return e.codeName() + " " + e.text();
    }
  }

  private static long mebibytes(String field) throws IOException {
    for (String line : Files.readAllLines(STATUS)) {
      if (line.startsWith(field + ":")) {
        return Long.parseLong(line.replaceAll("\\D", "")) >> 10;
      }
    }
    throw new IOException("no " + field);
  }

  private static void say(String form, Object... values) {
    System.out.println(String.format(Locale.ROOT, form, values));
  }
}
