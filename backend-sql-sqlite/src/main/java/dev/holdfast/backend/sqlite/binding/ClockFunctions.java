package dev.holdfast.backend.sqlite.binding;

import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.sqlite.Function;
import org.sqlite.core.Codes;
import org.sqlite.jdbc4.JDBC4Connection;

/**
 * SQLite's functions of date and time with another clock: {@code now} is replaced by a time of the
 * clock, and SQLite itself computes the rest, in a connection without files that has its own
 * functions. The driver gives no access to where SQLite asks for the time.
 *
 * <p>SQLite lets its own functions stand in indexes, checks and generated columns as long as they
 * do not ask for the time, so these are declared deterministic too. What SQLite refuses there,
 * {@code date('now')}, these cannot refuse: a function does not learn where it stands.
 *
 * <p>Thread-safe: a lock guards the one connection.
 */
final class ClockFunctions {

  /** Accepted in indexes, checks, defaults, views and triggers. */
  private static final int INNOCUOUS = 0x200000;

  private static final int ANY_ARGUMENTS = -1;

  /** The functions, and where each has its time. */
  private static final Map<String, Integer> TIME_ARGUMENT =
      Map.of("date", 0, "time", 0, "datetime", 0, "julianday", 0, "unixepoch", 0, "strftime", 1);

  private static final String DIFFERENCE = "timediff";

  /** The functions that the words {@code CURRENT_TIMESTAMP} and so on stand for. */
  private static final Map<String, String> CURRENT =
      Map.of("current_date", "date", "current_time", "time", "current_timestamp", "datetime");

  /** As precise as SQLite's time; the Z says that it is not a local one. */
  private static final DateTimeFormatter NOW =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private final InstantSource clock;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private @Nullable SqliteConnection own;
  private final Map<String, SqliteStatement> statements = new HashMap<>();

  ClockFunctions(InstantSource clock) {
    this.clock = clock;
  }

  /** Replaces the functions of a connection. */
  void replaceIn(JDBC4Connection connection, int encodings) throws SQLException {
    for (Map.Entry<String, Integer> each : TIME_ARGUMENT.entrySet()) {
      create(connection, each.getKey(), List.of(each.getValue()), ANY_ARGUMENTS, encodings);
    }
    create(connection, DIFFERENCE, List.of(0, 1), 2, encodings);
    for (Map.Entry<String, String> each : CURRENT.entrySet()) {
      Function function = new Replacement(each.getValue(), List.of(0));
      Function.create(connection, each.getKey(), function, 0, encodings | INNOCUOUS);
    }
  }

  private void create(
      JDBC4Connection connection, String name, List<Integer> times, int arguments, int encodings)
      throws SQLException {
    int flags = encodings | INNOCUOUS | Function.FLAG_DETERMINISTIC;
    Function.create(connection, name, new Replacement(name, times), arguments, flags);
  }

  /** Asks SQLite's own function. */
  private @Nullable Object compute(String name, List<@Nullable Object> arguments)
      throws SqliteException {
    lock.lock();
    try {
      SqliteConnection connection = own;
      if (connection == null) {
        connection = JdbcLibrary.openMemory();
        own = connection;
      }
      String parameters = String.join(",", Collections.nCopies(arguments.size(), "?"));
      String sql = "SELECT " + name + "(" + parameters + ")";
      SqliteStatement statement = statements.get(sql);
      if (statement == null) {
        statement = connection.prepare(sql);
        statements.put(sql, statement);
      }
      statement.start(arguments.toArray());
      Object value = statement.value(0);
      statement.reset();
      return value;
    } finally {
      lock.unlock();
    }
  }

  private String now() {
    return NOW.format(Instant.ofEpochMilli(clock.millis()));
  }

  /** One function of one connection: the driver keeps its arguments in it. */
  private final class Replacement extends Function {

    private final String name;
    private final List<Integer> times;

    Replacement(String name, List<Integer> times) {
      this.name = name;
      this.times = times;
    }

    @Override
    protected void xFunc() throws SQLException {
      List<@Nullable Object> arguments = new ArrayList<>();
      for (int i = 0; i < args(); i++) {
        arguments.add(argument(i));
      }
      for (int time : times) {
        replaceNow(arguments, time);
      }
      try {
        answer(compute(name, arguments));
      } catch (SqliteException e) {
        error(String.valueOf(e.getMessage()));
      }
    }

    private @Nullable Object argument(int index) throws SQLException {
      return switch (value_type(index)) {
        case Codes.SQLITE_INTEGER -> value_long(index);
        case Codes.SQLITE_FLOAT -> value_double(index);
        case Codes.SQLITE_TEXT -> value_text(index);
        case Codes.SQLITE_BLOB -> value_blob(index);
        default -> null;
      };
    }

    /** A missing time is now, and so is a modifier for fractions in its place. */
    private void replaceNow(List<@Nullable Object> arguments, int time) {
      if (arguments.size() == time) {
        arguments.add(now());
      } else if (arguments.size() > time && arguments.get(time) instanceof String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        if (lower.equals("now")) {
          arguments.set(time, now());
        } else if (lower.equals("subsec") || lower.equals("subsecond")) {
          arguments.add(time, now());
        }
      }
    }

    private void answer(@Nullable Object value) throws SQLException {
      switch (value) {
        case Long number -> result(number.longValue());
        case Double number -> result(number.doubleValue());
        case String text -> result(text);
        case byte[] bytes -> result(bytes);
        case null, default -> result();
      }
    }
  }
}
