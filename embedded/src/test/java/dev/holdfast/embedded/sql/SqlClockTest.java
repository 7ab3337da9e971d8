package dev.holdfast.embedded.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.SqlException;
import dev.holdfast.embedded.Runtimes;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.sql.SqlStorage;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The clock of an object, and the time in SQL. */
class SqlClockTest {

  /** Everything in SQL that asks for the time, and how SQLite writes 2031-05-06 07:08:09.012. */
  private static final List<List<Object>> NOW =
      List.of(
          List.of("SELECT date('now')", "2031-05-06"),
          List.of("SELECT date()", "2031-05-06"),
          List.of("SELECT DATE('NOW', '+1 day')", "2031-05-07"),
          List.of("SELECT time('now')", "07:08:09"),
          List.of("SELECT datetime('now')", "2031-05-06 07:08:09"),
          List.of("SELECT datetime('now', 'subsec')", "2031-05-06 07:08:09.012"),
          List.of("SELECT datetime('subsec')", "2031-05-06 07:08:09.012"),
          List.of("SELECT datetime('now', 'utc')", "2031-05-06 07:08:09"),
          List.of("SELECT unixepoch()", 1_935_817_689L),
          List.of("SELECT unixepoch('now', 'start of month')", 1_935_360_000L),
          List.of("SELECT julianday('now') - julianday('2031-05-06 07:08:09.012')", 0.0),
          List.of("SELECT strftime('%Y-%m-%d %H:%M:%f')", "2031-05-06 07:08:09.012"),
          List.of("SELECT strftime('%s', 'now')", "1935817689"),
          List.of("SELECT timediff('now', '2030-05-06 07:08:09.012')", "+0001-00-00 00:00:00.000"),
          List.of("SELECT CURRENT_DATE", "2031-05-06"),
          List.of("SELECT current_time", "07:08:09"),
          List.of("SELECT CURRENT_TIMESTAMP", "2031-05-06 07:08:09"));

  @TempDir private Path directory;

  private ObjectRuntime open(@Nullable VirtualClock clock) {
    return clock == null
        ? Runtimes.open(directory, objects -> objects.namespace("o", Scripted.class, Scripted::of))
        : Runtimes.open(
            directory, clock, objects -> objects.namespace("o", Scripted.class, Scripted::of));
  }

  private static <R> R sql(ObjectRuntime runtime, Function<SqlStorage, R> code) {
    Scripted object = runtime.namespace("o", Scripted.class).getByName("a");
    return Scripted.in(object, context -> code.apply(context.storage().sql()));
  }

  private static @Nullable Object one(SqlStorage sql, String query) {
    return sql.exec(query).one().values().getFirst();
  }

  private static VirtualClock clock() {
    VirtualClock clock = new VirtualClock();
    clock.setWallClock(Instant.parse("2031-05-06T07:08:09.012Z"));
    return clock;
  }

  @Test
  void objectsReadTheClockOfTheRuntime() {
    VirtualClock clock = clock();
    try (ObjectRuntime runtime = open(clock)) {
      Scripted object = runtime.namespace("o", Scripted.class).getByName("a");
      assertThat(Scripted.<Instant>in(object, context -> context.clock().instant()))
          .isEqualTo(Instant.parse("2031-05-06T07:08:09.012Z"));
      clock.advance(Duration.ofHours(1));
      assertThat(Scripted.<Long>in(object, context -> context.clock().millis()))
          .isEqualTo(clock.instant().toEpochMilli());
    }
  }

  @Test
  void sqlReadsTheClockOfTheRuntime() {
    VirtualClock clock = clock();
    try (ObjectRuntime runtime = open(clock)) {
      for (List<Object> each : NOW) {
        Object value = sql(runtime, sql -> one(sql, each.get(0).toString()));
        assertThat(value).as(each.get(0).toString()).isEqualTo(each.get(1));
      }
      clock.advance(Duration.ofDays(1));
      Object next = sql(runtime, sql -> one(sql, "SELECT date('now')"));
      assertThat(next).isEqualTo("2031-05-07");
    }
  }

  /** What does not ask for the time is SQLite's own answer on both clocks. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT date('2024-02-28', '+1 day')",
        "SELECT date(NULL)",
        "SELECT datetime(1700000000, 'unixepoch')",
        "SELECT datetime(1700000000.5, 'auto', 'subsec')",
        "SELECT julianday('2024-01-01')",
        "SELECT strftime('%W', '2024-06-01')",
        "SELECT strftime()",
        "SELECT date('2024-01-01', 'no modifier')",
        "SELECT date(x'3230')",
        "SELECT timediff('2024-03-01', '2023-03-01')",
        "SELECT typeof(unixepoch('2024-01-01'))",
        "SELECT typeof(julianday('2024-01-01'))"
      })
  void functionsOfTimeAreSqlites(String query) {
    Object expected;
    try (ObjectRuntime runtime = open(null)) {
      expected = sql(runtime, sql -> String.valueOf(one(sql, query)));
    }
    try (ObjectRuntime runtime = open(clock())) {
      assertThat((Object) sql(runtime, sql -> String.valueOf(one(sql, query)))).isEqualTo(expected);
    }
  }

  /** Made on one clock, used on the other, and the other way round. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void indexesChecksAndGeneratedColumnsOverADateWorkOnBothClocks(boolean madeOnVirtualClock) {
    VirtualClock clock = clock();
    try (ObjectRuntime runtime = open(madeOnVirtualClock ? clock : null)) {
      sql(
          runtime,
          sql -> {
            sql.exec(
                """
                CREATE TABLE visits (
                  at TEXT CHECK (date(at) IS NOT NULL),
                  day TEXT GENERATED ALWAYS AS (date(at)) STORED,
                  hour TEXT AS (strftime('%H', at)),
                  seen TEXT DEFAULT CURRENT_TIMESTAMP)
                """);
            sql.exec("CREATE INDEX visits_by_month ON visits (strftime('%Y-%m', at))");
            return insert(sql, "2026-01-02 03:04:05");
          });
    }
    try (ObjectRuntime runtime = open(madeOnVirtualClock ? null : clock)) {
      List<Object> rows =
          sql(
              runtime,
              sql -> {
                insert(sql, "2026-02-03 04:05:06");
                assertThatThrownBy(() -> insert(sql, "no date")).isInstanceOf(SqlException.class);
                assertThat(one(sql, "SELECT count(*) FROM visits WHERE seen > '2026'"))
                    .isEqualTo(2L);
                assertThat(
                        sql.exec(
                                "EXPLAIN QUERY PLAN SELECT * FROM visits WHERE strftime('%Y-%m',"
                                    + " at) = '2026-02'")
                            .toList()
                            .toString())
                    .contains("visits_by_month");
                return sql
                    .exec("SELECT day, hour FROM visits WHERE strftime('%Y-%m', at) = '2026-02'")
                    .toList()
                    .stream()
                    .<Object>map(row -> row.get("day") + " " + row.get("hour"))
                    .toList();
              });
      assertThat(rows).containsExactly("2026-02-03 04");
    }
  }

  private static long insert(SqlStorage sql, String at) {
    return sql.exec("INSERT INTO visits (at) VALUES (?)", at).toList().size();
  }
}
