package dev.holdfast.http.internal.store;

import dev.holdfast.ObjectContext;
import dev.holdfast.http.object.Ids;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.object.ZoneProfile;
import dev.holdfast.sql.SqlCursor;
import dev.holdfast.sql.SqlRow;
import dev.holdfast.sql.SqlStorage;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The store that the operations of a zone share. Owned by the zone's turn. */
public final class ZoneStore {

  private final SqlStorage sql;
  private final InstantSource clock;
  private final RandomGenerator random;
  private @Nullable ZoneProfile profile;

  /**
   * Opens the store of a zone.
   *
   * @param context the zone's own context
   * @param clock the source of the time
   * @param random generates identifiers
   */
  public ZoneStore(ObjectContext context, InstantSource clock, RandomGenerator random) {
    this.sql = context.storage().sql();
    this.clock = clock;
    this.random = random;
    sql.exec(
        """
        CREATE TABLE IF NOT EXISTS profile (
          id TEXT PRIMARY KEY, name TEXT NOT NULL, plan TEXT NOT NULL, rules_max INTEGER NOT NULL,
          policies_max INTEGER NOT NULL, matches_allowed INTEGER NOT NULL
        ) WITHOUT ROWID
        """);
    this.profile = find("SELECT * FROM profile", ZoneStore::profileOf);
  }

  /** {@return the profile of the zone; null before it was created} */
  public @Nullable ZoneProfile profileIfAny() {
    return profile;
  }

  /** {@return the profile of the zone} */
  public ZoneProfile profile() {
    ZoneProfile known = profile;
    if (known == null) {
      throw new IllegalStateException("the zone was never configured");
    }
    return known;
  }

  /**
   * Stores the profile of the zone.
   *
   * @param changed the new profile
   */
  public void configure(ZoneProfile changed) {
    sql.exec("DELETE FROM profile");
    sql.exec(
        "INSERT INTO profile (id, name, plan, rules_max, policies_max, matches_allowed)"
            + " VALUES (?, ?, ?, ?, ?, ?)",
        changed.id(),
        changed.name(),
        changed.plan().name(),
        changed.firewallRulesMax(),
        changed.policiesMax(),
        changed.matchesAllowed());
    profile = changed;
  }

  /** {@return a new identifier} */
  public String newId() {
    return Ids.next(random);
  }

  /** {@return the time in microseconds, the precision of the API} */
  public Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MICROS);
  }

  /** {@return a source of randomness, for sampling} */
  public RandomGenerator random() {
    return random;
  }

  /**
   * Runs a statement.
   *
   * @param query the statement
   * @param bindings its parameters
   * @return its rows
   */
  public SqlCursor exec(String query, @Nullable Object... bindings) {
    return sql.exec(query, bindings);
  }

  /**
   * {@return a number that a query computes}
   *
   * @param query selects one row with a column {@code n}
   * @param bindings its parameters
   */
  public long count(String query, @Nullable Object... bindings) {
    return sql.exec(query, bindings).one().getLong("n");
  }

  /**
   * {@return the first row of a query, or null if there is none}
   *
   * @param <T> the type of a row's result
   * @param query the query
   * @param reader reads a row
   * @param bindings its parameters
   */
  public <T> @Nullable T find(String query, RowReader<T> reader, @Nullable Object... bindings) {
    SqlCursor rows = sql.exec(query, bindings);
    return rows.hasNext() ? reader.read(rows.next()) : null;
  }

  /**
   * {@return the rows of a query}
   *
   * @param <T> the type of a row's result
   * @param query the query
   * @param reader reads a row
   * @param bindings its parameters
   */
  public <T> List<T> list(String query, RowReader<T> reader, @Nullable Object... bindings) {
    return sql.exec(query, bindings).stream().map(reader::read).toList();
  }

  /**
   * {@return a column that is never null}
   *
   * @param row the row
   * @param column the column
   */
  public static String text(SqlRow row, String column) {
    String text = row.getString(column);
    if (text == null) {
      throw new IllegalStateException("column " + column + " is null");
    }
    return text;
  }

  private static ZoneProfile profileOf(SqlRow row) {
    return new ZoneProfile(
        text(row, "id"),
        text(row, "name"),
        Plan.valueOf(text(row, "plan")),
        (int) row.getLong("rules_max"),
        (int) row.getLong("policies_max"),
        row.getLong("matches_allowed") != 0);
  }
}
