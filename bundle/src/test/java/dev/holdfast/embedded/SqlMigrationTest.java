package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectFactory;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.SqlException;
import dev.holdfast.sql.SqlMigration;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Steps that bring the tables of an object up to date before anything of it runs. */
class SqlMigrationTest {

  private static final SqlMigration TABLE =
      new SqlMigration("people", "CREATE TABLE person (name); INSERT INTO person VALUES ('Ada')");
  private static final SqlMigration COLUMN =
      new SqlMigration("age", "ALTER TABLE person ADD COLUMN age");
  private static final SqlMigration BROKEN =
      new SqlMigration("broken", "INSERT INTO missing VALUES (1)");

  @TempDir private Path directory;

  private <T> T in(
      ObjectFactory<Scripted> factory,
      Function<ObjectContext, T> code,
      SqlMigration... migrations) {
    NamespaceOptions options = NamespaceOptions.DEFAULT.withMigrations(List.of(migrations));
    try (ObjectRuntime runtime =
        Holdfast.open(
            directory, objects -> objects.namespace("db", Scripted.class, factory, options))) {
      return Scripted.in(runtime.namespace("db", Scripted.class).getByName("a"), code);
    }
  }

  private static List<String> columns(ObjectContext context) {
    return context.storage().sql().exec("SELECT * FROM person").columnNames();
  }

  @Test
  void factorySeesTheTablesOfItsMigrations() {
    List<List<String>> seen = new ArrayList<>();

    in(
        context -> {
          seen.add(columns(context));
          return Scripted.of(context);
        },
        _ -> true,
        TABLE,
        COLUMN);

    assertThat(seen).containsExactly(List.of("name", "age"));
  }

  @Test
  void failingStepTakesTheStepsOfItsActivationAlong() {
    in(Scripted::of, _ -> true, TABLE);

    assertThatThrownBy(() -> in(Scripted::of, _ -> true, TABLE, COLUMN, BROKEN))
        .isInstanceOf(InstanceResetException.class);

    // With one step noted more than are given, this would be refused.
    List<String> columns = in(Scripted::of, SqlMigrationTest::columns, TABLE);
    assertThat(columns).containsExactly("name");
  }

  @Test
  void notesOfTheStepsAreHiddenFromStatements() {
    in(
        Scripted::of,
        context -> {
          for (String attack :
              List.of(
                  "SELECT * FROM _cf_MIGRATION",
                  "SELECT * FROM \"_CF_migration\"",
                  "DELETE FROM _cf_MIGRATION",
                  "DROP TABLE _cf_MIGRATION",
                  "ALTER TABLE _cf_MIGRATION RENAME TO mine")) {
            assertThatThrownBy(() -> context.storage().sql().exec(attack))
                .as(attack)
                .isInstanceOf(SqlException.class)
                .hasMessageContaining("prohibited");
          }
          return true;
        },
        TABLE);

    List<String> columns = in(Scripted::of, SqlMigrationTest::columns, TABLE, COLUMN);
    assertThat(columns).containsExactly("name", "age");
  }
}
