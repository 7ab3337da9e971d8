package dev.holdfast.benchmarks.objects;

import dev.holdfast.ObjectContext;
import dev.holdfast.sql.SqlStorage;
import java.time.Instant;
import java.util.SplittableRandom;

/** {@link Past} as a durable object. Owned by its turns. */
final class PastObject implements Past {
  private final ObjectContext context;
  private final SqlStorage sql;
  private final SplittableRandom random = new SplittableRandom(1);

  PastObject(ObjectContext context) {
    this.context = context;
    sql = context.storage().sql();
    sql.exec("CREATE TABLE IF NOT EXISTS r(id INTEGER PRIMARY KEY, small BLOB, large BLOB)");
  }

  @Override
  public void fill(int firstRow, int rows, int bytes) {
    for (int row = firstRow; row < firstRow + rows; row++) {
      byte[] large = new byte[bytes];
      random.nextBytes(large);
      sql.exec("INSERT INTO r VALUES (?, zeroblob(100), ?)", (long) row, large);
    }
  }

  @Override
  public void update(long row, byte[] value) {
    sql.exec("UPDATE r SET small = ? WHERE id = ?", value, row);
  }

  @Override
  public String bookmark() {
    return context.storage().getCurrentBookmark();
  }

  @Override
  public String bookmarkAt(long wallMillis) {
    return context.storage().getBookmarkForTime(Instant.ofEpochMilli(wallMillis));
  }

  @Override
  public void restore(String bookmark) {
    context.storage().onNextSessionRestoreBookmark(bookmark);
    throw context.abort("to restore");
  }

  @Override
  public long rows() {
    return sql.exec("SELECT count(*) AS n FROM r").one().getLong("n");
  }
}
