package dev.holdfast.backend.sqlite.catalog;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.backend.sqlite.binding.StatementCache;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.spi.catalog.CatalogChange;
import dev.holdfast.spi.catalog.SharedNames;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The tables of the catalog. Confined to the holder of the {@link CatalogDatabase}. */
final class CatalogTables {

  static final int FORMAT = 2;

  /**
   * Names and alarm names are blobs of UTF-8, so that they compare as bytes and may hold a zero.
   * The index of names leaves out objects without a name; they are found by id.
   */
  private static final String CREATE =
      """
      CREATE TABLE IF NOT EXISTS namespace (
        number INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE);
      CREATE TABLE IF NOT EXISTS object (
        namespace INTEGER NOT NULL,
        id BLOB NOT NULL,
        name BLOB,
        PRIMARY KEY (namespace, id)) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS object_by_name ON object (namespace, name) WHERE name IS NOT NULL;
      CREATE TABLE IF NOT EXISTS alarm (
        namespace INTEGER NOT NULL,
        id BLOB NOT NULL,
        name BLOB NOT NULL,
        state INTEGER NOT NULL,
        due INTEGER NOT NULL,
        scheduled INTEGER NOT NULL,
        retries INTEGER NOT NULL,
        schedule TEXT NOT NULL,
        PRIMARY KEY (namespace, id, name)) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS alarm_by_due ON alarm (namespace, state, due, id, name);
      """;

  private static final String INSERT_OBJECT =
      """
      INSERT INTO object (namespace, id, name) VALUES (?1, ?2, ?3)
      ON CONFLICT (namespace, id) DO UPDATE SET name = excluded.name
        WHERE excluded.name IS NOT NULL AND name IS NOT excluded.name\
      """;

  private static final String ONLY_OTHERS_HAVE_NAME =
      """
      SELECT count(*) > 0 AND max(id = ?3) = 0 FROM object WHERE namespace = ?1 AND name = ?2\
      """;

  private static final String PUT_ALARM =
      """
      INSERT INTO alarm VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      ON CONFLICT (namespace, id, name) DO UPDATE SET state = excluded.state, due = excluded.due,
        scheduled = excluded.scheduled, retries = excluded.retries, schedule = excluded.schedule\
      """;

  private static final String SELECT_ALARMS =
      """
      SELECT a.id, o.name, a.name, a.due, a.scheduled, a.retries, a.schedule
      FROM alarm a LEFT JOIN object o ON o.namespace = a.namespace AND o.id = a.id
      WHERE a.namespace = ?1 AND a.state = ?2 AND a.due <= ?3
        AND (a.due, a.id, a.name) > (?4, ?5, ?6)
      ORDER BY a.due, a.id, a.name LIMIT ?7\
      """;

  private static final byte[] NOTHING = {};

  private final SqliteConnection connection;
  private final StatementCache statements;
  private final Map<String, Long> numbers = new HashMap<>();

  /** Numbers of the open transaction: they are valid only after it was committed. */
  private final Map<String, Long> newNumbers = new HashMap<>();

  private final SavedTables saved;
  private final SharedNames shared = new SharedNames();

  CatalogTables(SqliteConnection connection) {
    this.connection = connection;
    this.statements = new StatementCache(connection);
    this.saved = new SavedTables(this, statements);
  }

  /** {@return the tables of the saved states} */
  SavedTables saved() {
    return saved;
  }

  /** Creates the tables if they do not exist, and checks the format. */
  void prepare() throws SqliteException {
    long format = connection.integer("PRAGMA main.user_version");
    boolean isNew = format == 0;
    if (!isNew && format != FORMAT) {
      throw new SqliteException(
          1, "SQLITE_ERROR", "format " + format + ", this version supports " + FORMAT, null);
    }
    if (isNew) {
      connection.execute("BEGIN");
      connection.execute(CREATE);
      connection.execute(SavedTables.CREATE);
      connection.execute("PRAGMA main.user_version=" + FORMAT);
      connection.execute("COMMIT");
    }
    loadNamespaces();
  }

