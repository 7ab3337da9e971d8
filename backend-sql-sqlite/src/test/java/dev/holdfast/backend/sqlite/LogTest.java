package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.contents;
import static dev.holdfast.backend.sqlite.Objects.get;
import static dev.holdfast.backend.sqlite.Objects.object;
import static dev.holdfast.backend.sqlite.Objects.select;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.wal.WalCommit;
import dev.holdfast.backend.sqlite.wal.WalFile;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reading the -wal file, in the cases where the commit is not simply the next frames. */
final class LogTest {

  private static final Object[] NONE = {};

  /** Kept: the log manager drops unreferenced loggers. */
  private static final Logger LOG = Logger.getLogger("dev.holdfast");

  @TempDir private Path root;
  private SqliteHost host;

  @BeforeEach
  void open() {
    host = SqliteHost.withLogs(root, 2, new FileDisk());
  }

  @AfterEach
  void close() {
    host.close();
  }

  @Test
  void framesOfARolledBackTransactionAreNotTakenForACommit() {
    commit(host.store(1), turn -> turn.put(bytes("a"), bytes("1")));
    for (int round = 0; round < 3; round++) {
      StoreTurn spilled = host.store(1).beginTurn();
      spilled.put(bytes("large"), new byte[3_000_000]);
      spilled.discard();

      // A commit that writes nothing finds the frames of the spill where its own would be.
      assertThat(commit(host.store(1), turn -> turn.delete(bytes("missing"))))
          .isEqualTo(Journal.START);
      String value = "2-" + round;
      commit(host.store(1), turn -> turn.put(bytes("a"), bytes(value)));
    }

    host.crashAt(host.journal.lastPosition());
    assertThat(get(host.store(1), "a")).isEqualTo(bytes("2-2"));
    assertThat(get(host.store(1), "large")).isNull();
  }

  @Test
  void scriptThatSpilledAndFailedLeavesNothingInTheBatch() {
    commit(host.store(1), turn -> turn.exec("CREATE TABLE t (v UNIQUE)", NONE));
    StoreTurn turn = host.store(1).beginTurn();
    turn.exec("INSERT INTO t VALUES ('kept')", NONE);
    assertThatExceptionOfType(RuntimeException.class)
        .isThrownBy(
            () ->
                turn.exec(
                    "INSERT INTO t VALUES (zeroblob(3000000)); INSERT INTO t VALUES ('kept')",
                    NONE));
    long position = turn.seal();

    assertThat(host.journal.records().getLast().payload().remaining()).isLessThan(20_000);
    host.crashAt(position);
    assertThat(select(host.store(1), "SELECT v FROM t")).containsExactly("kept");
  }

  @Test
  void transactionThatSpillsPagesAgainAndAgainIsOneBatch() {
    commit(
        host.store(1),
        turn -> {
          turn.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, v)", NONE);
          for (int round = 0; round < 4; round++) {
            turn.exec(
                "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
                    + " INSERT OR REPLACE INTO t SELECT i, ? || hex(zeroblob(400)) FROM n",
                new Object[] {"round-" + round});
          }
        });
    List<String> expected = contents(host.store(1));
    assertThat(expected).hasSize(2_001);

