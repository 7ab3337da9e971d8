package dev.holdfast.backend.sqlite.meter;

/** The tables of both tests of the row counter. */
final class MeteredTables {

  /** Creates and fills them. */
  static final String SQL =
      """
      CREATE TABLE empty (id INTEGER PRIMARY KEY, v);
      CREATE TABLE plain (v);
      CREATE TABLE pk (id INTEGER PRIMARY KEY, v);
      CREATE TABLE indexed (id INTEGER PRIMARY KEY, a, b);
      CREATE INDEX indexed_a ON indexed (a);
      CREATE TABLE keyed (k TEXT PRIMARY KEY, v);
      CREATE TABLE whole (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
      CREATE TABLE logged (id INTEGER PRIMARY KEY, v);
      CREATE TABLE log (v);
      CREATE TRIGGER on_insert AFTER INSERT ON logged
        BEGIN INSERT INTO log VALUES (new.v); END;
      CREATE TRIGGER on_delete AFTER DELETE ON logged
        BEGIN INSERT INTO log VALUES (old.v); END;
      INSERT INTO plain VALUES (1), (2), (3), (4);
      INSERT INTO pk VALUES (1, 10), (2, 20), (3, 30), (4, 40);
      INSERT INTO indexed VALUES (1, 10, 1), (2, 20, 2), (3, 30, 3), (4, 40, 4);
      """;

  private MeteredTables() {}
}