  private void loadNamespaces() throws SqliteException {
    connection.forEach(
        "SELECT name, number FROM namespace",
        row -> numbers.put(String.valueOf(row.value(0)), row.integer(1)));
  }

  /** Records that the open transaction was committed. */
  void committed() {
    numbers.putAll(newNumbers);
    newNumbers.clear();
  }

  /**
   * Records that the transaction was not committed. A number without its row would store objects
   * for ever under a namespace that cannot be found, or that another namespace gets.
   */
  void rolledBack() {
    newNumbers.clear();
  }

  /**
   * Writes a change of an object that had one alarm and has no other after it, in the open
   * transaction: most objects are like that, and set it again and again.
   */
  void applyToOneAlarm(ObjectKey key, CatalogChange change) throws SqliteException {
    CatalogChange.Alarms alarms = change.alarms();
    if (!change.exists() || alarms == null) {
      apply(key, change);
      return;
    }
    long namespace = numberOrNew(key.namespace());
    byte[] id = key.id().toBytes();
    if (change.name() != null) {
      // Otherwise there is nothing to write: an object that had an alarm is in the directory.
      putObject(namespace, key, change.name());
    }
    for (AlarmRecord alarm : alarms.after()) {
      put(PUT_ALARM, namespace, id, alarm);
    }
    if (alarms.after().isEmpty()) {
      statements.run(
          "DELETE FROM alarm WHERE namespace = ?1 AND id = ?2 AND name = ?3",
          namespace,
          id,
          utf8(alarms.before().getFirst().name()));
    }
  }

  /** Writes a change, in the open transaction. */
  void apply(ObjectKey key, CatalogChange change) throws SqliteException {
    long namespace = numberOrNew(key.namespace());
    byte[] id = key.id().toBytes();
    if (!change.exists()) {
      statements.run("DELETE FROM alarm WHERE namespace = ?1 AND id = ?2", namespace, id);
      statements.run("DELETE FROM object WHERE namespace = ?1 AND id = ?2", namespace, id);
      return;
    }
    putObject(namespace, key, change.name());
    if (change.alarms() != null) {
      statements.run("DELETE FROM alarm WHERE namespace = ?1 AND id = ?2", namespace, id);
      for (AlarmRecord alarm : change.alarms().after()) {
        put("INSERT INTO alarm VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", namespace, id, alarm);
      }
    }
  }

  private void putObject(long namespace, ObjectKey key, @Nullable String name)
      throws SqliteException {
    byte[] id = key.id().toBytes();
    byte[] text = name == null ? null : utf8(name);
    if (text != null && statements.integer(ONLY_OTHERS_HAVE_NAME, namespace, text, id) != 0) {
      shared.add(new ObjectKey(key.namespace(), ObjectId.of(id, name)));
    }
    statements.run(INSERT_OBJECT, namespace, id, text);
  }

  /** {@return the objects that have got a name which others had} */
  SharedNames shared() {
    return shared;
  }

  private void put(String sql, long namespace, byte[] id, AlarmRecord alarm)
      throws SqliteException {
    statements.run(
        sql,
        namespace,
        id,
        utf8(alarm.name()),
        (long) alarm.state().code(),
        alarm.dueMillis(),
        alarm.scheduledMillis(),
        (long) alarm.retryCount(),
        alarm.schedule());
  }

  /** {@return the number of a namespace that has one} */
  @Nullable Long number(String namespace) {
    return numbers.getOrDefault(namespace, newNumbers.get(namespace));
  }

  long numberOrNew(String namespace) throws SqliteException {
    Long known = number(namespace);
    if (known != null) {
      return known;
    }
    statements.run("INSERT INTO namespace (name) VALUES (?1)", namespace);
    long made = statements.integer("SELECT last_insert_rowid()");
    newNumbers.put(namespace, made);
    return made;
  }

  /** {@return the names of all namespaces} */
  Set<String> namespaces() {
    return Set.copyOf(numbers.keySet());
  }

