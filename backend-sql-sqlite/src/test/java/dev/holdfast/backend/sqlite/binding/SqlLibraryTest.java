package dev.holdfast.backend.sqlite.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backend.sqlite.sql.GuardLists;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the guard assumes about the library. Check a new version of the library here first. */
final class SqlLibraryTest {

  @Test
  void libraryHasTheModulesThatTheGuardKnows() throws SQLException {
    assertThat(names("SELECT name FROM pragma_module_list WHERE name NOT LIKE 'pragma%'"))
        .containsExactlyInAnyOrder(
            "dbstat",
            "fts3",
            "fts3tokenize",
            "fts4",
            "fts4aux",
            "fts5",
            "fts5vocab",
            "rtree",
            "rtree_i32");
  }

  /** A function on neither list would be refused in definitions, and compiled in statements. */
  @Test
  void libraryHasTheFunctionsThatTheGuardKnows() throws SQLException {
    assertThat(names("SELECT DISTINCT name FROM pragma_function_list"))
        .filteredOn(name -> !GuardLists.isKnownFunction(name))
        .isEmpty();
  }

  /** Below the guard: also in statements that full text search generates. */
  @Test
  void brokenFunctionsOfTheDriverAreReplacedOnEveryConnection(@TempDir Path directory)
      throws SqliteException {
    SqliteConnection connection = SqliteLibrary.jdbc().open(directory.resolve("file.sqlite"));
    connection.execute("CREATE VIRTUAL TABLE f USING fts5(a); INSERT INTO f VALUES ('words')");
    for (String function : List.of("replicate", "PADL", "padr", "padc")) {
      for (String sql :
          List.of(
              "SELECT " + function + "('x', 2)",
              "SELECT * FROM f WHERE f MATCH 'words' AND rank MATCH '"
                  + function
                  + "(2)' ORDER BY rank")) {
        assertThatThrownBy(() -> connection.prepare(sql).start())
            .as(sql)
            .isInstanceOf(SqliteException.class);
      }
    }
    connection.close();
  }

  @Test
  void programShowsRootPagesAndFunctions() throws SQLException {
    List<String> program =
        names("EXPLAIN SELECT abs(rootpage) FROM sqlite_schema ORDER BY upper(name)", 2);
    assertThat(program).contains("OpenRead", "Function", "Transaction", "Halt");
  }

  private static List<String> names(String query) throws SQLException {
    return names(query, 1);
  }

  private static List<String> names(String query, int column) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite::memory:");
        var statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      List<String> names = new ArrayList<>();
      while (rows.next()) {
        names.add(rows.getString(column));
      }
      return names;
    }
  }
}
