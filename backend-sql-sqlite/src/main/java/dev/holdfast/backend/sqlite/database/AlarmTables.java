package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.filter.Headers;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmRecord.State;
import dev.holdfast.spi.catalog.AlarmHeaders;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The alarms of an object, in hidden tables of its file.
 *
 * <p>The time of {@code setAlarm} is stored where the reference runtime stores it, so that files
 * can be exchanged: in {@code _cf_METADATA} under the key 1, in nanoseconds since 1970, or NULL.
 * What the reference does not have (retries, given up, names, schedules) is in {@code _cf_ALARM}, a
 * separate table that few objects have. A row in it about the object's own alarm is valid only
 * while both tables agree on the time. Its column {@code headers} is added for the first alarm that
 * has headers.
 *
 * <p>Confined to the holder of the database.
 */
public final class AlarmTables {

  private static final String EXISTING =
      "SELECT name FROM main.sqlite_schema WHERE type = 'table'"
          + " AND name IN ('_cf_METADATA', '_cf_ALARM')";
  private static final String CREATE_METADATA =
      "CREATE TABLE IF NOT EXISTS main._cf_METADATA (key INTEGER PRIMARY KEY, value BLOB)";
  private static final String CREATE_ALARM =
      "CREATE TABLE IF NOT EXISTS main._cf_ALARM (name TEXT PRIMARY KEY, state INTEGER NOT NULL,"
          + " due INTEGER NOT NULL, scheduled INTEGER NOT NULL, retries INTEGER NOT NULL,"
          + " schedule TEXT NOT NULL) WITHOUT ROWID";
  private static final String SELECT_TIME = "SELECT value FROM main._cf_METADATA WHERE key = 1";
  private static final String SELECT_REST =
      "SELECT CAST(name AS BLOB), state, due, scheduled, retries, schedule, alarm.*"
          + " FROM main._cf_ALARM AS alarm";
  private static final String HEADERS = "headers";
  private static final String HEADERS_COLUMN =
      "SELECT name FROM pragma_table_info('_cf_ALARM', 'main') WHERE name = 'headers'";
  private static final String ADD_HEADERS = "ALTER TABLE main._cf_ALARM ADD COLUMN headers BLOB";
  private static final String PUT_TIME =
      "INSERT OR REPLACE INTO main._cf_METADATA (key, value) VALUES (1, ?1)";
  private static final String PUT_REST =
      "INSERT INTO main._cf_ALARM (name, state, due, scheduled, retries, schedule)"
          + " VALUES (CAST(?1 AS TEXT), ?2, ?3, ?4, ?5, ?6)"
          + " ON CONFLICT (name) DO UPDATE SET state = excluded.state, due = excluded.due,"
          + " scheduled = excluded.scheduled, retries = excluded.retries,"
          + " schedule = excluded.schedule";
  private static final String PUT_HEADERS =
      "UPDATE main._cf_ALARM SET headers = ?2 WHERE name = CAST(?1 AS TEXT)";
  private static final String DELETE_REST =
      "DELETE FROM main._cf_ALARM WHERE name = CAST(?1 AS TEXT)";

  private static final long NANOS_PER_MILLI = 1_000_000;

  /** Times that the reference cannot store stay out of its table. */
  private static final long REFERENCE_MILLIS_MAX = Long.MAX_VALUE / NANOS_PER_MILLI;

  private final SqliteConnection connection;
  private final Runnable onCreate;

  /** The committed alarms; null if they are not known. */
  private @Nullable List<AlarmRecord> stored;

  /** Whether the tables had the column when they were read: a stale row may have headers, too. */
  private boolean readHeaders;

  private @Nullable SqliteStatement putTime;

  private boolean hasWritten;

  /**
   * @param onCreate called when a table was created: a cached schema is stale then
   */
  public AlarmTables(SqliteConnection connection, Runnable onCreate) {
    this.connection = connection;
    this.onCreate = onCreate;
  }

  /** {@return the alarms before the turn} */
  public List<AlarmRecord> read() throws SqliteException {
    List<AlarmRecord> known = stored;
    if (known == null) {
      known = List.copyOf(readTables());
      stored = known;
    }
    return known;
  }

  /** Records that what {@link #write} wrote is committed. */
  public void committed(List<AlarmRecord> alarms) {
    stored = alarms;
  }

  private List<AlarmRecord> readTables() throws SqliteException {
    List<String> tables = connection.texts(EXISTING);
    Long millis = tables.contains("_cf_METADATA") ? readTime() : null;
    return tables.contains("_cf_ALARM") ? readRest(millis) : ownOnly(millis);
  }

  private static List<AlarmRecord> ownOnly(@Nullable Long millis) {
    return millis == null ? List.of() : List.of(AlarmRecord.once(AlarmRecord.OWN, millis));
  }

