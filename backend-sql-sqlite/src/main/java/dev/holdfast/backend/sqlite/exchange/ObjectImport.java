package dev.holdfast.backend.sqlite.exchange;

import dev.holdfast.ObjectFileException;
import dev.holdfast.SqlException;
import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.catalog.SqliteCatalog;
import dev.holdfast.backend.sqlite.database.AlarmTables;
import dev.holdfast.backend.sqlite.database.BoundedStatements;
import dev.holdfast.backend.sqlite.database.ConnectionLimits;
import dev.holdfast.backend.sqlite.database.ObjectErrors;
import dev.holdfast.backend.sqlite.exchange.ImportedSchema.Entry;
import dev.holdfast.backend.sqlite.program.FullTextTables;
import dev.holdfast.backend.sqlite.sql.StoredDefinitions;
import dev.holdfast.backend.sqlite.turn.SqliteTurn;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.ObjectFileFormat.Terms;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.sql.SqlLimits;
import dev.holdfast.storage.StorageLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the state that a turn sees with the content of a file: checks the whole file first, and
 * only then writes. Used once, by one thread.
 */
public final class ObjectImport {

  private static final int VALUE_BYTES_MAX =
      StorageLimits.VALUE_BYTES_MAX + StorageLimits.VALUE_HEADER_BYTES;

  private static final String TOO_WIDE =
      "SELECT m.name FROM sqlite_schema AS m, pragma_table_xinfo(m.name) WHERE m.type = 'table'"
          + " GROUP BY m.name HAVING count(*) > ";

  private static final String PAIRS_REFUSED =
      "SELECT CAST(key AS BLOB), typeof(key), length(CAST(key AS BLOB)), typeof(value),"
          + " length(CAST(value AS BLOB)) FROM _cf_KV WHERE typeof(key) <> 'text'"
          + " OR length(CAST(key AS BLOB)) > "
          + StorageLimits.KEY_BYTES_MAX
          + " OR typeof(value) <> 'blob' OR length(value) > "
          + VALUE_BYTES_MAX
          + " LIMIT 1";

  private static final int SHOWN_BYTES = 60;

  private final SqliteLibrary library;
  private final ObjectKey key;
  private final Path source;
  private final Path copy;
  private final Terms terms;
  private @Nullable BoundedStatements bounded;

  public ObjectImport(SqliteLibrary library, ObjectKey key, Path source, Path copy, Terms terms) {
    this.library = library;
    this.key = key;
    this.source = source;
    this.copy = copy;
    this.terms = terms;
  }

