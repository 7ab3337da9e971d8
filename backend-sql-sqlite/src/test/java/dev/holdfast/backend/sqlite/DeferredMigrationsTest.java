package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.contents;
import static dev.holdfast.backend.sqlite.Objects.object;
import static dev.holdfast.backend.sqlite.Objects.rows;
import static dev.holdfast.backend.sqlite.Objects.select;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.SqlException;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.StoreTurn.MigrationPlan;
import dev.holdfast.sql.SqlMigration;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An object that has nothing durable is not created by its migrations. */
final class DeferredMigrationsTest {

  private static final Object[] NONE = {};
  private static final String NAMES = "SELECT name FROM person ORDER BY name";

  private static final SqlMigration TABLE =
      new SqlMigration(
          "people", "CREATE TABLE person (name TEXT); INSERT INTO person VALUES ('Ada')");
  private static final SqlMigration COLUMN =
      new SqlMigration("age", "ALTER TABLE person ADD COLUMN age");

  private static final SqlMigration FAMILIES =
      new SqlMigration(
          "families",
          "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p ON DELETE"
              + " CASCADE); INSERT INTO p VALUES (1), (2); INSERT INTO c VALUES (1), (2)");
  private static final SqlMigration REBUILD =
      new SqlMigration(
          "rebuild",
          "PRAGMA foreign_keys = OFF; CREATE TABLE q (id INTEGER PRIMARY KEY, more); INSERT INTO q"
              + " SELECT id, 1 FROM p; DROP TABLE p; ALTER TABLE q RENAME TO p");
  private static final SqlMigration CASCADE =
      new SqlMigration("cascade", "DELETE FROM p WHERE id = 2");

  private static final List<SqlMigration> STEPS = List.of(TABLE, COLUMN);
  private static final List<SqlMigration> SPLIT = List.of(TABLE, FAMILIES, REBUILD, CASCADE);

  @TempDir private Path root;
  private SqliteHost host;

  @BeforeEach
  void open() {
    host = new SqliteHost(root, 2);
  }

  @AfterEach
  void close() {
    host.close();
  }

  private static MigrationPlan plan(List<SqlMigration> steps) {
    return new MigrationPlan(List.copyOf(steps), /* newerAllowed= */ false, (_, _) -> {});
  }

  /** Creates an instance of an object, in a turn that ends with it. */
  private ObjectStore activated(int number, List<SqlMigration> migrations) {
    ObjectStore store = host.store(number);
    StoreTurn turn = store.beginTurn();
    boolean done = false;
    try {
      while (turn.migrate(plan(migrations))) {
        turn.seal();
        turn = store.beginTurn();
      }
      done = true;
    } finally {
      if (!done) {
        turn.discard();
      }
    }
    turn.seal();
    return store;
  }

  private static long seal(ObjectStore store, java.util.function.Consumer<StoreTurn> work) {
    StoreTurn turn = store.beginTurn();
    work.accept(turn);
    return turn.seal();
  }

  private void assertNothingDurable() {
    assertThat(host.journal.lastPosition()).isEqualTo(Journal.START);
    host.crashAt(host.journal.lastPosition());
    assertThat(contents(host.store(1))).isEmpty();
  }

  @Test
  void readSeesTheTablesAndMakesNothingDurable() {
    ObjectStore store = activated(1, STEPS);
    assertThat(seal(store, turn -> assertThat(rows(turn, NAMES)).containsExactly("Ada")))
        .isEqualTo(Journal.START);
    assertThat(select(store, "SELECT age FROM person")).containsExactly("null");
    assertNothingDurable();
  }

  @Test
  void nothingReachesTheFileWhenItIsClosed() throws IOException {
    activated(1, STEPS);
    activated(2, SPLIT);
    host.restart();
    assertThat(host.file(object(1))).doesNotExist();
    assertThat(host.file(object(2))).doesNotExist();
  }

  @Test
  void firstWriteTakesTheMigrationsAlongInOneBatch() {
    for (List<SqlMigration> migrations : List.of(STEPS, SPLIT)) {
      int number = host.nextNumber();
      ObjectStore store = activated(number, migrations);
      List<String> read = select(store, NAMES);
      long before = host.journal.lastPosition();
      long position = seal(store, turn -> turn.put(bytes("k"), bytes("v")));
      assertThat(host.journal.lastPosition()).isEqualTo(position);
      List<String> all = contents(store);
      host.crashAt(before);
      assertThat(contents(host.store(number))).isEmpty();
      store = activated(number, migrations);
      position = seal(store, turn -> turn.put(bytes("k"), bytes("v")));
      host.crashAt(position);
      store = activated(number, migrations);
      assertThat(select(store, NAMES)).isEqualTo(read);
      assertThat(contents(store)).isEqualTo(all);
      assertThat(batchCount(number)).isEqualTo(1);
      assertThat(select(store, "PRAGMA quick_check")).containsExactly("ok");
    }
  }