  private @Nullable Long readTime() throws SqliteException {
    Object value = connection.first(SELECT_TIME, row -> row.value(0));
    return value instanceof Long nanos ? (Long) Math.floorDiv(nanos, NANOS_PER_MILLI) : null;
  }

  private List<AlarmRecord> readRest(@Nullable Long millis) throws SqliteException {
    List<AlarmRecord> alarms = new ArrayList<>(ownOnly(millis));
    for (AlarmRecord alarm : connection.list(SELECT_REST, this::alarm)) {
      if (!alarm.name().equals(AlarmRecord.OWN)) {
        alarms.add(alarm);
      } else if (Objects.equals(millis, timeOf(alarm))) {
        alarms.removeIf(other -> other.name().equals(AlarmRecord.OWN));
        alarms.add(alarm);
      }
    }
    return alarms;
  }

  private AlarmRecord alarm(SqliteStatement row) throws SqliteException {
    int headersAt = row.columnNames().indexOf(HEADERS);
    readHeaders |= headersAt >= 0;
    return new AlarmRecord(
        new String(row.bytes(0), StandardCharsets.UTF_8),
        State.of((int) row.integer(1)),
        row.integer(2),
        row.integer(3),
        (int) row.integer(4),
        String.valueOf(row.value(5)),
        headersAt < 0 ? Headers.NONE : AlarmHeaders.decode(row.bytes(headersAt)));
  }

  /** {@return the time that the reference's table holds for an unchanged alarm; null for NULL} */
  private static @Nullable Long timeOf(AlarmRecord own) {
    return own.state() == State.PENDING && own.scheduledMillis() <= REFERENCE_MILLIS_MAX
        ? (Long) own.scheduledMillis()
        : null;
  }

  /** Writes what has changed since {@link #read}, in the open transaction. */
  public void write(List<AlarmRecord> alarms) throws SqliteException {
    hasWritten = true;
    List<AlarmRecord> before = read();
    boolean withHeaders =
        readHeaders
            || Stream.concat(before.stream(), alarms.stream())
                .anyMatch(alarm -> !alarm.headers().isEmpty());
    writeTime(find(before, AlarmRecord.OWN), find(alarms, AlarmRecord.OWN));
    for (AlarmRecord alarm : before) {
      if (isInRest(alarm) && !isInRest(find(alarms, alarm.name()))) {
        connection.run(DELETE_REST, (Object) utf8(alarm.name()));
      }
    }
    for (AlarmRecord alarm : alarms) {
      if (isInRest(alarm) && !alarm.equals(find(before, alarm.name()))) {
        connection.execute(CREATE_ALARM);
        onCreate.run();
        connection.run(
            PUT_REST,
            utf8(alarm.name()),
            (long) alarm.state().code(),
            alarm.dueMillis(),
            alarm.scheduledMillis(),
            (long) alarm.retryCount(),
            alarm.schedule());
        if (withHeaders) {
          putHeaders(alarm);
        }
      }
    }
  }

  /** {@return whether {@link #write} was called} */
  boolean hasWritten() {
    return hasWritten;
  }

  private void putHeaders(AlarmRecord alarm) throws SqliteException {
    if (connection.texts(HEADERS_COLUMN).isEmpty()) {
      connection.execute(ADD_HEADERS);
      onCreate.run();
    }
    byte[] headers = AlarmHeaders.encode(alarm.headers());
    connection.run(PUT_HEADERS, utf8(alarm.name()), headers.length == 0 ? null : headers);
  }

  private void writeTime(@Nullable AlarmRecord before, @Nullable AlarmRecord after)
      throws SqliteException {
    Long timeBefore = before == null ? null : timeOf(before);
    Long time = after == null ? null : timeOf(after);
    if (Objects.equals(timeBefore, time)) {
      return;
    }
    if (timeBefore == null) {
      connection.execute(CREATE_METADATA);
      onCreate.run();
    }
    SqliteStatement put = putTime;
    if (put == null || !put.isOpen()) {
      put = connection.prepare(PUT_TIME);
      putTime = put;
    }
    put.start(time == null ? null : (Long) (time * NANOS_PER_MILLI));
  }

  /** Whether an alarm needs a row of our table. */
  private static boolean isInRest(@Nullable AlarmRecord alarm) {
    return alarm != null
        && !(alarm.name().equals(AlarmRecord.OWN) && alarm.isFresh() && timeOf(alarm) != null);
  }

  private static @Nullable AlarmRecord find(List<AlarmRecord> alarms, String name) {
    for (AlarmRecord alarm : alarms) {
      if (alarm.name().equals(name)) {
        return alarm;
      }
    }
    return null;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
