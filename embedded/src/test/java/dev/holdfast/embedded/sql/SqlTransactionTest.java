package dev.holdfast.embedded.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.sql.SqlStorage;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Transactions over tables and keys, and the size of the database. */
final class SqlTransactionTest {

  private final SqlObject object;

  SqlTransactionTest(@TempDir Path directory) {
    object = new SqlObject(directory);
  }

  @Test
  void constraintThatIsStillBrokenAtTheCommitResetsTheObject() {
    try (ObjectRuntime runtime = object.open(NamespaceOptions.DEFAULT)) {
      SqlObject.in(
          runtime,
          context -> {
            context
                .storage()
                .sql()
                .exec(
                    "CREATE TABLE u (id INTEGER PRIMARY KEY);"
                        + "CREATE TABLE p (id INTEGER PRIMARY KEY, u REFERENCES u (id))");
            context.storage().put("before", 1L);
          });
      assertThatExceptionOfType(InstanceResetException.class)
          .isThrownBy(
              () ->
                  SqlObject.in(
                      runtime,
                      context -> {
                        context.storage().put("during", 1L);
                        context.storage().sql().exec("PRAGMA defer_foreign_keys = ON");
                        context.storage().sql().exec("INSERT INTO p (u) VALUES (5)");
                      }))
          .havingCause()
          .withMessageContaining("constraints were violated: FOREIGN KEY constraint failed");
      SqlObject.in(
          runtime,
          context -> {
            assertThat(context.storage().sql().exec("SELECT * FROM p").toList()).isEmpty();
            assertThat(context.storage().list(Object.class)).containsOnlyKeys("before");
          });
    }
  }

  @Test
  void nestedTransactionsTakeBackKeysAndRowsTogether() {
    try (ObjectRuntime runtime = object.open(NamespaceOptions.DEFAULT)) {
      SqlObject.in(
          runtime,
          context -> {
            SqlStorage sql = context.storage().sql();
            sql.exec("CREATE TABLE t (v)");
            context
                .storage()
                .transactionSync(
                    () -> {
                      sql.exec("INSERT INTO t VALUES (1)");
                      context.storage().put("one", 1L);
                      assertThatThrownBy(
                              () ->
                                  context
                                      .storage()
                                      .transactionSync(
                                          () -> {
                                            sql.exec("INSERT INTO t VALUES (2)");
                                            sql.exec("CREATE TABLE made_inside (v)");
                                            context.storage().put("two", 2L);
                                            throw new IllegalStateException("inner");
                                          }))
                          .hasMessage("inner");
                      sql.exec("INSERT INTO t VALUES (3)");
                      return null;
                    });
            assertThat(sql.exec("SELECT v FROM t").raw().toList())
                .containsExactly(List.of(1L), List.of(3L));
            assertThat(context.storage().list(Object.class)).containsOnlyKeys("one");
            assertThatThrownBy(() -> sql.exec("SELECT * FROM made_inside"))
                .hasMessageStartingWith("no such table: made_inside");
          });
    }
  }

  @Test
  void databaseSizeCountsPagesInUse() {
    object.run(
        sql -> {
          long before = sql.databaseSize();
          sql.exec("CREATE TABLE t (v)");
          assertThat(sql.databaseSize()).isEqualTo(before + 4_096);
          sql.exec("DROP TABLE t");
          assertThat(sql.databaseSize()).isEqualTo(before);
        });
  }
}
