package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The SQL texts seen lately, split and checked: objects of one class run the same texts, each
 * thousands of times. Thread-safe.
 */
public final class SqlScripts {

  private final Map<String, SqlScript> known = new ConcurrentHashMap<>();
  private final AtomicInteger textLength = new AtomicInteger();

  /**
   * Returns the statements of a text.
   *
   * @param sql the text
   * @return its statements; at least one
   * @throws SqlRefusedException if it may not be run
   */
  public SqlScript of(String sql) {
    SqlScript script = known.get(sql);
    if (script == null) {
      script = SqlScript.of(sql);
      remember(sql, script);
    }
    return script;
  }

  private void remember(String sql, SqlScript script) {
    if (textLength.addAndGet(sql.length()) > SqliteBounds.SCRIPTS_LENGTH_MAX) {
      // Texts that differ in every call would fill it over and over; a better order of eviction
      // would not help them, and other texts return after one call each.
      known.clear();
      textLength.set(sql.length());
    }
    known.put(sql, script);
  }
}
