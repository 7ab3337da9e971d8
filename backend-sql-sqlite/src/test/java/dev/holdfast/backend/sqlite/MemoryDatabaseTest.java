package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.contents;
import static dev.holdfast.backend.sqlite.Objects.get;
import static dev.holdfast.backend.sqlite.Objects.object;
import static dev.holdfast.backend.sqlite.Objects.select;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.faults.FaultyDisk;
import dev.holdfast.faults.FaultyDisk.Operation;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Small databases, which SQLite has in memory: what reaches their files, and when. */
final class MemoryDatabaseTest {

  private static final Object[] NONE = {};

  /** Kept: the log manager drops unreferenced loggers, and each fault is reported. */
  private static final Logger LOG = Logger.getLogger("dev.holdfast");

  @TempDir private Path root;
  private final FaultyDisk disk = new FaultyDisk(new FileDisk());

  @BeforeEach
  void silenceWantedFailures() {
    LOG.setLevel(Level.OFF);
  }

  @AfterEach
  void reportAgain() {
    LOG.setLevel(null);
  }

  private static void put(SqliteHost host, int number, String value) {
    commit(host.store(number), turn -> turn.put(bytes("a"), bytes(value)));
  }

  private static void save(SqliteHost host) {
    host.backend.checkpointBefore(Long.MAX_VALUE);
    host.backend.awaitIdle();
  }

