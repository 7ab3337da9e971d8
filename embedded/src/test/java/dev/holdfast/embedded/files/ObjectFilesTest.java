package dev.holdfast.embedded.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectFileException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Runtimes;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.sql.SqlMigration;
import dev.holdfast.storage.MissedRuns;
import dev.holdfast.storage.ObjectSchedules;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects are exported and imported as SQLite files, completely or not at all. */
final class ObjectFilesTest {

  private static final SqlMigration FAMILIES =
      new SqlMigration(
          "families",
          "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p ON DELETE"
              + " CASCADE); INSERT INTO p VALUES (1); INSERT INTO c VALUES (1)");

  @TempDir private Path directory;

  private ObjectRuntime open(SqlMigration... steps) {
    return open("data", steps);
  }

  private ObjectRuntime open(String name, SqlMigration... steps) {
    return Runtimes.open(
        directory.resolve(name),
        objects ->
            objects.namespace(
                "db",
                Scripted.class,
                Scripted::withAlarm,
                NamespaceOptions.DEFAULT.withMigrations(List.of(steps))));
  }

  private static <T> T in(ObjectRuntime runtime, String name, Function<ObjectContext, T> code) {
    return Scripted.in(runtime.namespace("db", Scripted.class).getByName(name), code);
  }

  private static ObjectRecovery recovery(ObjectRuntime runtime, String name) {
    return runtime.recovery("db", runtime.namespace("db", Scripted.class).idFromName(name));
  }

  private static Object run(ObjectRuntime runtime, String name, String sql) {
    return in(
        runtime,
        name,
        context ->
            context.storage().sql().exec(sql).toList().stream()
                .map(row -> String.valueOf(row.values()))
                .toList()
                .toString());
  }

  private interface Work {
    void on(Statement statement) throws Exception;
  }