  @Test
  void writeOfTheFirstTurnTakesThemAlong() {
    ObjectStore store = host.store(1);
    StoreTurn turn = store.beginTurn();
    assertThat(turn.migrate(plan(SPLIT))).isFalse();
    turn.exec("INSERT INTO person VALUES ('Bob')", NONE);
    host.crashAt(turn.seal());
    assertThat(select(activated(1, SPLIT), NAMES)).containsExactly("Ada", "Bob");
    assertThat(select(host.store(1), "SELECT p FROM c")).containsExactly("1");
  }

  @Test
  void stepsThatSwitchForeignKeysOffStandBesideOthersThatDoNot() {
    ObjectStore store = activated(1, SPLIT);
    assertThat(select(store, "SELECT p FROM c")).containsExactly("1");
    assertThat(select(store, "PRAGMA foreign_keys")).containsExactly("1");
    assertNothingDurable();
  }

  @Test
  void writeThatIsTakenBackLeavesNothing() {
    ObjectStore store = activated(1, STEPS);
    StoreTurn turn = store.beginTurn();
    turn.put(bytes("k"), bytes("v"));
    turn.discard();
    long position =
        seal(
            store,
            again -> {
              again.openSavepoint();
              again.exec("INSERT INTO person (name) VALUES ('Bob')", NONE);
              again.rollbackToSavepoint();
            });
    assertThat(position).isEqualTo(Journal.START);
    assertThat(select(store, NAMES)).containsExactly("Ada");
    assertNothingDurable();
  }

  @Test
  void transactionThatChangesNothingLeavesNothing() {
    ObjectStore store = activated(1, STEPS);
    long position =
        seal(store, turn -> turn.exec("DELETE FROM person WHERE name = 'nobody'", NONE));
    assertThat(position).isEqualTo(Journal.START);
    assertThat(seal(store, turn -> turn.delete(bytes("k")))).isEqualTo(Journal.START);
    assertNothingDurable();
  }

  @Test
  void deletedObjectStaysDeletedWhenItIsRead() {
    ObjectStore store = activated(1, STEPS);
    seal(store, turn -> turn.put(bytes("k"), bytes("v")));
    long deleted = seal(store, StoreTurn::deleteAll);
    assertThat(host.journal.lastPosition()).isEqualTo(deleted);

    assertThat(select(activated(1, STEPS), NAMES)).containsExactly("Ada");
    host.backend.checkpointBefore(Long.MAX_VALUE);
    host.backend.awaitIdle();
    assertThat(select(activated(1, STEPS), NAMES)).containsExactly("Ada");
    host.restart();
    assertThat(contents(host.store(1))).isEmpty();
    assertThat(select(activated(1, SPLIT), NAMES)).containsExactly("Ada");
  }

  @Test
  void deletionOfWhatWasOnlyReadIsNoBatch() {
    ObjectStore store = activated(1, STEPS);
    assertThat(seal(store, StoreTurn::deleteAll)).isEqualTo(Journal.START);
    assertThat(contents(store)).isEmpty();
    assertNothingDurable();
  }

  @Test
  void writeAfterTheDeletionInOneTurnIsKeptAlone() {
    ObjectStore store = activated(1, SPLIT);
    long position =
        seal(
            store,
            turn -> {
              turn.deleteAll();
              turn.put(bytes("k"), bytes("v"));
            });
    List<String> left = contents(store);
    assertThat(left).hasSize(1).first().asString().startsWith("k=");
    host.crashAt(position);
    assertThat(contents(host.store(1))).isEqualTo(left);
  }

  @Test
  void alarmSetAfterTheDeletionInOneTurnIsKept() {
    ObjectStore store = activated(1, STEPS);
    AlarmRecord alarm = AlarmRecord.once(AlarmRecord.OWN, 5);
    long position =
        seal(
            store,
            turn -> {
              turn.deleteAll();
              turn.setAlarms(List.of(alarm));
            });
    assertThat(Objects.read(store, StoreTurn::alarms)).containsExactly(alarm);
    host.crashAt(position);
    assertThat(Objects.read(host.store(1), StoreTurn::alarms)).containsExactly(alarm);
  }

  @Test
  void deletionThatIsTakenBackLeavesTheTables() {
    ObjectStore store = activated(1, STEPS);
    long position =
        seal(
            store,
            turn -> {
              turn.openSavepoint();
              turn.deleteAll();
              turn.rollbackToSavepoint();
            });
    assertThat(position).isEqualTo(Journal.START);
    assertThat(select(store, NAMES)).containsExactly("Ada");
    assertNothingDurable();
  }

