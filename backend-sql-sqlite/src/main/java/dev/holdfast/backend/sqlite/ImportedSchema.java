package dev.holdfast.backend.sqlite;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a file to be imported has, in the order in which it was made. Immutable.
 *
 * @param entries its tables, indexes, views and triggers, but for those that SQLite makes itself
 * @param hasSequence whether it has the counters of AUTOINCREMENT
 */
record ImportedSchema(List<Entry> entries, boolean hasSequence) {

  private static final String HIDDEN_PREFIX = "_cf_";
  private static final String PAIRS = "_cf_KV";

  /** Tables of the reference runtime, and our own, that mean something to us. */
  private static final Set<String> KNOWN_HIDDEN =
      Set.of("_cf_kv", "_cf_metadata", "_cf_migration", "_cf_alarm");

  private static final Set<String> MODULES = Set.of("fts5", "fts5vocab", "rtree", "rtree_i32");
  private static final String TABLE_TEXT = "CREATE TABLE ";
  private static final String VIRTUAL_TEXT = "CREATE VIRTUAL TABLE ";

  /** What follows the name of a virtual table. */
  private static final Pattern MODULE =
      Pattern.compile("\\s*USING\\s+[\"'`\\[]?(\\w+)", Pattern.CASE_INSENSITIVE);

  /**
   * A row of the schema.
   *
   * @param type table, index, view or trigger
   * @param name its name
   * @param sql how it was made
   */
  record Entry(String type, String name, String sql) {

    boolean isTable() {
      return type.equals("table");
    }

    boolean isVirtual() {
      return isTable() && !sql.startsWith(TABLE_TEXT);
    }

    /** {@return whether it belongs to the runtime and not to the object's code} */
    boolean isHidden() {
      return name.regionMatches(true, 0, HIDDEN_PREFIX, 0, HIDDEN_PREFIX.length());
    }

    /** {@return whether it says which migrations the tables have seen} */
    boolean isMigrations() {
      return isTable() && name.equalsIgnoreCase(Migrations.TABLE);
    }

    /** {@return whether it is made and filled as a table of the object} */
    boolean isCopied() {
      return isTable() && !isVirtual() && (!isHidden() || isMigrations());
    }

    /** {@return why no object can have it, or null} */
    @Nullable String problem() {
      if (isMigrations() && !normal(sql).equals(normal(Migrations.CREATE))) {
        return "has a table " + name + " that is not ours.";
      }
      if (isHidden()) {
        boolean known = isTable() && KNOWN_HIDDEN.contains(name.toLowerCase(Locale.ROOT));
        return known ? null : "has a hidden " + type + " " + name + ", which is not known here.";
      }
      if (!isVirtual()) {
        return null;
      }
      String used = module();
      return MODULES.contains(used)
          ? null
          : "has a virtual table "
              + name
              + " of the module \""
              + used
              + "\"; objects have "
              + MODULES.stream().sorted().toList()
              + ".";
    }

    /**
     * {@return the module of a virtual table; empty if it cannot be told}
     *
     * <p>SQLite stores the text from the name on, behind its own first words, whatever was typed
     * before. So what stands behind the name is the module, and what is within the name, which may
     * be quoted, or in a comment is not.
     */
    private String module() {
      for (String written :
          List.of(name, quoted('"'), quoted('\''), quoted('`'), "[" + name + "]")) {
        if (sql.startsWith(VIRTUAL_TEXT + written)) {
          Matcher module =
              MODULE.matcher(sql).region(VIRTUAL_TEXT.length() + written.length(), sql.length());
          return module.lookingAt() ? module.group(1).toLowerCase(Locale.ROOT) : "";
        }
      }
      return "";
    }

    private String quoted(char mark) {
      String one = String.valueOf(mark);
      return mark + name.replace(one, one + one) + mark;
    }
  }

  private static String normal(String sql) {
    return sql.replace("main.", "").replaceAll("\\s+", "").toLowerCase(Locale.ROOT);
  }

  static ImportedSchema of(SqliteConnection file) throws SqliteException {
    List<Entry> entries = new ArrayList<>();
    boolean hasSequence = false;
    SqliteStatement query =
        file.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY rowid");
    try {
      boolean hasRow = query.start();
      while (hasRow) {
        String name = String.valueOf(query.value(1));
        hasSequence |= name.equals("sqlite_sequence");
        Object sql = query.value(2);
        // Indexes of constraints have no text; statistics are made anew by ANALYZE.
        if (sql != null && !name.startsWith("sqlite_")) {
          entries.add(new Entry(String.valueOf(query.value(0)), name, sql.toString()));
        }
        hasRow = query.step();
      }
    } finally {
      query.close();
    }
    return new ImportedSchema(List.copyOf(entries), hasSequence);
  }

  boolean hasPairs() {
    return entries.stream().anyMatch(entry -> entry.name().equalsIgnoreCase(PAIRS));
  }
}
