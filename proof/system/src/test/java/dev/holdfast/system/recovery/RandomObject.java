package dev.holdfast.system.recovery;

import dev.holdfast.SqlException;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.StoreTurn;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The random changes of an object in one turn: keys and values, alarms, and on SQLite also tables
 * that are created, altered and dropped, indexes, full text, and rows that empty pages and fill
 * them again. Sometimes an object becomes so large that the undo of its {@code deleteAll} is split.
 */
final class RandomObject {

  private static final int KEYS = 40;
  private static final int TABLES = 3;
  private static final int ALARMS = 3;
  private static final int LONG_KEY_CHARS = 2_000;

  /** In total more than the undo of one turn in one record on RocksDB, 1 MiB. */
  private static final int FILL_VALUES = 300;

  private static final int FILL_VALUE_BYTES = 4_000;

  /** The number of random choices of {@link #keyValue} for each one that fills the object. */
  private static final int CHOICES = 1_000;

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
    int dice = random.nextInt(CHOICES);
    if (dice < 600) {
      turn.put(key(), value());
    } else if (dice < 900) {
      turn.delete(key());
    } else if (dice < 969) {
      turn.setAlarms(alarms());
    } else if (dice < 999) {
      turn.deleteAll();
    } else {
      fill(turn);
    }
  }

  private byte[] key() {
    int number = random.nextInt(KEYS);
    return Content.bytes(number == 0 ? "long-key-" + "k".repeat(LONG_KEY_CHARS) : "key-" + number);
  }

  private byte[] value() {
    byte[] value = new byte[random.nextInt(10) == 0 ? random.nextInt(9_000) : random.nextInt(200)];
    random.nextBytes(value);
    return value;
  }

  private void fill(StoreTurn turn) {
    for (int number = 0; number < FILL_VALUES; number++) {
      byte[] value = new byte[FILL_VALUE_BYTES];
      random.nextBytes(value);
      turn.put(Content.bytes("fill-" + number), value);
    }
  }

  private List<AlarmRecord> alarms() {
    List<AlarmRecord> alarms = new ArrayList<>();
    for (int number = random.nextInt(ALARMS); number > 0; number--) {
      String name = number == 1 ? AlarmRecord.OWN : "alarm-" + number;
      alarms.add(AlarmRecord.once(name, random.nextLong(1L << 40)));
    }
    return alarms;
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
      // A missing table, or an existing column: the statement had no effect.
    }
  }
}