  /** {@return the id of an object, with its name if that is known; null if it is not listed} */
  @Nullable ObjectId find(ObjectKey key) throws SqliteException {
    Long namespace = numbers.get(key.namespace());
    if (namespace == null) {
      return null;
    }
    byte[] id = key.id().toBytes();
    List<ObjectId> found =
        statements.list(
            "SELECT name FROM object WHERE namespace = ?1 AND id = ?2",
            row -> ObjectId.of(id, row.value(0) == null ? null : text(row.bytes(0))),
            namespace,
            id);
    return found.isEmpty() ? null : found.getFirst();
  }

  List<ObjectId> objects(ObjectQuery query) throws SqliteException {
    Long namespace = numbers.get(query.namespace());
    if (namespace == null) {
      return List.of();
    }
    List<ObjectId> found = new ArrayList<>();
    ObjectId after = query.after();
    if (after == null || after.name().isPresent()) {
      addNamed(query, namespace, found);
    }
    if (query.prefix() == null && found.size() < query.limit()) {
      byte[] afterId = after == null || after.name().isPresent() ? NOTHING : after.toBytes();
      addUnnamed(namespace, afterId, query.limit() - found.size(), found);
    }
    return found;
  }

  private void addNamed(ObjectQuery query, long namespace, List<ObjectId> found)
      throws SqliteException {
    byte[] prefix = query.prefix() == null ? NOTHING : utf8(query.prefix());
    // A blob of that length compares after every name with the prefix: names are valid UTF-8.
    byte[] end = Arrays.copyOf(prefix, prefix.length + 1);
    end[prefix.length] = (byte) 0xFF;
    ObjectId after = query.after();
    // The index of names has the ids too, behind the names.
    String sql =
        "SELECT id, name FROM object WHERE namespace = ?1 AND name >= ?2 AND name < ?3"
            + (after == null ? "" : " AND (name, id) > (?5, ?6)")
            + " ORDER BY name, id LIMIT ?4";
    Object[] bindings =
        after == null
            ? new Object[] {namespace, prefix, end, (long) query.limit()}
            : new Object[] {
              namespace,
              prefix,
              end,
              (long) query.limit(),
              utf8(after.name().orElseThrow()),
              after.toBytes()
            };
    statements.forEach(
        sql, row -> found.add(ObjectId.of(row.bytes(0), text(row.bytes(1)))), bindings);
  }

  private void addUnnamed(long namespace, byte[] afterId, int limit, List<ObjectId> found)
      throws SqliteException {
    statements.forEach(
        "SELECT id FROM object WHERE namespace = ?1 AND id > ?2 AND name IS NULL"
            + " ORDER BY id LIMIT ?3",
        row -> found.add(ObjectId.of(row.bytes(0), null)),
        namespace,
        afterId,
        (long) limit);
  }

  List<AlarmEntry> alarms(AlarmQuery query) throws SqliteException {
    Long namespace = numbers.get(query.namespace());
    if (namespace == null) {
      return List.of();
    }
    AlarmEntry after = query.after();
    return statements.list(
        SELECT_ALARMS,
        row -> entry(query, row),
        namespace,
        (long) query.state().code(),
        query.dueMillisMax(),
        after == null ? Long.MIN_VALUE : after.alarm().dueMillis(),
        after == null ? NOTHING : after.key().id().toBytes(),
        after == null ? NOTHING : utf8(after.alarm().name()),
        (long) query.limit());
  }

  long alarmCount(String namespace, AlarmRecord.State state) throws SqliteException {
    Long number = numbers.get(namespace);
    return number == null
        ? 0
        : statements.integer(
            "SELECT count(*) FROM alarm WHERE namespace = ?1 AND state = ?2",
            number,
            (long) state.code());
  }

  private static AlarmEntry entry(AlarmQuery query, SqliteStatement row) throws SqliteException {
    @Nullable Object name = row.value(1);
    ObjectId id = ObjectId.of(row.bytes(0), name == null ? null : text(row.bytes(1)));
    return new AlarmEntry(
        new ObjectKey(query.namespace(), id),
        new AlarmRecord(
            text(row.bytes(2)),
            query.state(),
            row.integer(3),
            row.integer(4),
            (int) row.integer(5),
            String.valueOf(row.value(6))));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] utf8) {
    return new String(utf8, StandardCharsets.UTF_8);
  }
}
