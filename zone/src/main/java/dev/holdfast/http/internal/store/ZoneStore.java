package dev.holdfast.http.internal.store;

import static java.util.stream.Collectors.joining;

import dev.holdfast.ObjectContext;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.Found;
import dev.holdfast.http.object.Ids;
import dev.holdfast.http.object.PageRange;
import dev.holdfast.http.object.RefusedException;
import dev.holdfast.http.object.ZoneChanges;
import dev.holdfast.http.object.ZoneProfile;
import dev.holdfast.sql.SqlCursor;
import dev.holdfast.sql.SqlStorage;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The store that the operations of a zone share. Owned by the zone's turn. */
public final class ZoneStore {

  private static final String TABLES =
      Json.resource(ZoneStore.class.getResourceAsStream("zone.sql"));

  private final ObjectContext context;
  private final SqlStorage sql;
  private final InstantSource clock;
  private final RandomGenerator random;
  private final ZoneChanges changes;
  private final String name;
  private @Nullable ZoneProfile profile;
  private boolean isChanging;

  /**
   * Opens the store of a zone.
   *
   * @param context the zone's own context
   * @param clock the source of the time
   * @param random generates identifiers
   * @param changes counts the changes of zones
   */
  public ZoneStore(
      ObjectContext context, InstantSource clock, RandomGenerator random, ZoneChanges changes) {
    this.context = context;
    this.sql = context.storage().sql();
    this.clock = clock;
    this.random = random;
    this.changes = changes;
    this.name = context.id().name().orElse("");
    sql.exec(TABLES);
    this.profile =
        find("SELECT *, rules_max AS firewall_rules_max FROM profile", ZoneProfile.class);
    // A new instance can have the state of another time: after a restore, for example.
    changes.add(name);
  }

  /** {@return the number of changes of the zone since it was created} */
  public long version() {
    return count("SELECT coalesce(max(version), 0) AS n FROM configuration");
  }

  /**
   * Makes a change of the zone: all of it or, if it throws, nothing. A change within a change is a
   * part of it.
   *
   * @param <T> the type of the result
   * @param write makes the change
   * @return its result
   */
  public <T> T change(Supplier<T> write) {
    if (isChanging) {
      return write.get();
    }
    isChanging = true;
    try {
      return context
          .storage()
          .transactionSync(
              () -> {
                T written = write.get();
                long version = version() + 1;
                exec("DELETE FROM configuration");
                exec("INSERT INTO configuration (version) VALUES (?)", version);
                return written;
              });
    } finally {
      isChanging = false;
      // Also after a failure: the profile that it has left in memory is another one.
      changes.add(name);
    }
  }

  /**
   * Makes a change that has no result.
   *
   * @param write makes the change
   */
  public void change(Runnable write) {
    change(
        () -> {
          write.run();
          return true;
        });
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
   * {@return the text that a query selects, or null if it selects no row}
   *
   * @param query selects a column {@code text}
   * @param bindings its parameters
   */
  public @Nullable String text(String query, @Nullable Object... bindings) {
    SqlCursor rows = sql.exec(query, bindings);
    return rows.hasNext() ? rows.next().getString("text") : null;
  }

  /**
   * {@return the first row of a query as a record, or null if there is none}
   *
   * @param <T> the type of the record
   * @param query the query
   * @param type a record of its columns
   * @param bindings its parameters
   */
  public <T> @Nullable T find(String query, Class<T> type, @Nullable Object... bindings) {
    SqlCursor rows = sql.exec(query, bindings);
    return rows.hasNext() ? rows.as(type).iterator().next() : null;
  }

  /**
   * {@return the first row of a query as a record}
   *
   * @param <T> the type of the record
   * @param missing the text of the error if there is none
   * @param query the query
   * @param type a record of its columns
   * @param bindings its parameters
   */
  public <T> T get(String missing, String query, Class<T> type, @Nullable Object... bindings) {
    T row = find(query, type, bindings);
    if (row == null) {
      throw RefusedException.notFound(missing);
    }
    return row;
  }

  /**
   * {@return the rows of a query as records, read one at a time}
   *
   * @param <T> the type of a record
   * @param query the query
   * @param type a record of its columns
   * @param bindings its parameters
   */
  public <T> Stream<T> rows(String query, Class<T> type, @Nullable Object... bindings) {
    return sql.exec(query, bindings).as(type).stream();
  }

  /**
   * {@return the rows of a query as records}
   *
   * @param <T> the type of a record
   * @param query the query
   * @param type a record of its columns
   * @param bindings its parameters
   */
  public <T> List<T> list(String query, Class<T> type, @Nullable Object... bindings) {
    return rows(query, type, bindings).toList();
  }

  /**
   * {@return a page of the rows of a table}
   *
   * @param <T> the type of a record
   * @param table the table, or what else follows FROM
   * @param wanted the wanted rows
   * @param order what follows ORDER BY
   * @param page the requested page
   * @param type a record of the columns
   */
  public <T> Found<T> page(
      String table, Selection wanted, String order, PageRange page, Class<T> type) {
    String from = " FROM " + table + " WHERE " + wanted.where();
    long total = count("SELECT count(*) AS n" + from, wanted.bindings());
    List<T> rows =
        list(
            "SELECT *" + from + " ORDER BY " + order + " LIMIT ? OFFSET ?",
            type,
            wanted.bindings(List.of(page.size(), page.offset())));
    return new Found<>(rows, page, total);
  }

  /**
   * Stores a record, in place of the one with the same key.
   *
   * @param table a table with a column for each component
   * @param key the columns of its key, separated by commas
   * @param row the record
   */
  public void put(String table, String key, Record row) {
    Map<String, ?> values = Json.columns(row);
    sql.exec(
        "INSERT INTO %s (%s) VALUES (%s) ON CONFLICT (%s) DO UPDATE SET %s"
            .formatted(
                table,
                String.join(", ", values.keySet()),
                String.join(", ", Collections.nCopies(values.size(), "?")),
                key,
                values.keySet().stream()
                    .map(column -> column + " = excluded." + column)
                    .collect(joining(", "))),
        values.values().toArray());
  }

  /**
   * Deletes rows.
   *
   * @param table a table with a column {@code id}
   * @param ids the ids; unknown ones are no mistake
   */
  public void delete(String table, List<String> ids) {
    ids.forEach(id -> sql.exec("DELETE FROM " + table + " WHERE id = ?", id));
  }
}
