package dev.holdfast.backend.sqlite.database;

import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.get;
import static dev.holdfast.backend.sqlite.Objects.read;
import static dev.holdfast.backend.sqlite.Objects.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.SqlException;
import dev.holdfast.backend.sqlite.SqliteHost;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StoreTurn;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A pragma's switch belongs to the instance: not to its connection, nor to the next instance. */
final class SwitchesTest {

  private static final Object[] NONE = {};
  private static final String REPLACE = "REPLACE INTO t VALUES (1)";

  @TempDir private Path root;
  private SqliteHost host;

  @BeforeEach
  void open() {
    host = new SqliteHost(root, 1);
  }

  @AfterEach
  void close() {
    host.close();
  }

  @ParameterizedTest
  @CsvSource({
    "foreign_keys, OFF, PRAGMA foreign_keys",
    "recursive_triggers, ON, PRAGMA recursive_triggers",
    "ignore_check_constraints, ON, PRAGMA ignore_check_constraints",
    "legacy_alter_table, ON, PRAGMA legacy_alter_table",
    "reverse_unordered_selects, ON, PRAGMA reverse_unordered_selects",
    "case_sensitive_like, ON, SELECT 'a' LIKE 'A'"
  })
  void switchLastsAsLongAsTheInstance(String name, String position, String question) {
    ObjectStore store = host.store(1);
    String usual = answer(store, question);

    commit(store, turn -> turn.exec("PRAGMA " + name + " = " + position, NONE));
    String switched = answer(store, question);
    assertThat(switched).isNotEqualTo(usual);
    makeRoomForAnother();
    assertThat(answer(store, question)).as("its database was closed").isEqualTo(switched);

    store.release();
    assertThat(answer(host.store(1), question)).as("another instance").isEqualTo(usual);
  }

  /** Small databases use a connection one after the other. */
  @ParameterizedTest
  @CsvSource({
    "recursive_triggers, PRAGMA recursive_triggers",
    "ignore_check_constraints, PRAGMA ignore_check_constraints",
    "legacy_alter_table, PRAGMA legacy_alter_table",
    "reverse_unordered_selects, PRAGMA reverse_unordered_selects",
    "case_sensitive_like, SELECT 'a' LIKE 'A'"
  })
  void objectThatTakesThePlaceOfAnotherHasTheUsualSwitches(String name, String question) {
    ObjectStore store = host.store(1);
    String usual = answer(store, question);
    commit(store, turn -> turn.exec("PRAGMA " + name + " = ON", NONE));
    assertThat(answer(store, question)).isNotEqualTo(usual);
    assertThat(answer(host.store(2), question)).isEqualTo(usual);

    assertThat(get(store, "a")).isNull(); // sets the switch again, and runs no SQL
    assertThat(answer(host.store(3), question)).isEqualTo(usual);
  }

  /** The bound is one open database. */
  private void makeRoomForAnother() {
    commit(host.store(2), turn -> turn.exec("CREATE TABLE IF NOT EXISTS t (v)", NONE));
  }

  @Test
  void triggerThatASwitchLetsRunIsLookedAt() {
    ObjectStore store = host.store(1);
    commit(
        store,
        turn -> {
          turn.exec("CREATE VIRTUAL TABLE f USING fts5 (a)", NONE);
          turn.exec("CREATE TABLE t (id INTEGER PRIMARY KEY)", NONE);
          turn.exec(
              "CREATE TRIGGER tr AFTER DELETE ON t BEGIN"
                  + " INSERT INTO f_config VALUES ('rank', 'hex(1)'); END",
              NONE);
          turn.exec(REPLACE, NONE);
        });
    commit(store, turn -> turn.exec("PRAGMA recursive_triggers = ON", NONE));

    StoreTurn turn = store.beginTurn();
    assertThatThrownBy(() -> turn.exec(REPLACE, NONE))
        .isInstanceOf(SqlException.class)
        .hasMessageContaining("f_config may not be modified");
    turn.seal();
  }

