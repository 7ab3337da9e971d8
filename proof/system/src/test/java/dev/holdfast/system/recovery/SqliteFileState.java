package dev.holdfast.system.recovery;

import dev.holdfast.spi.ObjectKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The state of an object's database file in a plain SQLite. Only the file is read, as it is between
 * a restore and the next turn: without a log, and without a lock that would block its owner.
 *
 * @param integrity the answer of {@code PRAGMA integrity_check}
 * @param pages of the file
 * @param freePages the number of free pages, which new pages reuse
 */
record SqliteFileState(String integrity, long pages, long freePages) {

  static SqliteFileState of(Path data, ObjectKey key) {
    try (Connection connection =
            DriverManager.getConnection("jdbc:sqlite:file:" + file(data, key) + "?immutable=1");
        Statement statement = connection.createStatement()) {
      return new SqliteFileState(
          text(statement, "PRAGMA integrity_check"),
          Long.parseLong(text(statement, "PRAGMA page_count")),
          Long.parseLong(text(statement, "PRAGMA freelist_count")));
    } catch (SQLException | IOException e) {
      throw new AssertionError("Plain SQLite cannot read the database of " + key, e);
    }
  }

  private static Path file(Path data, ObjectKey key) throws IOException {
    String name = key.id() + ".sqlite";
    return find(data.resolve("sqlite"), name)
        .orElseThrow(() -> new AssertionError("There is no file " + name));
  }

  /** Not with a walk, which fails if a log is removed in the background after it was listed. */
  private static Optional<Path> find(Path directory, String name) throws IOException {
    List<Path> listed;
    try (Stream<Path> entries = Files.list(directory)) {
      listed = entries.toList();
    }
    for (Path each : listed) {
      Optional<Path> found =
          each.endsWith(name)
              ? Optional.of(each)
              : Files.isDirectory(each) ? find(each, name) : Optional.empty();
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private static String text(Statement statement, String query) throws SQLException {
    StringBuilder lines = new StringBuilder();
    try (ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        lines.append(lines.isEmpty() ? "" : "\n").append(rows.getString(1));
      }
    }
    return lines.toString();
  }
}