  public void read(StoreTurn turn) {
    SqliteConnection file = null;
    try {
      SqlLimits limits = turn instanceof SqliteTurn sqlite ? sqlite.limits() : SqlLimits.DEFAULT;
      file = library.open(copy);
      ConnectionLimits.applyToFile(limits, file);
      // Without SQL the file has no expressions that could take time.
      LongSupplier nanos = turn instanceof SqliteTurn sqlite ? sqlite::monotonicNanos : () -> 0;
      long bytes = Files.size(copy);
      bounded = new BoundedStatements(file, limits, bytes, terms.interrupted(), nanos);
      ImportedSchema schema = inspect(file, limits, turn instanceof SqliteTurn);
      List<AlarmRecord> alarms = alarms(file);
      if (turn instanceof SqliteTurn sqlite) {
        // The turn's own connection reads the file from here on.
        file.close();
        file = null;
        new TableImport(sqlite, copy, bytes, schema, terms).run();
      } else {
        importPairs(file, schema, turn);
      }
      turn.setAlarms(alarms);
    } catch (IOException e) {
      ObjectExport.closeAfter(file, e);
      throw refused("cannot be read: " + e.getMessage(), e);
    } catch (SqliteException e) {
      String why = file == null || bounded == null ? null : bounded.bounded(e);
      ObjectExport.closeAfter(file, e);
      throw refused(
          why == null
              ? "cannot be imported: " + ObjectErrors.text(e) + ". Is it the database of an object?"
              : "cannot be imported: " + why + ".",
          e);
    } catch (SqlException e) {
      throw refused("does not fit the migrations of the namespace: " + e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      ObjectExport.closeAfter(file, e);
      throw e;
    }
  }

  /** Checks everything that can be checked before the first write. */
  private ImportedSchema inspect(SqliteConnection file, SqlLimits limits, boolean hasSql)
      throws SqliteException {
    file.execute("PRAGMA locking_mode=EXCLUSIVE");
    // Copies the log into the file; rolls back a hot journal as well.
    file.execute("PRAGMA journal_mode=DELETE");
    DatabaseHeader header = requireWhole();
    // First: it is the encoding of all other answers, and of this one.
    if (!"UTF-8".equals(text("PRAGMA encoding"))) {
      throw refused("has text in UTF-16; objects have UTF-8.", null);
    }
    // Before any access to tables: it would run what the schema says.
    ImportedSchema schema = ImportedSchema.of(file, problem -> refused(problem, null));
    requireObject(header, schema);
    if (!hasSql) {
      requireOnlyPairs(schema);
    }
    if (schema.terms() > limits.expandedTermsMax()) {
      throw refused(
          "has a view or trigger of more than "
              + limits.expandedTermsMax()
              + " terms when each column of its views and subqueries is replaced by its expression;"
              + " see SqlLimits.expandedTermsMax.",
          null);
    }
    // From here on with bounds: it evaluates the expressions of the file.
    String damage = text("PRAGMA integrity_check(1)");
    if (!"ok".equals(damage)) {
      throw refused("is damaged: " + damage + ". Take another copy of it.", null);
    }
    for (Entry entry : schema.entries()) {
      if (entry.isFullText()) {
        requireGoodRank(schema, entry);
        requireFewTokens(file, entry, limits);
      }
    }
    if (schema.hasPairs()) {
      requireGoodPairs();
    }
    String wide = text(TOO_WIDE + limits.columnsMax());
    if (wide != null) {
      throw refused(
          "has a table with too many columns: " + wide + "; see SqlLimits.columnsMax.", null);
    }
    String broken = text("SELECT \"table\" FROM pragma_foreign_key_check LIMIT 1");
    if (broken != null) {
      throw refused("breaks a foreign key of its table " + broken + ".", null);
    }
    return schema;
  }

  /** Of a copy that was cut off SQLite may read what is there, which can be nothing. */
  private DatabaseHeader requireWhole() {
    try {
      DatabaseHeader header = DatabaseHeader.read(copy);
      if (!header.isWhole()) {
        throw refused(
            "is not a whole database: it has "
                + header.fileBytes()
                + " bytes"
                + (header.isDatabase()
                    ? ", and " + header.pages() + " pages of " + header.pageBytes() + " are stated"
                    : "")
                + ". Take another copy of it.",
            null);
      }
      return header;
    } catch (IOException e) {
      throw refused("cannot be read: " + e.getMessage(), e);
    }
  }

  private void requireObject(DatabaseHeader header, ImportedSchema schema) {
    if (!header.isExport() && schema.entries().stream().noneMatch(Entry::isTable)) {
      throw refused(
          "has no table and was not exported by Holdfast, so it is not an object that has nothing."
              + " To empty an object, let its code call deleteAll.",
          null);
    }
    if (SqliteCatalog.isCatalog(schema.entries().stream().map(Entry::name).toList())) {
      throw refused(
          "is the catalog of a data directory, and not an object. Export the object with"
              + " ./holdfast inspect export.",
          null);
    }
  }

  /** FTS5 runs the rank text that it is given as SQL. */
  private void requireGoodRank(ImportedSchema schema, Entry table) throws SqliteException {
    String config = table.name() + "_config";
    if (!schema.hasTable(config)) {
      return;
    }
    String ranks =
        "SELECT CAST(v AS TEXT) FROM main.\""
            + config.replace("\"", "\"\"")
            + "\" WHERE CAST(k AS TEXT) LIKE 'rank'";
    bounded()
        .forEach(
            ranks,
            rank -> {
              if (!StoredDefinitions.isRankAllowed(String.valueOf(rank.value(0)))) {
                throw refused(
                    "has the full text table "
                        + table.name()
                        + ", which is ranked by more than a literal bm25(...).",
                    null);
              }
            });
  }

  /** The tokens of a row decide how long a search takes; the index need not agree with a text. */
  private void requireFewTokens(SqliteConnection file, Entry table, SqlLimits limits)
      throws SqliteException {
    if (limits.valueBytesMax() >= SqliteBounds.BOUNDED_TIME_BYTES_MAX) {
      return;
    }
    long max = FullTextTables.of(table.sql()).rowTokensMax(limits.valueBytesMax());
    file.execute(
        "CREATE VIRTUAL TABLE temp.tokens USING fts5vocab(main, '"
            + table.name().replace("'", "''")
            + "', instance)");
    String row = text("SELECT doc FROM temp.tokens GROUP BY doc HAVING count(*) > " + max);
    if (row != null) {
      throw refused(
          "has more than "
              + max
              + " tokens in the row "
              + row
              + " of the full text table "
              + table.name()
              + "; see SqlLimits.valueBytesMax.",
          null);
    }
    file.execute("DROP TABLE temp.tokens");
  }

  private void requireGoodPairs() throws SqliteException {
    bounded()
        .forEach(
            PAIRS_REFUSED,
            query -> {
              String name = new String(query.bytes(0), StandardCharsets.UTF_8);
              throw refused(
                  "has a key or value that no object can have: the key \""
                      + (name.length() > 60 ? name.substring(0, 60) + "..." : name)
                      + "\" is "
                      + query.value(1)
                      + " of "
                      + query.value(2)
                      + " bytes (text of at most "
                      + StorageLimits.KEY_BYTES_MAX
                      + "), its value "
                      + query.value(3)
                      + " of "
                      + query.value(4)
                      + " bytes (a blob of at most "
                      + VALUE_BYTES_MAX
                      + ").",
                  null);
            });
    bounded()
        .forEach(
            "SELECT CAST(key AS BLOB) FROM _cf_KV ORDER BY key",
            pair -> {
              byte[] bytes = pair.bytes(0);
              if (!terms.keys().test(bytes)) {
                throw refused(
                    "has a key that is not text in UTF-8, so no object would find it: the bytes "
                        + HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, SHOWN_BYTES))
                        + (bytes.length > SHOWN_BYTES ? "..." : "")
                        + " in hexadecimal. Change it in the file, or delete it there.",
                    null);
              }
            });
  }

  private List<AlarmRecord> alarms(SqliteConnection file) throws SqliteException {
    List<AlarmRecord> alarms;
    try {
      alarms = new AlarmTables(file, () -> {}).read();
    } catch (IllegalArgumentException e) {
      throw refused("has an alarm of an unknown kind: " + e.getMessage() + ".", e);
    }
    for (AlarmRecord alarm : alarms) {
      if (alarm.scheduledMillis() <= 0 || alarm.dueMillis() <= 0 || alarm.retryCount() < 0) {
        throw refused(
            "has an alarm that no object can have: due at "
                + alarm.dueMillis()
                + " ms, after "
                + alarm.retryCount()
                + " tries.",
            null);
      }
    }
    try {
      terms.alarms().accept(alarms);
    } catch (IllegalArgumentException e) {
      throw refused("has alarms that no object can have: " + e.getMessage(), e);
    }
    return alarms;
  }

  private void requireOnlyPairs(ImportedSchema schema) {
    for (Entry entry : schema.entries()) {
      if (!entry.isHidden()) {
        throw refused(
            "has SQL, such as the "
                + entry.type()
                + " "
                + entry.name()
                + ", and the namespace has no SQL storage.",
            null);
      }
    }
  }

  /**
   * Copies the pairs and closes the file. From the first write on a failure does not concern only
   * the file: the turn has half of it, and must not be sealed.
   */
  private void importPairs(SqliteConnection file, ImportedSchema schema, StoreTurn turn) {
    turn.deleteAll();
    try {
      if (schema.hasPairs()) {
        copyPairs(file, turn);
      }
      file.close();
    } catch (SqliteException e) {
      ObjectExport.closeAfter(file, e);
      throw new StorageFailedException(
          key.namespace(),
          key.id(),
          "Importing " + source + " failed half way: " + ObjectErrors.text(e) + "; check the disk",
          e);
    }
  }

  private static void copyPairs(SqliteConnection file, StoreTurn turn) throws SqliteException {
    file.forEach(
        "SELECT CAST(key AS BLOB), value FROM _cf_KV ORDER BY key",
        pair -> turn.put(pair.bytes(0), pair.bytes(1)));
  }

  private BoundedStatements bounded() {
    return Objects.requireNonNull(bounded);
  }

  private @Nullable String text(String sql) throws SqliteException {
    return bounded().first(sql, row -> String.valueOf(row.value(0)));
  }

  private ObjectFileException refused(String message, @Nullable Throwable cause) {
    return new ObjectFileException(key.namespace(), key.id(), source, message, cause);
  }
}
