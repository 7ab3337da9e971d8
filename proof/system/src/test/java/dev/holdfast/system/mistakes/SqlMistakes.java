package dev.holdfast.system.mistakes;

import dev.holdfast.sql.SqlResult;
import dev.holdfast.sql.SqlRow;
import dev.holdfast.sql.SqlStorage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Consumer;

/** SQL statements, their parameters and their results. */
final class SqlMistakes {

  private SqlMistakes() {}

  record Item(long id, String name) {}

  record Priced(long id, double price) {}

  record Place(long id, List<String> locale) {}

  record Positive(long id) {
    Positive {
      if (id < 10) {
        throw new IllegalArgumentException("too small");
      }
    }
  }

  static List<Mistake> all() {
    return List.of(
        sql("a statement with a wrong word", sql -> sql.exec("SELEKT * FROM item")),
        sql("a table that does not exist", sql -> sql.exec("SELECT * FROM itme")),
        sql("a column that does not exist", sql -> sql.exec("SELECT nam FROM item")),
        sql("a text without a statement", sql -> sql.exec("-- nothing yet")),
        sql("too few parameters", sql -> sql.exec("INSERT INTO item VALUES (?, ?)", 3)),
        sql("too many parameters", sql -> sql.exec("SELECT * FROM item WHERE id = ?", 1, 2)),
        sql(
            "parameters for several statements",
            sql -> sql.exec("DELETE FROM item WHERE id = ?; SELECT 1", 1)),
        sql("a list as a parameter", sql -> sql.exec("SELECT ?", List.of(1, 2))),
        sql(
            "a locale without a language tag as a parameter",
            sql -> sql.exec("SELECT ?", Locale.of("no such language"))),
        sql(
            "a column read as a type that it does not fit",
            sql -> sql.exec("SELECT name FROM item").one().get("name", UUID.class)),
        sql(
            "a row that exists already",
            sql -> sql.exec("INSERT INTO item VALUES (?, ?)", 1, "again")),
        sql("BEGIN in a turn", sql -> sql.exec("BEGIN")),
        sql("another file", sql -> sql.exec("ATTACH 'other.sqlite' AS other")),
        sql("a pragma of the file", sql -> sql.exec("PRAGMA journal_mode = DELETE")),
        sql("a hidden table", sql -> sql.exec("SELECT * FROM _cf_KV")),
        sql("a function that is not there", sql -> sql.exec("SELECT load_extension('x')")),
        sql(
            "NULL in a column of a primitive component",
            sql -> sql.exec("SELECT NULL AS id, 'pen' AS name").as(Item.class).toList()),
        sql(
            "NULL read as a number",
            sql -> sql.exec("SELECT NULL AS total").one().getLong("total")),
        sql(
            "a text in a column of a number",
            sql -> sql.exec("SELECT 'one' AS id, 'pen' AS name").as(Item.class).toList()),
        sql(
            "a text read as a number of a row",
            sql -> sql.exec("SELECT 'one' AS id").one().getLong("id")),
        sql(
            "a component without a column",
            sql -> sql.exec("SELECT id, name FROM item").as(Priced.class).toList()),
        sql(
            "a component of a type that SQLite does not have",
            sql -> sql.exec("SELECT 1 AS id, 'de' AS locale").as(Place.class).toList()),
        sql(
            "a record that refuses a row",
            sql -> sql.exec("SELECT id FROM item WHERE id = 1").as(Positive.class).toList()),
        sql(
            "a column that the result does not have",
            sql -> sql.exec("SELECT id FROM item WHERE id = 1").one().get("name")),
        sql("one row of none", sql -> sql.exec("SELECT * FROM item WHERE id = 9").one()),
        sql("one row of two", sql -> sql.exec("SELECT 1 UNION SELECT 2").one()),
        Mistake.of(
            "a result after its turn",
            host -> {
              List<SqlResult<SqlRow>> kept = new ArrayList<>();
              host.inside(
                  Host.PROBES, (context, _) -> kept.add(context.storage().sql().exec("SELECT 1")));
              kept.getFirst().toList();
            }),
        Mistake.of(
            "a table in a namespace that may not change tables",
            host ->
                host.storage(Host.PLAIN, storage -> storage.sql().exec("CREATE TABLE item (id)"))),
        Mistake.of(
            "SQL in RocksDB",
            host -> host.storage(Host.PAIRS, storage -> storage.sql().exec("SELECT 1"))),
        sql(
            "a foreign key that is broken at the end of the turn",
            sql -> {
              sql.exec("CREATE TABLE part (item REFERENCES item DEFERRABLE INITIALLY DEFERRED)");
              sql.exec("INSERT INTO part VALUES (77)");
            }),
        Mistake.of(
            "a statement without an end",
            host ->
                host.storage(
                    Host.PLAIN,
                    storage ->
                        storage
                            .sql()
                            .exec(
                                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
                                    + " SELECT sum(i) FROM n")
                            .one())),
        sql("a thread as a parameter", sql -> sql.exec("SELECT ?", new Thread(() -> {})).one()));
  }

  /** A mistake with a table {@code item} that has one row. */
  private static Mistake sql(String title, Consumer<SqlStorage> use) {
    return Mistake.of(
        title,
        host ->
            host.storage(
                storage -> {
                  storage.sql().exec("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)");
                  storage.sql().exec("INSERT INTO item VALUES (1, 'pen')");
                  use.accept(storage.sql());
                }));
  }
}
