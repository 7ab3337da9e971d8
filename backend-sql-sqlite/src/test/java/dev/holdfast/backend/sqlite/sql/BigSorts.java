package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.SqliteHost;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreTurn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Sorts, groups, keeps and indexes more data than fits in the memory that statements may take, and
 * prints the resources used. Runs in a JVM of its own, on Linux.
 */
public final class BigSorts {

  /** 32 MiB: visible if all rows were in memory. */
  private static final String ROWS =
      "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 16384),"
          + " big AS MATERIALIZED (SELECT i, randomblob(2048) AS b FROM n) ";

  private static final List<String> STATEMENTS =
      List.of(
          ROWS + "SELECT b FROM big ORDER BY b",
          ROWS + "SELECT max(i) FROM big GROUP BY b",
          ROWS + "SELECT DISTINCT b FROM big",
          // Searches "big" by an index that SQLite creates for this statement.
          ROWS + "SELECT big.b FROM n CROSS JOIN big ON big.i = n.i");

  private BigSorts() {}

  /**
   * Prints, for each statement, {@code files <all that it had open>} and {@code kibibytes <by how
   * much memory grew>}; then {@code left <number of temporary files>}.
   *
   * @param arguments the directory of the database
   * @throws IOException if the process cannot read its own counters
   */
  public static void main(String[] arguments) throws IOException {
    try (SqliteHost host = new SqliteHost(Path.of(arguments[0]), 2)) {
      StoreTurn turn = host.store(1).beginTurn();
      run(turn, "SELECT i FROM (SELECT 1 AS i UNION SELECT 2) ORDER BY i");
      // Before all of them: memory that a statement has freed is not always returned to the system.
      long before = kibibytes("VmRSS:");
      for (String statement : STATEMENTS) {
        // From now on VmHWM is the peak since now.
        Files.writeString(Path.of("/proc/self/clear_refs"), "5");
        System.out.println("files " + run(turn, statement));
        System.out.println("kibibytes " + (kibibytes("VmHWM:") - before));
      }
      turn.discard();
      System.out.println("left " + temporaryFiles().size());
    }
  }

  /** Runs a statement to its end; {@return the files it had open at its first row} */
  private static List<String> run(StoreTurn turn, String statement) throws IOException {
    try (SqlRows rows = turn.exec(statement, new Object[0])) {
      rows.next();
      List<String> open = temporaryFiles();
      while (rows.next() != null) {
        // Only SQLite's own work for it counts.
      }
      return open;
    }
  }

  private static List<String> temporaryFiles() throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.map(BigSorts::target).filter(each -> each.contains("etilqs")).toList();
    }
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException _) {
      // The descriptor that listed the directory is closed by now.
      return "";
    }
  }

  private static long kibibytes(String name) throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith(name))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow();
  }
}
