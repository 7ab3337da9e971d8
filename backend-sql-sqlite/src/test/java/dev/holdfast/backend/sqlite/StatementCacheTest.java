package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.commit;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.backend.sqlite.binding.StatementCache;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Prepared statements are reused, within a budget of bytes. */
final class StatementCacheTest {

  private static final int BUDGET = 64 * 1_024;

  @TempDir private Path root;
  private SqliteConnection connection;
  private StatementCache cache;

  @BeforeEach
  void open() throws SqliteException {
    connection = SqliteLibrary.jdbc().open(root.resolve("cache.sqlite"));
    cache = new StatementCache(connection);
  }

  @AfterEach
  void close() throws SqliteException {
    connection.close();
  }

  @Test
  void statementGivenBackIsTakenAgain() throws SqliteException {
    SqliteStatement first = cache.take("SELECT 1");
    first.start();
    cache.giveBack("SELECT 1", first);

    assertThat(cache.take("SELECT 1")).isSameAs(first);
    assertThat(first.start()).isTrue();
  }

  @Test
  void statementInUseIsNotShared() throws SqliteException {
    SqliteStatement first = cache.take("SELECT 1");
    SqliteStatement second = cache.take("SELECT 1");
    assertThat(second).isNotSameAs(first);

    cache.giveBack("SELECT 1", first);
    cache.giveBack("SELECT 1", second);
    assertThat(first.isOpen()).isTrue();
    assertThat(second.isOpen()).as("one of a text is enough").isFalse();
  }

  @Test
  void textsOverTheBudgetCloseTheStatementsNotUsedForLongest() throws SqliteException {
    int length = BUDGET / 8;
    List<SqliteStatement> statements = new ArrayList<>();
    for (int number = 0; number < 8; number++) {
      statements.add(cache.take(textOf(number, length)));
      cache.giveBack(textOf(number, length), statements.get(number));
    }
    assertThat(statements).allMatch(SqliteStatement::isOpen);
    cache.giveBack(textOf(0, length), cache.take(textOf(0, length)));

    cache.giveBack(textOf(8, length), cache.take(textOf(8, length)));

    assertThat(statements.get(0).isOpen()).as("used again since").isTrue();
    assertThat(statements.get(1).isOpen()).isFalse();
    assertThat(statements.subList(2, 8)).allMatch(SqliteStatement::isOpen);
  }

  @Test
  void textLongerThanTheBudgetIsNotKept() throws SqliteException {
    SqliteStatement small = cache.take("SELECT 1");
    cache.giveBack("SELECT 1", small);
    SqliteStatement large = cache.take(textOf(1, BUDGET + 1));
    cache.giveBack(textOf(1, BUDGET + 1), large);

    assertThat(large.isOpen()).isFalse();
    assertThat(small.isOpen()).as("it is not worth all others").isTrue();
  }

  /** Neither the guard nor the meter compiles anything once a text is known. */
  @Test
  void statementThatIsRunAgainIsNotCompiledAgain() {
    FaultySqlite library = new FaultySqlite();
    SqliteBackend.Access access = new SqliteBackend.Access(new FileDisk(), library);
    try (SqliteHost host = new SqliteHost(root, 4, access, Durability.ON_WAIT)) {
      ObjectStore store = host.store(1);
      commit(store, turn -> turn.exec("CREATE TABLE t (k INTEGER PRIMARY KEY, v)", new Object[0]));
      useBoth(store, 0);
      useBoth(store, 1);
      long before = library.prepared();

      for (long key = 2; key < 50; key++) {
        useBoth(store, key);
      }

      assertThat(before).isPositive();
      assertThat(library.prepared()).isEqualTo(before);
    }
  }

  private static void useBoth(ObjectStore store, long key) {
    commit(
        store,
        turn -> {
          turn.exec("INSERT INTO t VALUES (?, 1)", new Object[] {key});
          turn.exec("SELECT v FROM t WHERE k = ?", new Object[] {key}).close();
        });
  }

  private static String textOf(int number, int length) {
    String text = "SELECT " + number + " --";
    return text + "x".repeat(length - text.length());
  }
}
