package dev.holdfast.backend.sqlite.exchange;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.backend.sqlite.database.DatabaseEraser;
import dev.holdfast.backend.sqlite.sql.StoredDefinitions;
import dev.holdfast.backend.sqlite.terms.SchemaTerms;
import dev.holdfast.backend.sqlite.turn.Migrations;
import dev.holdfast.backend.sqlite.words.HiddenNames;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The schema of a file to be imported, in the order in which it was created. Immutable.
 *
 * @param entries its tables, indexes, views and triggers, except those that SQLite creates itself
 * @param hasSequence whether it has the counters of AUTOINCREMENT
 */
record ImportedSchema(List<Entry> entries, boolean hasSequence) {

  private static final String HIDDEN_PREFIX = "_cf_";
  private static final String PAIRS = "_cf_KV";

  /** Tables of the reference runtime, and our own, that have a meaning here. */
  private static final Set<String> KNOWN_HIDDEN =
      Set.of("_cf_kv", "_cf_metadata", "_cf_migration", "_cf_alarm");

  private static final Set<String> MODULES = Set.of("fts5", "fts5vocab", "rtree", "rtree_i32");
  private static final String OWN_PREFIX = "sqlite_";
  private static final Set<String> OWN_TABLES =
      Set.of("sqlite_sequence", "sqlite_stat1", "sqlite_stat3", "sqlite_stat4");
  private static final List<String> SHADOWS =
      List.of("_data", "_idx", "_content", "_docsize", "_config", "_node", "_parent", "_rowid");
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
   * @param table the table it belongs to
   * @param sql its definition
   */
  record Entry(String type, String name, String table, String sql) {

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

    /** {@return whether it records which migrations the tables have run} */
    boolean isMigrations() {
      return isTable() && name.equalsIgnoreCase(DatabaseEraser.MIGRATIONS);
    }

    /** {@return whether it is created and filled as a table of the object} */
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
        boolean plain = name.equals(table) && StoredDefinitions.isPlainTable(sql);
        return known && plain
            ? null
            : "has a hidden " + type + " " + name + ", which is not known here.";
      }
      if (HiddenNames.isWithin(name) || HiddenNames.isWithin(table) || HiddenNames.isWithin(sql)) {
        return "has the " + type + " " + name + ", which mentions a hidden table.";
      }
      String used = isVirtual() ? module() : "";
      if (isVirtual() && !MODULES.contains(used)) {
        return "has a virtual table "
            + name
            + " of the module \""
            + used
            + "\"; objects have "
            + MODULES.stream().sorted().toList()
            + ".";
      }
      String refused = StoredDefinitions.problem(type, sql);
      return refused == null
          ? null
          : "has the " + type + " " + name + ", which no object can have: " + refused + ".";
    }

    /** {@return whether it may be ranked as its configuration says} */
    boolean isFullText() {
      return isVirtual() && module().equals("fts5");
    }

    /**
     * {@return the module of a virtual table; empty if it cannot be determined}
     *
     * <p>SQLite stores the text from the name on, after its own first words, whatever was typed
     * before. So the module is what follows the name, and not what is in a comment or within the
     * name, which may be quoted.
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

  /**
   * What SQLite creates itself; it is not copied, or only its rows are.
   *
   * @return why no object can have a row of the schema that begins like it, or null
   */
  private static @Nullable String problemOfOwn(
      String type, String name, String table, @Nullable Object sql) {
    boolean isIndex = type.equals("index") && sql == null;
    boolean isHidden = HiddenNames.isWithin(name) || HiddenNames.isWithin(table);
    boolean isKnown =
        isIndex
            ? !isHidden || KNOWN_HIDDEN.contains(table.toLowerCase(Locale.ROOT))
            : type.equals("table")
                && OWN_TABLES.contains(name)
                && name.equals(table)
                && StoredDefinitions.isPlainTable(String.valueOf(sql));
    return isKnown ? null : "has the " + type + " " + name + ", which SQLite did not create.";
  }

  /**
   * Reads the schema of a file.
   *
   * @param refused creates the error, from a text that says what no object can have
   */
  static ImportedSchema of(SqliteConnection file, Function<String, RuntimeException> refused)
      throws SqliteException {
    List<Entry> entries = new ArrayList<>();
    boolean hasSequence = false;
    try (SqliteStatement query =
        file.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid")) {
      for (boolean row = query.start(); row; row = query.step()) {
        String type = String.valueOf(query.value(0));
        String name = String.valueOf(query.value(1));
        String table = String.valueOf(query.value(2));
        Object sql = query.value(3);
        hasSequence |= name.equals("sqlite_sequence");
        // Indexes of constraints have no text; ANALYZE rebuilds statistics.
        boolean isOwn = sql == null || name.regionMatches(true, 0, OWN_PREFIX, 0, 7);
        Entry entry = new Entry(type, name, table, String.valueOf(sql));
        String problem = isOwn ? problemOfOwn(type, name, table, sql) : entry.problem();
        if (problem != null) {
          throw refused.apply(problem);
        }
        if (!isOwn) {
          entries.add(entry);
        }
      }
    }
    ImportedSchema schema = new ImportedSchema(List.copyOf(entries), hasSequence);
    schema.requireNoHandOnShadows(refused);
    return schema;
  }

  /** The module writes its own tables with its own statements, which no program shows. */
  private void requireNoHandOnShadows(Function<String, RuntimeException> refused) {
    Set<String> shadows = new HashSet<>();
    for (Entry entry : entries) {
      for (String suffix : entry.isVirtual() ? SHADOWS : List.<String>of()) {
        shadows.add((entry.name() + suffix).toLowerCase(Locale.ROOT));
      }
    }
    for (Entry entry : entries) {
      if (!entry.isTable() && shadows.contains(entry.table().toLowerCase(Locale.ROOT))) {
        throw refused.apply(
            "has the " + entry.type() + " " + entry.name() + " of a table of a virtual table.");
      }
    }
  }

  /** {@return the terms of its largest view or trigger; see {@link SchemaTerms}} */
  long terms() {
    List<SchemaTerms.Definition> definitions = new ArrayList<>();
    for (Entry each : entries) {
      definitions.add(new SchemaTerms.Definition(each.type, each.name, each.table, each.sql));
    }
    return SchemaTerms.of(definitions).largest();
  }

  boolean hasTable(String name) {
    return entries.stream()
        .anyMatch(entry -> entry.isTable() && entry.name().equalsIgnoreCase(name));
  }

  boolean hasPairs() {
    return entries.stream().anyMatch(entry -> entry.name().equalsIgnoreCase(PAIRS));
  }
}