  @Test
  void alarmIsAWriteAsAnyOther() {
    ObjectStore store = activated(1, STEPS);
    AlarmRecord alarm = AlarmRecord.once(AlarmRecord.OWN, 5);
    long position = seal(store, turn -> turn.setAlarms(List.of(alarm)));
    host.crashAt(position);
    store = activated(1, STEPS);
    assertThat(select(store, NAMES)).containsExactly("Ada");
    assertThat(Objects.read(store, StoreTurn::alarms)).containsExactly(alarm);
  }

  @Test
  void databaseThatWasClosedMeanwhileIsMigratedAgain() {
    ObjectStore store = activated(1, SPLIT);
    activated(2, STEPS);
    activated(3, STEPS);
    activated(4, STEPS);
    assertThat(select(store, NAMES)).containsExactly("Ada");
    activated(2, STEPS);
    activated(3, STEPS);
    activated(4, STEPS);
    assertThat(host.journal.lastPosition()).isEqualTo(Journal.START);
    host.crashAt(seal(store, turn -> turn.exec("INSERT INTO person VALUES ('Bob')", NONE)));
    assertThat(select(host.store(1), NAMES)).containsExactly("Ada", "Bob");
  }

  @Test
  void stepThatFailsLeavesNothingOfTheOthers() {
    SqlMigration broken = new SqlMigration("broken", "INSERT INTO missing VALUES (1)");
    List<SqlMigration> steps = new ArrayList<>(SPLIT);
    steps.add(broken);
    for (int times = 0; times < 2; times++) {
      assertThatThrownBy(() -> activated(1, steps))
          .isInstanceOf(SqlException.class)
          .hasMessageContaining("Migration 5 \"broken\" failed");
    }
    assertThat(contents(host.store(1))).isEmpty();
    assertThat(select(activated(1, STEPS), NAMES)).containsExactly("Ada");
    assertNothingDurable();
  }

  @Test
  void objectWithDataIsMigratedAtOnce() {
    seal(host.store(1), turn -> turn.put(bytes("k"), bytes("v")));
    activated(1, SPLIT);
    host.crashAt(host.journal.lastPosition());
    assertThat(select(host.store(1), NAMES)).containsExactly("Ada");
  }

  /** After each step, and after any crash, the content is that of a model. */
  @Test
  void randomStepsAgreeWithAModel() {
    long seed = 0x5EED_2026L;
    Random random = new Random(seed);
    int rounds = "long".equals(System.getProperty("holdfast.tests")) ? 60 : 8;
    for (int round = 0; round < rounds; round++) {
      runRandomly(random, "seed " + seed + ", round " + round);
    }
  }

  private void runRandomly(Random random, String where) {
    int number = host.nextNumber() + 10;
    List<SqlMigration> migrations = random.nextBoolean() ? STEPS : SPLIT;
    String insert = "INSERT INTO person (name) VALUES ('Bob')";
    ObjectStore store = activated(number, migrations);
    int bobs = 0;
    boolean exists = false;
    for (int step = 0; step < 12; step++) {
      long last = host.journal.lastPosition();
      long before = batchCount(number);
      switch (random.nextInt(8)) {
        case 0, 1 -> store = activated(number, migrations);
        case 2 -> {
          seal(store, turn -> turn.exec(insert, NONE));
          bobs++;
          exists = true;
        }
        case 3 ->
            seal(
                store,
                turn -> {
                  turn.openSavepoint();
                  turn.exec(insert, NONE);
                  turn.rollbackToSavepoint();
                });
        case 4 -> {
          if (exists || random.nextBoolean()) {
            seal(store, StoreTurn::deleteAll);
            exists = false;
            bobs = 0;
          }
          store = activated(number, migrations);
          before = batchCount(number);
        }
        case 5 -> {
          activated(1, STEPS);
          activated(2, STEPS);
        }
        case 6 -> {
          host.backend.checkpointBefore(Long.MAX_VALUE);
          host.backend.awaitIdle();
        }
        default -> {
          host.crashAt(last);
          assertThat(contents(host.store(number)).isEmpty()).as(where).isEqualTo(!exists);
          store = activated(number, migrations);
        }
      }
      assertThat(select(store, NAMES)).as(where).hasSize(bobs + 1);
      if (!exists) {
        assertThat(batchCount(number)).as(where).isEqualTo(before);
      }
    }
  }

  private long batchCount(int number) {
    return host.journal.records().stream()
        .filter(record -> record.key().equals(object(number)) && record.kind().isBatch())
        .count();
  }
}
