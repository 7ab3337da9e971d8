package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.get;
import static dev.holdfast.backend.sqlite.Objects.object;
import static dev.holdfast.backend.sqlite.Objects.select;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.backend.sqlite.FaultySqlite.Effect;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Critical errors of SQLite: the whole turn is lost, whatever the code has caught, and the object
 * continues from its last sealed state.
 */
final class StorageFaultsTest {

  /** Kept: the log manager drops unreferenced loggers, and each fault is reported. */
  private static final Logger LOG = Logger.getLogger("dev.holdfast");

  private static final Object[] NONE = {};

  @TempDir private Path root;
  private final FaultySqlite library = new FaultySqlite();
  private SqliteHost host;

  @BeforeEach
  void open() {
    LOG.setLevel(Level.OFF);
    fill(
        new SqliteHost(
            root, 1, new SqliteBackend.Access(new FileDisk(), library), Durability.ON_WAIT));
  }

  private void openWithLogs() {
    host.close();
    fill(
        SqliteHost.withLogs(
            root.resolve("logs"),
            1,
            new SqliteBackend.Access(new FileDisk(), library),
            Durability.ON_WAIT));
  }

  private void fill(SqliteHost opened) {
    host = opened;
    commit(
        host.store(1),
        turn -> {
          turn.put(bytes("a"), bytes("1"));
          turn.exec("CREATE TABLE t (v)", NONE);
        });
  }

  @AfterEach
  void close() {
    host.close();
    LOG.setLevel(null);
  }

  @ParameterizedTest
  @CsvSource({
    "SQLITE_FULL, 13, ROLLBACK", "SQLITE_FULL, 13, NONE",
    "SQLITE_IOERR, 10, ROLLBACK", "SQLITE_IOERR_WRITE, 778, NONE",
    "SQLITE_NOMEM, 7, ROLLBACK", "SQLITE_NOMEM, 7, ALL",
    "SQLITE_INTERRUPT, 9, ROLLBACK", "SQLITE_CORRUPT, 11, NONE"
  })
  void turnWithACriticalErrorIsLostWhateverWasCaught(String name, int code, Effect effect) {
    StoreTurn turn = host.store(1).beginTurn();
    turn.put(bytes("a"), bytes("2"));
    library.fail("INSERT INTO t", code, name, effect);

    String primary = name.startsWith("SQLITE_IOERR") ? "SQLITE_IOERR" : name;
    requireLost(() -> turn.exec("INSERT INTO t VALUES (1)", NONE), primary);
    requireLost(() -> turn.get(bytes("a")), primary);
    requireLost(() -> turn.put(bytes("b"), bytes("x")), primary);
    requireLost(() -> turn.exec("SELECT 1", NONE), primary);
    requireLost(turn::deleteAll, primary);
    requireLost(turn::openSavepoint, primary);
    requireLost(turn::seal, primary);
    turn.discard();

    requireGoesOn();
  }

  /** SQLite cannot report whether a failed commit is in the log; it is removed from the log. */
  @ParameterizedTest
  @CsvSource({
    "SQLITE_FULL, 13, NONE", "SQLITE_FULL, 13, ROLLBACK",
    "SQLITE_IOERR, 10, ALL", "SQLITE_NOMEM, 7, ALL"
  })
  void commitThatFailedIsTakenBackEvenIfItIsInTheLog(String name, int code, Effect effect) {
    StoreTurn turn = host.store(1).beginTurn();
    turn.put(bytes("a"), bytes("2"));
    library.fail("COMMIT", code, name, effect);

    requireLost(turn::seal, name);
    requireGoesOn();
  }

  /** The next turn repeats the copy; until then the log has everything. */
  @ParameterizedTest
  @CsvSource({"SQLITE_FULL, 13, NONE", "SQLITE_IOERR, 10, ALL", "SQLITE_NOMEM, 7, NONE"})
  void copyThatFailedLosesNothing(String name, int code, Effect effect) {
    openWithLogs();
    for (int round = 0; round < 3; round++) {
      library.fail("PRAGMA main.wal_checkpoint", code, name, effect);
      host.backend.checkpointBefore(Long.MAX_VALUE);
      host.backend.awaitIdle();
      assertThat(library.isPending()).isFalse();
      assertThat(host.backend.lowWaterMark()).isEqualTo(1);
      String value = "round-" + round;
      commit(host.store(1), turn -> turn.put(bytes("b"), bytes(value)));
      assertThat(get(host.store(1), "b")).isEqualTo(bytes(value));
    }
    requireGoesOn();
  }

  @Test
  void evictionThatFailedLosesNothing() {
    openWithLogs();
    library.fail("PRAGMA main.wal_checkpoint", 13, "SQLITE_FULL", Effect.NONE);
    assertThatExceptionOfType(StorageFailedException.class)
        .isThrownBy(() -> host.store(2).beginTurn());
    assertThat(get(host.store(2), "a")).isNull();
    requireGoesOn();
  }

  /** Not injected: SQLite itself meets a file that may have ten pages. */
  @Test
  void databaseThatIsFullLosesTheTurnOnly() {
    library.beforeTransactions("PRAGMA max_page_count=10");
    StoreTurn turn = host.store(1).beginTurn();
    turn.put(bytes("a"), bytes("2"));
    requireLost(
        () -> turn.exec("INSERT INTO t VALUES (zeroblob(1000000))", NONE),
        "database or disk is full: SQLITE_FULL");
    requireLost(turn::seal, "SQLITE_FULL");
    turn.discard();
    library.beforeTransactions("");
    requireGoesOn();
  }

  @Test
  void damagedFileIsReportedAndReadAgainOnceItIsRepaired() throws IOException {
    host.backend.checkpointBefore(Long.MAX_VALUE);
    host.backend.awaitIdle();
    Path file = host.file(object(1));
    host.store(2).beginTurn().discard(); // takes its place: it is closed
    byte[] whole = Files.readAllBytes(file);
    byte[] damaged = whole.clone();
    Arrays.fill(damaged, 100, damaged.length, (byte) 0x5A);
    Files.write(file, damaged);

    assertThatExceptionOfType(StorageFailedException.class)
        .isThrownBy(() -> get(host.store(1), "a"))
        .withMessageContaining("is not the one that was saved")
        .withMessageContaining("restore");
    assertThat(get(host.store(2), "a")).isNull();
    Files.write(file, whole);
    requireGoesOn();
  }

  private void requireGoesOn() {
    assertThat(library.isPending()).isFalse();
    assertThat(get(host.store(1), "a")).isEqualTo(bytes("1"));
    assertThat(select(host.store(1), "SELECT * FROM t")).isEmpty();
    commit(
        host.store(1),
        turn -> {
          turn.put(bytes("a"), bytes("3"));
          turn.exec("INSERT INTO t VALUES ('row')", NONE);
        });
    host.crashAt(host.journal.lastPosition());
    assertThat(get(host.store(1), "a")).isEqualTo(bytes("3"));
    assertThat(select(host.store(1), "SELECT * FROM t")).isEqualTo(List.of("row"));
    assertThat(select(host.store(1), "PRAGMA quick_check")).containsExactly("ok");
  }

  private static void requireLost(Runnable use, String why) {
    assertThatExceptionOfType(StorageFailedException.class)
        .isThrownBy(use::run)
        .withMessageContaining(why);
  }
}