  @Test
  void foreignKeyThatASwitchEnforcesIsLookedAt() {
    ObjectStore store = host.store(1);
    String delete = "DELETE FROM p WHERE id = 1";
    commit(
        store,
        turn -> {
          turn.exec("CREATE TABLE p (id INTEGER PRIMARY KEY)", NONE);
          turn.exec("CREATE TABLE f_docsize (p REFERENCES p (id) ON DELETE CASCADE)", NONE);
          turn.exec("CREATE VIRTUAL TABLE f USING fts5 (a, columnsize = 0)", NONE);
        });
    commit(store, turn -> turn.exec("PRAGMA foreign_keys = OFF", NONE));
    commit(store, turn -> turn.exec(delete, NONE));
    commit(store, turn -> turn.exec("PRAGMA foreign_keys = ON", NONE));

    StoreTurn turn = store.beginTurn();
    assertThatThrownBy(() -> turn.exec(delete, NONE))
        .isInstanceOf(SqlException.class)
        .hasMessageContaining("f_docsize may not be modified");
    turn.seal();
  }

  @Test
  void instanceThatFollowsAFailedOneIsHeldToItsForeignKeys() {
    ObjectStore failed = host.store(1);
    commit(failed, turn -> turn.exec("CREATE TABLE p (id INTEGER PRIMARY KEY)", NONE));
    commit(failed, turn -> turn.exec("CREATE TABLE c (p REFERENCES p (id))", NONE));
    StoreTurn turn = failed.beginTurn();
    turn.exec("PRAGMA foreign_keys = OFF", NONE);
    turn.exec("INSERT INTO c VALUES (5)", NONE);
    turn.discard();
    failed.release();

    StoreTurn next = host.store(1).beginTurn();
    assertThatThrownBy(() -> next.exec("INSERT INTO c VALUES (5)", NONE))
        .isInstanceOf(SqlException.class)
        .hasMessageContaining("FOREIGN KEY constraint failed");
    next.discard();
  }

  @Test
  void switchesThatWriteNothingLeaveForeignKeysToBeSwitched() {
    ObjectStore store = host.store(1);
    commit(
        store,
        turn -> {
          turn.exec("PRAGMA recursive_triggers = ON", NONE);
          turn.exec("PRAGMA foreign_keys = OFF", NONE);
        });
    assertThat(answer(store, "PRAGMA foreign_keys")).isEqualTo("0");
    commit(
        store,
        turn -> {
          turn.exec("PRAGMA foreign_keys = OFF", NONE);
          turn.exec("PRAGMA foreign_keys = ON", NONE);
        });
    assertThat(answer(store, "PRAGMA foreign_keys")).isEqualTo("1");
  }

  @Test
  void foreignKeysAreDeferredUntilTheTurnEndsAlthoughItReads() {
    ObjectStore store = host.store(1);
    commit(store, turn -> turn.exec("CREATE TABLE p (id INTEGER PRIMARY KEY)", NONE));
    commit(store, turn -> turn.exec("CREATE TABLE c (p REFERENCES p (id))", NONE));
    commit(
        store,
        turn -> {
          turn.exec("PRAGMA defer_foreign_keys = ON", NONE);
          assertThat(rows(turn, "SELECT count(*) FROM c")).containsExactly("0");
          turn.exec("INSERT INTO c VALUES (5)", NONE);
          turn.exec("INSERT INTO p VALUES (5)", NONE);
        });
    assertThat(answer(store, "PRAGMA defer_foreign_keys")).isEqualTo("0");
  }

  @Test
  void nextInstanceDoesNotDeferItsForeignKeys() {
    ObjectStore first = host.store(1);
    commit(first, turn -> turn.exec("CREATE TABLE p (id INTEGER PRIMARY KEY)", NONE));
    commit(first, turn -> turn.exec("CREATE TABLE c (p REFERENCES p (id))", NONE));
    commit(first, turn -> turn.exec("PRAGMA defer_foreign_keys = ON", NONE));
    first.release();

    assertThat(answer(host.store(1), "PRAGMA defer_foreign_keys")).isEqualTo("0");
  }

  /** A switch takes effect when the statement is compiled, even if the statement then fails. */
  @Test
  void switchOfAStatementThatFailedEndsWithTheInstanceToo() {
    ObjectStore first = host.store(1);
    StoreTurn turn = first.beginTurn();
    assertThatThrownBy(() -> turn.exec("PRAGMA foreign_keys = OFF", new Object[] {1L}))
        .hasMessageContaining("Wrong number of parameter bindings");
    turn.discard();
    first.release();

    assertThat(answer(host.store(1), "PRAGMA foreign_keys")).isEqualTo("1");
  }

  private static String answer(ObjectStore store, String question) {
    return read(store, turn -> rows(turn, question)).getFirst();
  }
}
