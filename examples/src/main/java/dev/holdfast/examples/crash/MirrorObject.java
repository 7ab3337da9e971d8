package dev.holdfast.examples.crash;

import dev.holdfast.ObjectContext;
import dev.holdfast.sql.SqlRow;
import dev.holdfast.sql.SqlStorage;
import dev.holdfast.storage.ObjectStorage;

/** A mirror: counts its notes twice, with a key-value pair and with rows. */
final class MirrorObject implements Mirror {

  static final String NAMESPACE = "mirrors";
  static final int MIRROR_COUNT = 4;

  private static final String COUNT = "count";

  private final ObjectStorage storage;
  private final SqlStorage sql;

  MirrorObject(ObjectContext context) {
    storage = context.storage();
    sql = storage.sql();
    sql.exec(
        """
        CREATE TABLE IF NOT EXISTS notes (
          cell INTEGER, seq INTEGER, number INTEGER NOT NULL, PRIMARY KEY (cell, seq)
        ) WITHOUT ROWID
        """);
  }

  static String nameFor(int cell) {
    return String.valueOf(cell % MIRROR_COUNT);
  }

  @Override
  public void note(int cell, long seq) {
    long number = count() + 1;
    storage.put(COUNT, number);
    // The primary key refuses a second note of one step: a call that ran twice would fail here.
    sql.exec("INSERT INTO notes (cell, seq, number) VALUES (?, ?, ?)", cell, seq, number);
    sql.exec("DELETE FROM notes WHERE cell = ? AND seq < ?", cell, seq - WINDOW_STEPS);
  }

  @Override
  public Dump dump() {
    long last =
        sql.exec("SELECT coalesce(max(number), 0) AS last FROM notes").one().getLong("last");
    return new Dump(
        count(),
        last,
        sql.exec("SELECT cell, seq FROM notes").stream().map(MirrorObject::note).toList());
  }

  private static Note note(SqlRow row) {
    return new Note((int) row.getLong("cell"), row.getLong("seq"));
  }

  private long count() {
    return storage.get(COUNT, Long.class).orElse(0L);
  }
}