    host.crashAt(host.journal.lastPosition());
    assertThat(contents(host.store(1))).isEqualTo(expected);
  }

  @Test
  void transactionOfFiftyMegabytesIsOneBatch() {
    commit(host.store(1), turn -> turn.put(bytes("a"), bytes("1")));
    commit(
        host.store(1),
        turn -> {
          for (int number = 0; number < 400; number++) {
            turn.put(bytes("key-" + number), filled(131_000, number));
          }
        });
    assertThat(host.journal.records()).hasSize(2);

    host.crashAt(host.journal.lastPosition());
    assertThat(get(host.store(1), "key-399")).isEqualTo(filled(131_000, 399));
    assertThat(select(host.store(1), "PRAGMA quick_check")).containsExactly("ok");
  }

  @Test
  void logBeginsAgainAfterItWasCopied() {
    for (int number = 0; number < 3 * SqliteBounds.LOG_FRAMES_MAX; number++) {
      String value = String.valueOf(number);
      commit(host.store(1), turn -> turn.put(bytes("a"), bytes(value)));
      host.journal.makeAllDurable();
    }

    Path wal = ObjectFiles.wal(host.file(object(1)));
    assertThat(wal.toFile().length()).isLessThan(2L * SqliteBounds.LOG_FRAMES_MAX * 4_200);
    host.crashAt(host.journal.lastPosition());
    assertThat(get(host.store(1), "a"))
        .isEqualTo(bytes(String.valueOf(3 * SqliteBounds.LOG_FRAMES_MAX - 1)));
  }

  /** Together the logs would be large, though no single log is. */
  @Test
  void logBeginsAgainSoonerWhenManyDatabasesAreOpen() {
    int databases = 128;
    try (SqliteHost many = SqliteHost.withLogs(root.resolve("many"), databases, new FileDisk())) {
      for (int number = 1; number <= databases; number++) {
        commit(many.store(number), turn -> turn.put(bytes("a"), bytes("1")));
      }
      for (int number = 0; number < SqliteBounds.LOG_FRAMES_MAX; number++) {
        String value = String.valueOf(number);
        commit(many.store(1), turn -> turn.put(bytes("a"), bytes(value)));
        many.journal.makeAllDurable();
      }

      long frames = ObjectFiles.wal(many.file(object(1))).toFile().length() / 4_120;
      assertThat(frames).isBetween(200L, SqliteBounds.LOG_FRAMES_MAX * 6L / 10);
    }
  }

  @Test
  void refusedFirstBatchOfALogThatBeganAgainIsTakenBack() {
    commit(host.store(1), turn -> turn.put(bytes("a"), bytes("1")));
    host.backend.checkpointBefore(Long.MAX_VALUE);
    host.backend.awaitIdle();

    refuse("2");
    assertThat(get(host.store(1), "a")).isEqualTo(bytes("1"));
    commit(host.store(1), turn -> turn.put(bytes("a"), bytes("3")));
    refuse("4");
    refuse("5");

    assertThat(get(host.store(1), "a")).isEqualTo(bytes("3"));
    host.crashAt(host.journal.lastPosition());
    assertThat(get(host.store(1), "a")).isEqualTo(bytes("3"));
  }

  @Test
  void refusedBatchWithFullTextTablesIsTakenBack() {
    commit(
        host.store(1),
        turn ->
            turn.exec(
                "CREATE VIRTUAL TABLE w USING fts5(t); INSERT INTO w VALUES ('first words')",
                NONE));
    StoreTurn turn = host.store(1).beginTurn();
    turn.exec("INSERT INTO w VALUES ('second words')", NONE);
    turn.exec("CREATE TABLE late (v)", NONE);
    host.journal.refuseNextAppend(new DataDirectoryException(root, "full", null));
    assertThatExceptionOfType(DataDirectoryException.class).isThrownBy(turn::seal);

    assertThat(select(host.store(1), "SELECT t FROM w WHERE w MATCH 'words'"))
        .containsExactly("first words");
    commit(host.store(1), again -> again.exec("INSERT INTO w VALUES ('third')", NONE));
    host.crashAt(host.journal.lastPosition());
    assertThat(select(host.store(1), "SELECT t FROM w")).containsExactly("first words", "third");
  }

  /** The next commit restarts the log, though the copy was not reported as complete. */
  @Test
  void commitAfterACopyThatFailedAtItsEndIsFound() {
    host.close();
    FaultySqlite library = new FaultySqlite();
    host =
        SqliteHost.withLogs(
            root.resolve("faulty"),
            2,
            new SqliteBackend.Access(new FileDisk(), library),
            Durability.ON_WAIT);
    commit(host.store(1), turn -> turn.put(bytes("a"), bytes("1")));
    library.fail("PRAGMA main.wal_checkpoint", 10, "SQLITE_IOERR", FaultySqlite.Effect.ALL);
    LOG.setLevel(Level.OFF);
    host.backend.checkpointBefore(Long.MAX_VALUE);
    host.backend.awaitIdle();
    LOG.setLevel(null);
    assertThat(library.isPending()).isFalse();

    long position = commit(host.store(1), turn -> turn.put(bytes("a"), bytes("2")));
    assertThat(position).isGreaterThan(Journal.START);
    host.crashAt(position);
    assertThat(get(host.store(1), "a")).isEqualTo(bytes("2"));
  }

  @Test
  void commitInALogThatWasRestartedUnnoticedDoesNotPassForNothing() throws Exception {
    Path file = root.resolve("plain.sqlite");
    Files.write(file, ObjectFiles.emptyDatabase());
    SqliteConnection connection = SqliteLibrary.jdbc().open(file);
    connection.execute(
        "PRAGMA locking_mode=EXCLUSIVE; PRAGMA wal_autocheckpoint=0; PRAGMA journal_mode=WAL;"
            + " CREATE TABLE t (v); INSERT INTO t VALUES (1)");
    WalFile wal = new WalFile(ObjectFiles.wal(file));
    WalCommit found = new WalCommit();
    while (wal.read(found)) {
      wal.accept(found);
    }
    connection.execute("PRAGMA wal_checkpoint(PASSIVE); INSERT INTO t VALUES (2)");

    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> wal.read(found))
        .withMessageContaining("restarted unexpectedly");
    wal.close();
    connection.close();
  }

  private void refuse(String value) {
    StoreTurn turn = host.store(1).beginTurn();
    turn.put(bytes("a"), bytes(value));
    host.journal.refuseNextAppend(new DataDirectoryException(root, "full", null));
    assertThatExceptionOfType(DataDirectoryException.class).isThrownBy(turn::seal);
  }

  private static byte[] filled(int length, int seed) {
    byte[] value = new byte[length];
    for (int at = 0; at < length; at++) {
      value[at] = (byte) (at * 31 + seed);
    }
    return value;
  }
}
