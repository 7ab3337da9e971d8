package dev.holdfast.backend.sqlite.turn;

import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.contents;
import static dev.holdfast.backend.sqlite.Objects.rows;
import static dev.holdfast.backend.sqlite.Objects.select;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backend.sqlite.SqliteHost;
import dev.holdfast.spi.StoreTurn;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** After deleteAll a database is as the reference leaves it: like a new one. */
final class DeleteAllTest {

  private static final Object[] NONE = {};
  private static final String SCHEMA = "SELECT name FROM sqlite_schema";

  @TempDir private Path root;
  private SqliteHost host;

  @BeforeEach
  void open() {
    host = new SqliteHost(root, 2);
    commit(
        host.store(1),
        turn -> {
          turn.exec("CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, v)", NONE);
          turn.exec("CREATE INDEX i ON t (v)", NONE);
          turn.exec("INSERT INTO t (v) VALUES ('a'), ('b'), ('c')", NONE);
          turn.exec("PRAGMA optimize(0x10002)", NONE);
        });
  }

  @AfterEach
  void close() {
    host.close();
  }

  @Test
  void tablesThatSqliteKeepsForItselfAreGone() {
    assertThat(select(host.store(1), SCHEMA)).contains("sqlite_sequence");
    commit(host.store(1), StoreTurn::deleteAll);
    assertThat(select(host.store(1), SCHEMA)).isEmpty();
    assertThat(select(host.store(1), "PRAGMA quick_check")).containsExactly("ok");

    long position = commit(host.store(1), DeleteAllTest::makeAgain);
    assertThat(select(host.store(1), "SELECT id FROM t")).containsExactly("1");
    host.crashAt(position);
    assertThat(select(host.store(1), "SELECT id FROM t")).containsExactly("1");
    assertThat(select(host.store(1), "PRAGMA quick_check")).containsExactly("ok");
  }

  @Test
  void tableIsMadeAgainInTheTurnThatDeletedAll() {
    commit(
        host.store(1),
        turn -> {
          turn.deleteAll();
          makeAgain(turn);
          assertThat(rows(turn, "SELECT seq FROM sqlite_sequence")).containsExactly("1");
          turn.deleteAll();
          makeAgain(turn);
        });
    assertThat(select(host.store(1), "SELECT id FROM t")).containsExactly("1");
    assertThat(select(host.store(1), "PRAGMA quick_check")).containsExactly("ok");
  }

  @Test
  void deletionThatWasDiscardedHasChangedNothing() {
    List<String> before = contents(host.store(1));
    StoreTurn turn = host.store(1).beginTurn();
    turn.deleteAll();
    makeAgain(turn);
    turn.discard();

    assertThat(contents(host.store(1))).isEqualTo(before);
    commit(host.store(1), again -> again.exec("INSERT INTO t (v) VALUES ('d')", NONE));
    assertThat(select(host.store(1), "SELECT max(id) FROM t")).containsExactly("4");
  }

  private static void makeAgain(StoreTurn turn) {
    turn.exec("CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, v)", NONE);
    turn.exec("INSERT INTO t (v) VALUES ('new')", NONE);
  }
}