  private static void change(Path file, Work work) throws Exception {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      work.on(statement);
    }
  }

  @Test
  void fileWithAHotJournalIsImportedAsOfItsLastCommit() throws Exception {
    Path live = directory.resolve("live.sqlite");
    Path killed = directory.resolve("killed.sqlite");
    change(
        live,
        statement -> {
          statement.execute("PRAGMA journal_mode=DELETE");
          statement.execute("PRAGMA cache_size=2"); // so that pages reach the file uncommitted
          statement.execute("PRAGMA cache_spill=1");
          statement.execute(
              "CREATE TABLE account AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1"
                  + " FROM n WHERE i < 400) SELECT i, 10 AS amount, hex(zeroblob(500)) FROM n");
          statement.execute("BEGIN");
          statement.execute("UPDATE account SET amount = 0");
          Files.copy(live, killed);
          Files.copy(
              directory.resolve("live.sqlite-journal"), directory.resolve("killed.sqlite-journal"));
          statement.execute("ROLLBACK");
        });

    try (ObjectRuntime runtime = open()) {
      recovery(runtime, "a").importFrom(killed);

      assertThat(run(runtime, "a", "SELECT sum(amount) FROM account")).isEqualTo("[[4000]]");
    }
    assertThat(directory.resolve("killed.sqlite-journal")).exists();
  }

  private Path exported(String name, SqlMigration... steps) {
    Path file = directory.resolve(name + ".sqlite");
    try (ObjectRuntime other = open(name, steps)) {
      run(other, "a", "SELECT 1");
      recovery(other, "a").exportTo(file);
    }
    return file;
  }

  @Test
  void fileWithOtherMigrationsIsRefusedBeforeTheObjectIsReplaced() {
    Path file = exported("theirs", new SqlMigration("theirs", "CREATE TABLE u (x)"));
    try (ObjectRuntime runtime = open(new SqlMigration("ours", "CREATE TABLE t (x)"))) {
      run(runtime, "a", "INSERT INTO t VALUES (1)");

      assertThatThrownBy(() -> recovery(runtime, "a").importFrom(file))
          .isInstanceOf(ObjectFileException.class)
          .hasMessageContaining("another migration 1");

      assertThat(run(runtime, "a", "SELECT x FROM t")).isEqualTo("[[1]]");
    }
  }

  @Test
  void fileOnWhichTheMigrationsFailIsRefused() throws Exception {
    Path file = directory.resolve("bare.sqlite");
    change(file, statement -> statement.execute("CREATE TABLE t (other)"));
    try (ObjectRuntime runtime = open(new SqlMigration("ours", "CREATE TABLE t (x)"))) {
      run(runtime, "a", "INSERT INTO t VALUES (1)");

      assertThatThrownBy(() -> recovery(runtime, "a").importFrom(file))
          .isInstanceOf(ObjectFileException.class)
          .hasMessageContaining("already exists");

      assertThat(run(runtime, "a", "SELECT x FROM t")).isEqualTo("[[1]]");
    }
  }

  /** As for a migration in place: not while foreign keys are off for the import. */
  @Test
  void migrationsOfAnOlderFileCascade() {
    Path file = exported("older", FAMILIES);
    try (ObjectRuntime runtime = open(FAMILIES, new SqlMigration("second", "DELETE FROM p"))) {
      recovery(runtime, "a").importFrom(file);

      assertThat(run(runtime, "a", "SELECT count(*) FROM c")).isEqualTo("[[0]]");
    }
  }

  @Test
  void fileOfAnOlderVersionIsBroughtUpToDate() {
    Path file = exported("older", FAMILIES);
    try (ObjectRuntime runtime = open(FAMILIES, new SqlMigration("second", "CREATE TABLE t (x)"))) {
      recovery(runtime, "a").importFrom(file);

      assertThat(run(runtime, "a", "SELECT count(*) FROM c, t")).isEqualTo("[[0]]");
      assertThat(run(runtime, "a", "DELETE FROM p; SELECT count(*) FROM c"))
          .as("foreign keys are enforced again")
          .isEqualTo("[[0]]");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE _cf_ALARM SET schedule = 'whenever'",
        "UPDATE _cf_ALARM SET name = hex(zeroblob(100))",
        "INSERT INTO _cf_ALARM WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE"
            + " i < 64) SELECT 'n' || i, state, due, scheduled, retries, schedule FROM n, _cf_ALARM"
      })
  void alarmsThatNoObjectCanHaveAreRefused(String change) throws Exception {
    Path file = directory.resolve("file.sqlite");
    try (ObjectRuntime runtime = open()) {
      in(
          runtime,
          "a",
          context -> {
            context.storage().schedules().every("tick", Duration.ofDays(1), MissedRuns.SKIP);
            return true;
          });
      recovery(runtime, "a").exportTo(file);
      recovery(runtime, "b").importFrom(file); // as it is it is good
      change(file, statement -> statement.execute(change));

      assertThatThrownBy(() -> recovery(runtime, "c").importFrom(file))
          .isInstanceOf(ObjectFileException.class)
          .hasMessageContaining("alarms that no object can have");

      List<String> names = in(runtime, "c", context -> context.storage().schedules().names());
      assertThat(names).isEmpty();
    }
  }

  /**
   * The maximum length of a cron expression with its zone: the cron library is not available here.
   */
  @Test
  void objectWithTheLongestScheduleIsImported() throws Exception {
    String longest = "every ONCE " + "0".repeat(1_060) + Duration.ofDays(1).toMillis();
    Path file = directory.resolve("file.sqlite");
    try (ObjectRuntime runtime = open()) {
      Object next =
          in(
              runtime,
              "a",
              context -> {
                ObjectSchedules schedules = context.storage().schedules();
                schedules.every("noon", Duration.ofDays(1), MissedRuns.ONCE);
                return schedules.next("noon");
              });
      recovery(runtime, "a").exportTo(file);
      change(
          file,
          statement -> statement.execute("UPDATE _cf_ALARM SET schedule = '" + longest + "'"));

      recovery(runtime, "b").importFrom(file);

      Object imported = in(runtime, "b", context -> context.storage().schedules().next("noon"));
      assertThat(imported).isEqualTo(next).isNotEqualTo(Optional.empty());
    }
  }

  @Test
  void moduleOfAVirtualTableIsNotTakenFromItsName() throws Exception {
    Path good = directory.resolve("good.sqlite");
    change(
        good,
        statement -> {
          statement.execute("CREATE VIRTUAL TABLE \"a using x\" USING fts5(text)");
          statement.execute("INSERT INTO \"a using x\" VALUES ('word')");
          statement.execute("CREATE VIRTUAL TABLE[b]using fts5(text)");
        });
    Path bad = directory.resolve("bad.sqlite");
    change(
        bad,
        statement -> {
          statement.execute("CREATE TABLE t (x)");
          statement.execute("PRAGMA writable_schema=ON");
          statement.execute(
              "INSERT INTO sqlite_schema VALUES ('table', 'a using fts5', 'a using fts5', 0,"
                  + " 'CREATE VIRTUAL TABLE \"a using fts5\" USING dbstat')");
        });
    try (ObjectRuntime runtime = open()) {
      recovery(runtime, "a").importFrom(good);
      assertThat(run(runtime, "a", "SELECT text FROM \"a using x\" WHERE text MATCH 'word'"))
          .isEqualTo("[[word]]");

      assertThatThrownBy(() -> recovery(runtime, "b").importFrom(bad))
          .isInstanceOf(ObjectFileException.class)
          .hasMessageContaining("of the module \"dbstat\"");
    }
  }

  private static String owner(Path file) {
    try {
      List<String> owners = new ArrayList<>();
      change(
          file,
          statement -> {
            try (var row = statement.executeQuery("SELECT name FROM owner, filler LIMIT 1")) {
              row.next();
              owners.add(row.getString(1));
            }
          });
      return owners.getFirst();
    } catch (Exception e) {
      return e.toString();
    }
  }

  @Test
  void twoExportsToOneNameLeaveTheFileOfTheOneThatSucceeded() throws Exception {
    List<String> names = List.of("a", "b");
    try (ObjectRuntime runtime = open()) {
      for (String name : names) {
        run(
            runtime,
            name,
            "CREATE TABLE owner (name); INSERT INTO owner VALUES ('"
                + name
                + "'); CREATE TABLE filler AS SELECT zeroblob(300000)");
      }
      for (int round = 0; round < 20; round++) {
        Path exports = Files.createDirectory(directory.resolve("exports-" + round));
        Path file = exports.resolve("out.sqlite");
        Map<String, String> outcomes = new ConcurrentHashMap<>();
        CyclicBarrier together = new CyclicBarrier(names.size());
        List<Thread> threads = new ArrayList<>();
        for (String name : names) {
          threads.add(
              Thread.startVirtualThread(
                  () -> {
                    try {
                      together.await();
                      recovery(runtime, name).exportTo(file);
                      outcomes.put(name, "done");
                    } catch (ObjectFileException e) {
                      outcomes.put(name, "refused");
                    } catch (Exception e) {
                      outcomes.put(name, e.toString());
                    }
                  }));
        }
        for (Thread thread : threads) {
          thread.join();
        }
        assertThat(outcomes.values()).containsExactlyInAnyOrder("done", "refused");
        assertThat(outcomes.get(owner(file))).as("of whom the file is").isEqualTo("done");
        try (var left = Files.list(exports)) {
          assertThat(left).containsExactly(file);
        }
      }
    }
  }

  @Test
  void fileThatAKilledExportHasLeftStaysAndHindersNobody() throws Exception {
    Path file = directory.resolve("out.sqlite");
    Path left = Files.writeString(directory.resolve("out.sqlite.part"), "half");
    try (ObjectRuntime runtime = open()) {
      run(runtime, "a", "CREATE TABLE t (x)");
      recovery(runtime, "a").exportTo(file);
    }
    assertThat(file).isNotEmptyFile();
    assertThat(left).hasContent("half");
  }
}
