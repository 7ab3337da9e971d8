package dev.holdfast.system.mistakes;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.sql.JavaMigration;
import dev.holdfast.sql.Migration;
import dev.holdfast.sql.SqlMigration;
import dev.holdfast.system.mistakes.Host.Probe;
import java.nio.file.Path;
import java.util.List;

/** Migrations. */
final class MigrationMistakes {

  private static final SqlMigration ITEMS =
      new SqlMigration("items", "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)");
  private static final SqlMigration NAMES =
      new SqlMigration("names", "CREATE INDEX item_name ON item (name)");

  private MigrationMistakes() {}

  static List<Mistake> all() {
    return List.of(
        Mistake.of("a migration without statements", _ -> new SqlMigration("items", " ")),
        Mistake.of(
            "two migrations with one name",
            _ -> NamespaceOptions.DEFAULT.withMigrations(List.of(ITEMS, ITEMS))),
        Mistake.of(
            "a migration that fails",
            host ->
                run(
                    host.missing(),
                    ITEMS,
                    new SqlMigration("names", "CREATE INDEX i ON itme (id)"))),
        Mistake.of(
            "a migration that is code and fails",
            host ->
                run(
                    host.missing(),
                    ITEMS,
                    new JavaMigration(
                        "prices",
                        _ -> {
                          throw new IllegalStateException("the price list is empty");
                        }))),
        Mistake.of(
            "a migration that was changed",
            host -> {
              Path directory = host.missing();
              run(directory, ITEMS, NAMES);
              run(directory, new SqlMigration("items", "CREATE TABLE item (id)"), NAMES);
            }),
        Mistake.of(
            "an older version of the application",
            host -> {
              Path directory = host.missing();
              run(directory, ITEMS, NAMES);
              run(directory, ITEMS);
            }),
        Mistake.of(
            "a migration that only switches foreign keys off",
            host -> run(host.missing(), ITEMS, new SqlMigration("off", "PRAGMA foreign_keys=OFF"))),
        Mistake.of(
            "a migration that commits",
            host -> run(host.missing(), ITEMS, new SqlMigration("commit", "COMMIT"))),
        Mistake.of(
            "a migration that leaves a broken key",
            host ->
                run(
                    host.missing(),
                    ITEMS,
                    new SqlMigration(
                        "parts",
                        "PRAGMA foreign_keys=OFF; CREATE TABLE part (item REFERENCES item);"
                            + " INSERT INTO part VALUES (77)"))));
  }

  private static void run(Path directory, Migration... migrations) throws Exception {
    NamespaceOptions options = NamespaceOptions.DEFAULT.withMigrations(List.of(migrations));
    try (ObjectRuntime runtime =
        Host.open(
            directory,
            objects ->
                objects.namespace(
                    "carts",
                    Probe.class,
                    context ->
                        argument -> {
                          context.storage().put("key", 1L);
                          return argument;
                        },
                    options))) {
      runtime.namespace("carts", Probe.class).getByName("one").run(null);
    }
  }
}
