package dev.holdfast.system.recovery;

import dev.holdfast.SqlException;
import dev.holdfast.spi.StoreTurn;
import java.util.Random;

/**
 * What a random program does to an object in one turn: keys and values, and on SQLite also tables
 * that come, change and go, indexes, full text, and rows that empty pages and fill them again.
 */
final class RandomObject {

  private static final int KEYS = 40;
  private static final int TABLES = 3;

  private final Random random;
  private final boolean hasSql;

  RandomObject(Random random, boolean hasSql) {
    this.random = random;
    this.hasSql = hasSql;
  }

  void change(StoreTurn turn) {
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      if (hasSql && random.nextBoolean()) {
        sql(turn);
      } else {
        keyValue(turn);
      }
    }
  }

  private void keyValue(StoreTurn turn) {
    int dice = random.nextInt(100);
    byte[] key = Content.bytes("key-" + random.nextInt(KEYS));
    if (dice < 65) {
      turn.put(key, value());
    } else if (dice < 97) {
      turn.delete(key);
    } else {
      turn.deleteAll();
    }
  }

  private byte[] value() {
    byte[] value = new byte[random.nextInt(10) == 0 ? random.nextInt(9_000) : random.nextInt(200)];
    random.nextBytes(value);
    return value;
  }

  private void sql(StoreTurn turn) {
    String table = "t" + random.nextInt(TABLES);
    int number = random.nextInt(50);
    String statement =
        switch (random.nextInt(14)) {
          case 0, 1 ->
              "CREATE TABLE IF NOT EXISTS "
                  + table
                  + " (id INTEGER PRIMARY KEY, a, b TEXT DEFAULT 'none')";
          case 2 -> "DROP TABLE IF EXISTS " + table;
          case 3 -> "ALTER TABLE " + table + " ADD COLUMN c" + number;
          case 4 -> "CREATE INDEX IF NOT EXISTS i_" + table + " ON " + table + " (a, b)";
          case 5 -> "DROP INDEX IF EXISTS i_" + table;
          case 6 -> "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(w)";
          case 7 ->
              "INSERT INTO words (w) VALUES ('some words " + number + " " + random.nextInt() + "')";
          case 8 -> "DELETE FROM " + table + " WHERE id % 3 = " + number % 3;
          case 9 -> "UPDATE " + table + " SET b = b || 'x' WHERE id > " + number;
          case 10 -> "ALTER TABLE " + table + " RENAME COLUMN b TO b"; // refused: nothing changes
          default ->
              "INSERT OR REPLACE INTO "
                  + table
                  + " (id, a) SELECT value, '"
                  + "y".repeat(random.nextInt(400))
                  + "' FROM (SELECT "
                  + number
                  + " AS value UNION SELECT "
                  + (number + 50)
                  + " UNION SELECT "
                  + (number + 100)
                  + ")";
        };
    try {
      Content.rows(turn, statement);
    } catch (SqlException e) {
      // A table that is not there, a column that is: the statement did nothing.
    }
  }
}
