package dev.holdfast.backend.sqlite.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.wal.MemoryPages;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which connections another database gets, and that it cannot tell. */
final class SpareConnectionsTest {

  /** Stays with a connection, whatever its database is: shows that a connection was used before. */
  private static final String TRACE = "PRAGMA case_sensitive_like=ON";

  private static final String IS_TRACED = "SELECT 'a' NOT LIKE 'A'";

  private static final String COUNTERS =
      "SELECT changes() || ' ' || total_changes() || ' ' || last_insert_rowid()";

  private final SqliteLibrary library = SqliteLibrary.jdbc();

  @AfterEach
  void closeSpares() {
    library.close();
  }

  private SqliteConnection open() throws SqliteException {
    return library.open(MemoryPages.forMemory(ObjectFiles.emptyDatabase()));
  }

  private SqliteConnection openTraced() throws SqliteException {
    SqliteConnection connection = open();
    connection.execute(TRACE);
    return connection;
  }

  private static boolean isUsedAgain(SqliteConnection connection) throws SqliteException {
    return connection.integer(IS_TRACED) == 1;
  }

  private static void writeKeys(SqliteConnection connection) throws SqliteException {
    connection.execute("CREATE TABLE kv (k TEXT PRIMARY KEY, v) WITHOUT ROWID");
    connection.execute("INSERT INTO kv VALUES ('a', 1), ('b', 2)");
  }

  @Test
  void nextDatabaseHasNeitherTablesNorCountsOfTheOneBefore() throws SqliteException {
    SqliteConnection first = openTraced();
    writeKeys(first);
    first.closeForOthers();

    SqliteConnection second = open();
    assertThat(isUsedAgain(second)).isTrue();
    assertThat(second.texts("SELECT name FROM sqlite_schema")).isEmpty();
    assertThat(second.texts(COUNTERS)).containsExactly("0 0 0");
    assertThat(second.changes()).isZero();
    second.execute("CREATE TABLE t (v); UPDATE t SET v = 1");
    assertThat(second.texts(COUNTERS)).containsExactly("0 0 0");
    second.execute("INSERT INTO t VALUES (1), (2), (3)");
    assertThat(second.texts(COUNTERS)).containsExactly("3 3 3");
    second.execute("DELETE FROM t WHERE v = 2");
    assertThat(second.texts(COUNTERS)).containsExactly("1 4 3");
    assertThat(second.totalChanges()).isEqualTo(4);
    second.close();
  }

  @Test
  void countsInTriggersAndViewsAreThoseOfANewConnection() throws SqliteException {
    SqliteConnection fresh = open();
    List<String> expected = countsInTriggersAndViews(fresh);
    fresh.close();
    SqliteConnection first = openTraced();
    writeKeys(first);
    first.closeForOthers();

    SqliteConnection second = open();
    assertThat(isUsedAgain(second)).isTrue();
    assertThat(countsInTriggersAndViews(second)).isEqualTo(expected);
    second.close();
  }

  private static List<String> countsInTriggersAndViews(SqliteConnection connection)
      throws SqliteException {
    connection.execute(
        """
        CREATE TABLE t (v);
        CREATE TABLE log (c, t);
        CREATE VIEW seen AS SELECT changes() AS c, total_changes() AS t;
        CREATE TRIGGER logged AFTER INSERT ON t BEGIN
          UPDATE log SET c = c;
          INSERT INTO log VALUES (changes(), total_changes());
          INSERT INTO log SELECT c, t FROM seen;
        END;
        INSERT INTO t VALUES (1), (2);
        """);
    List<String> counts = connection.texts("SELECT c || ' ' || t FROM log");
    counts.addAll(connection.texts(COUNTERS));
    return counts;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE t (v); INSERT INTO t VALUES (1)",
        "BEGIN",
        "BEGIN; CREATE TABLE t (v)",
        "SAVEPOINT s"
      })
  void connectionThatKeepsSomethingIsClosed(String sql) throws SqliteException {
    SqliteConnection first = openTraced();
    first.execute(sql);
    first.closeForOthers();
    SqliteConnection second = open();
    assertThat(isUsedAgain(second)).isFalse();
    second.close();
  }

  @Test
  void databaseOfAnotherEncodingHasAConnectionOfItsOwn() throws SqliteException {
    SqliteConnection made = JdbcLibrary.openMemory();
    made.execute("PRAGMA encoding='UTF-16le'; CREATE TABLE t (v); INSERT INTO t VALUES ('ä')");
    byte[] wide = made.image();
    made.close();
    SqliteConnection first = openTraced();
    writeKeys(first);
    first.closeForOthers();

    SqliteConnection second = library.open(MemoryPages.forMemory(wide));
    assertThat(isUsedAgain(second)).isFalse();
    assertThat(second.integer("SELECT unicode(v) FROM t")).isEqualTo('ä');
    second.execute(TRACE);
    second.closeForOthers();

    SqliteConnection third = open();
    assertThat(third.texts("PRAGMA encoding")).containsExactly("UTF-8");
    third.close();
  }

  @Test
  void connectionThatWasGivenBackCannotBeUsed() throws SqliteException {
    SqliteConnection first = open();
    writeKeys(first);
    SqliteStatement statement = first.prepare("SELECT v FROM kv");
    assertThat(statement.start()).isTrue();
    first.closeForOthers();

    SqliteConnection second = open();
    assertThatIllegalStateException().isThrownBy(() -> first.execute("SELECT 1"));
    assertThatIllegalStateException().isThrownBy(() -> first.prepare("SELECT 1"));
    assertThatIllegalStateException().isThrownBy(first::image);
    assertThatIllegalStateException().isThrownBy(statement::step);
    first.interrupt();
    first.close();
    first.closeWithoutCheckpoint();
    first.closeForOthers();
    writeKeys(second);
    assertThat(second.texts("SELECT k FROM kv")).containsExactly("a", "b");
    second.close();
  }

  @Test
  void closedLibraryKeepsNoConnection() throws SqliteException {
    SqliteConnection first = openTraced();
    library.close();
    first.closeForOthers();
    SqliteConnection second = open();
    assertThat(isUsedAgain(second)).isFalse();
    second.close();
  }
}