  @Test
  void objectHasNoFileBeforeItIsSaved() {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      assertThat(get(host.store(1), "a")).isNull();
      put(host, 1, "1");
      assertThat(host.file(object(1))).doesNotExist();

      host.crashAt(host.journal.lastPosition());
      assertThat(get(host.store(1), "a")).isEqualTo(bytes("1"));
      put(host, 1, "2");
      save(host);
      assertThat(host.file(object(1))).isNotEmptyFile();
      assertThat(ObjectFiles.wal(host.file(object(1)))).doesNotExist();
      assertThat(host.isSaved()).isTrue();
    }
  }

  @Test
  void objectThatIsOnlyReadGetsNoFile() {
    try (SqliteHost host = new SqliteHost(root, 1)) {
      assertThat(get(host.store(1), "a")).isNull();
      assertThat(get(host.store(2), "a")).isNull(); // takes its place
      host.restart();
      assertThat(host.file(object(1))).doesNotExist();
    }
  }

  @Test
  void databaseThatGrowsIsOpenedAsAFileAndInMemoryOnceItIsSmallAgain() {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      ObjectStore store = host.store(1);
      commit(store, turn -> turn.exec("CREATE TABLE t (v)", NONE));
      commit(store, turn -> turn.exec("INSERT INTO t VALUES (zeroblob(100000))", NONE));
      assertThat(host.file(object(1))).doesNotExist();

      commit(store, turn -> turn.exec("INSERT INTO t VALUES ('next')", NONE));
      assertThat(ObjectFiles.wal(host.file(object(1)))).isNotEmptyFile();
      assertThat(select(store, "SELECT length(v) FROM t")).containsExactly("100000", "4");
      List<String> all = contents(store);

      host.crashAt(host.journal.lastPosition());
      assertThat(contents(host.store(1))).isEqualTo(all);
      host.restart();
      commit(host.store(1), StoreTurn::deleteAll);
      StoreTurn compacting = host.store(1).beginTurn();
      compacting.compact();
      compacting.seal();
      host.restart();
      put(host, 1, "1");
      assertThat(ObjectFiles.wal(host.file(object(1)))).doesNotExist();
      assertThat(select(host.store(1), "PRAGMA quick_check")).containsExactly("ok");
    }
  }

  /** SQLite marks a file that has no log when it opens it with one, and no batch has the mark. */
  @Test
  void fileOfADatabaseThatHasGrownIsTheOneThatWasSaved() {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      ObjectStore store = host.store(1);
      put(host, 1, "1");
      commit(store, turn -> turn.exec("CREATE TABLE t (v)", NONE));
      commit(store, turn -> turn.exec("INSERT INTO t VALUES (zeroblob(100000))", NONE));
      put(host, 1, "2"); // opens it as a file, and changes nothing in the first page
      assertThat(ObjectFiles.wal(host.file(object(1)))).isNotEmptyFile();
      List<String> all = contents(store);

      host.restart();
      assertThat(contents(host.store(1))).isEqualTo(all);
    }
  }

  /** Otherwise each batch would have 8 bytes and two undo ranges more. */
  @Test
  void firstPageIsInABatchOnlyIfMoreThanItsCounterHasChanged() {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      put(host, 1, "1");
      put(host, 1, "2");
      put(host, 1, "3");
      int inMemory = host.journal.records().getLast().payload().remaining();
      try (SqliteHost logged = SqliteHost.of(root.resolve("logged"), 2, 0)) {
        put(logged, 1, "1");
        put(logged, 1, "2");
        put(logged, 1, "3");
        assertThat(inMemory).isEqualTo(logged.journal.records().getLast().payload().remaining());
      }
    }
  }

  /** SQLite says 1 of a database in memory. */
  @Test
  void versionOfTheDataIsThatOfAFile() {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      ObjectStore store = host.store(1);
      commit(store, turn -> turn.exec("CREATE TABLE data_version (c)", NONE));
      assertThat(select(store, "PRAGMA data_version")).containsExactly("2");
      assertThat(select(store, "pragma main . data_version ;")).containsExactly("2");
      assertThat(select(store, "PRAGMA table_info = data_version"))
          .containsExactly("0|c||0|null|0");
      assertThat(select(store, "PRAGMA table_info(data_version)")).hasSize(1);
    }
  }

  @Test
  void refusedBatchIsTakenBack() {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      put(host, 1, "1");
      StoreTurn turn = host.store(1).beginTurn();
      turn.put(bytes("a"), bytes("2"));
      host.journal.refuseNextAppend(new IllegalArgumentException("refused"));
      assertThatExceptionOfType(RuntimeException.class).isThrownBy(turn::seal);

      assertThat(get(host.store(1), "a")).isEqualTo(bytes("1"));
      put(host, 1, "3");
      host.crashAt(host.journal.lastPosition());
      assertThat(get(host.store(1), "a")).isEqualTo(bytes("3"));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"OPEN", "WRITE"})
  void saveThatFailedLosesNothing(Operation operation) {
    try (SqliteHost host = new SqliteHost(root, 1, disk)) {
      put(host, 1, "1");
      Path file = host.file(object(1));
      disk.affectOnly(file::equals);
      for (int round = 2; round < 5; round++) {
        disk.fail(operation, 1);
        save(host);
        assertThat(host.isSaved()).isFalse();
        put(host, 1, "" + round);
        assertThat(get(host.store(1), "a")).isEqualTo(bytes("" + round));
      }
      save(host);
      assertThat(host.isSaved()).isTrue();
      host.restart();
      assertThat(get(host.store(1), "a")).isEqualTo(bytes("4"));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"OPEN", "WRITE"})
  void evictionThatFailedLosesNothing(Operation operation) {
    try (SqliteHost host = new SqliteHost(root, 1, disk)) {
      put(host, 1, "1");
      disk.affectOnly(host.file(object(1))::equals);
      disk.fail(operation, 1);
      assertThatExceptionOfType(StorageFailedException.class)
          .isThrownBy(() -> host.store(2).beginTurn());
      assertThat(get(host.store(2), "a")).isNull();
      assertThat(get(host.store(1), "a")).isEqualTo(bytes("1"));
      host.crashAt(host.journal.lastPosition());
      assertThat(get(host.store(1), "a")).isEqualTo(bytes("1"));
    }
  }

  /** An object that leaves the directory without having had a page. */
  @Test
  void batchWithoutPagesIsSaved() throws IOException {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      commit(host.store(1), StoreTurn::deleteAll);
      put(host, 2, "1");
      save(host);
      assertThat(host.isSaved()).isTrue();
      host.restart();
      assertThat(get(host.store(1), "a")).isNull();
      assertThat(Files.size(host.file(object(2)))).isPositive();
    }
  }

  /** The whole database is in memory; a file with holes would be saved otherwise. */
  @Test
  void fileThatWasDeletedMeanwhileIsWrittenAgain() throws IOException {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      ObjectStore store = host.store(1);
      commit(store, turn -> turn.exec("CREATE TABLE t (v)", NONE));
      commit(store, turn -> turn.exec("INSERT INTO t VALUES (zeroblob(20000))", NONE));
      save(host);
      put(host, 1, "1");
      Files.delete(host.file(object(1)));
      save(host);
      List<String> all = contents(host.store(1));

      put(host, 1, "2");
      try (RandomAccessFile file = new RandomAccessFile(host.file(object(1)).toFile(), "rw")) {
        file.setLength(1);
      }
      put(host, 1, "1");
      save(host);
      host.restart();
      assertThat(contents(host.store(1))).isEqualTo(all);
      assertThat(select(host.store(1), "PRAGMA quick_check")).containsExactly("ok");
    }
  }

  @Test
  void compactedDatabaseIsSavedAndRecovered() {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      ObjectStore store = host.store(1);
      commit(store, turn -> turn.exec("CREATE TABLE t (v)", NONE));
      commit(store, turn -> turn.exec("INSERT INTO t VALUES (zeroblob(40000)), (1)", NONE));
      save(host);
      commit(store, turn -> turn.exec("DELETE FROM t WHERE v <> 1", NONE));
      StoreTurn compacting = store.beginTurn();
      compacting.compact();
      compacting.seal();
      List<String> all = contents(store);

      host.crashAt(host.journal.lastPosition());
      assertThat(contents(host.store(1))).isEqualTo(all);
      save(host);
      assertThat(host.file(object(1)).toFile().length()).isLessThan(20_000);
      host.restart();
      assertThat(contents(host.store(1))).isEqualTo(all);
    }
  }

  /** Both had the connection, one after the other. */
  @Test
  void objectThatGetsTheConnectionOfAnotherSeesNothingOfIt() {
    String counters = "SELECT changes(), total_changes(), last_insert_rowid()";
    try (SqliteHost host = new SqliteHost(root, 1)) {
      for (int number = 1; number < 4; number++) {
        put(host, number, "1");
      }
      assertThat(get(host.store(4), "a")).isNull();
      assertThat(select(host.store(4), counters)).containsExactly("0|0|0");
      commit(host.store(4), turn -> turn.exec("CREATE TABLE t (v)", NONE));
      commit(host.store(4), turn -> turn.exec("INSERT INTO t VALUES (1), (2)", NONE));
      assertThat(select(host.store(4), counters)).containsExactly("2|2|2");
      assertThat(get(host.store(2), "a")).isEqualTo(bytes("1"));
      assertThat(select(host.store(2), counters)).containsExactly("0|0|0");
      assertThat(select(host.store(4), "SELECT v FROM t")).containsExactly("1", "2");
    }
  }

  /** Marks a connection when a database is opened, as SQL of the object could. */
  private static final class MarkingSqlite implements SqliteLibrary {
    private final SqliteLibrary library = SqliteLibrary.jdbc();
    private volatile boolean isMarking;

    @Override
    public SqliteConnection open(Path file) throws SqliteException {
      return library.open(file);
    }

    @Override
    public SqliteConnection open(byte[] image) throws SqliteException {
      SqliteConnection connection = library.open(image);
      if (isMarking) {
        connection.execute("PRAGMA case_sensitive_like=ON");
      }
      return connection;
    }

    @Override
    public void close() {
      library.close();
    }
  }

  @Test
  void connectionThatHasRunSqlOfItsObjectIsNotUsedAgain() {
    String isMarked = "SELECT 'a' NOT LIKE 'A'";
    MarkingSqlite library = new MarkingSqlite();
    try (SqliteHost host = new SqliteHost(root, 1, library, Durability.ON_WAIT)) {
      library.isMarking = true;
      put(host, 1, "1");
      library.isMarking = false;
      assertThat(select(host.store(2), isMarked)).containsExactly("1");

      library.isMarking = true;
      assertThat(select(host.store(3), isMarked)).containsExactly("1");
      library.isMarking = false;
      assertThat(select(host.store(4), isMarked)).containsExactly("0");
    }
  }
}
