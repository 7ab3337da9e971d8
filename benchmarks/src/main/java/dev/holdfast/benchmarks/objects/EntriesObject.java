package dev.holdfast.benchmarks.objects;

import dev.holdfast.ObjectContext;
import dev.holdfast.sql.SqlStorage;
import java.util.Objects;

/** {@link Entries} as a durable object. Owned by its turns. */
public final class EntriesObject implements Entries {
  private final SqlStorage sql;

  /**
   * Creates the table.
   *
   * @param context of the object
   */
  public EntriesObject(ObjectContext context) {
    sql = context.storage().sql();
    sql.exec(TABLE);
  }

  private EntriesObject(SqlStorage sql) {
    this.sql = sql;
  }

  /** {@return an object whose table a migration has made} */
  static EntriesObject migrated(ObjectContext context) {
    return new EntriesObject(context.storage().sql());
  }

  @Override
  public void put(long id, byte[] value) {
    sql.exec(UPSERT, id, value);
  }

  @Override
  public long size(long id) {
    return sql.exec(SELECT, id).stream()
        .map(row -> row.getBytes("value"))
        .filter(Objects::nonNull)
        .mapToLong(value -> value.length)
        .sum();
  }
}
