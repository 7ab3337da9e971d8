package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.program.FullTextTables;
import dev.holdfast.backend.sqlite.terms.SchemaTerms;
import dev.holdfast.backend.sqlite.words.AsciiCase;
import dev.holdfast.backend.sqlite.words.HiddenNames;
import dev.holdfast.backend.sqlite.words.SqlLexer;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import dev.holdfast.backend.sqlite.words.SqlToken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a database with their root pages, and what is known of the statements that run on
 * them. Objects of one class mostly share one schema. Thread-safe.
 */
public final class Schema {

  private static final String QUERY =
      "SELECT type, name, tbl_name, rootpage, sql FROM main.sqlite_schema ORDER BY rowid";
  private static final String SHADOWS =
      "SELECT s.rootpage, s.name FROM main.sqlite_schema s JOIN pragma_table_list t"
          + " ON t.name = s.name AND t.schema = 'main' WHERE t.type = 'shadow'";

  private static final String SAMPLES = "SELECT 1 FROM main.sqlite_stat4";

  /** As SQLite stores it, however it was typed. */
  private static final String VIRTUAL = "CREATE VIRTUAL TABLE";

  /** The root page of the schema table. */
  private static final int ROOT = 1;

  private final Map<Integer, String> tables = new HashMap<>(Map.of(ROOT, "sqlite_schema"));
  private final Map<Integer, String> hidden = new HashMap<>();
  private final Map<Integer, String> shadows = new HashMap<>();
  private final List<Entry> hiddenEntries = new ArrayList<>();
  private final Set<String> shadowNames = new HashSet<>();
  private ContentViews contentViews = ContentViews.NONE;
  private boolean mentionsHidden;
  private final Map<String, FullTextTables> fullTextTables = new HashMap<>();

  /** Full-text tables that views and triggers name, so that any statement may use them. */
  private final Set<String> sharedTables = new HashSet<>();

  private SchemaTerms terms = SchemaTerms.of(List.of());
  private final Map<PlanKey, StatementPlan> plans = new ConcurrentHashMap<>();
  private final Set<Integer> partialIndexes = new HashSet<>();
  private IndexedValues indexedValues = new IndexedValues(false, Set.of());

  private Schema() {}

  /**
   * What the program of a statement depends on, apart from the schema.
   *
   * @param sql its text
   * @param switches of the connection: the program does not contain triggers that do not run
   * @param values of its parameters
   */
  private record PlanKey(String sql, String switches, List<Object> values) {}

  /**
   * One row of the schema table, as SQLite stores it.
   *
   * @param type what it is
   * @param name the name of the table, index, view or trigger
   * @param table the table it belongs to
   * @param page the root page; 0 if it has none
   * @param sql its definition
   */
  record Entry(String type, String name, String table, int page, String sql) {

    /** All its fields in one text. */
    String text() {
      return type + " " + name + " " + table + " " + sql;
    }

    SchemaTerms.Definition definition() {
      return new SchemaTerms.Definition(type, name, table, sql);
    }

    boolean isVirtual() {
      return type.equals("table") && AsciiCase.startsWith(sql, VIRTUAL, 0);
    }

    /** {@return whether it is an index that need not have all rows of its table} */
    boolean isPartialIndex() {
      try {
        return type.equals("index")
            && SqlLexer.tokens(sql).stream().anyMatch(each -> each.is("WHERE"));
      } catch (SqlRefusedException e) {
        return true; // of other origin
      }
    }

    /** {@return whether it is a table that ANALYZE fills} */
    boolean isStatistics() {
      return AsciiCase.startsWith(name, "sqlite_stat", 0);
    }

    /** {@return whether it may be one, by its words} */
    boolean isFullText() {
      return isVirtual() && AsciiCase.lower(sql).contains("fts5");
    }
  }

  static List<Entry> entries(SqliteConnection connection) throws SqliteException {
    return connection.list(
        QUERY,
        row ->
            new Entry(
                String.valueOf(row.value(0)),
                String.valueOf(row.value(1)),
                String.valueOf(row.value(2)),
                (int) row.integer(3),
                String.valueOf(row.value(4))));
  }

  static Schema of(SqliteConnection connection, List<Entry> entries) throws SqliteException {
    Schema schema = new Schema();
    for (Entry entry : entries) {
      schema.add(entry);
    }
    schema.contentViews = ContentViews.of(entries);
    boolean hasSamples =
        entries.stream().anyMatch(each -> each.name().equals("sqlite_stat4"))
            && connection.hasRow(SAMPLES);
    schema.indexedValues = IndexedValues.of(entries, hasSamples);
    schema.terms = SchemaTerms.of(entries.stream().map(Entry::definition).toList());
    schema.addFullTextTables(entries);
    if (entries.stream().anyMatch(Entry::isVirtual)) {
      schema.addShadows(connection);
    }
    return schema;
  }

  private void add(Entry entry) {
    if (entry.page() > 0) {
      tables.put(entry.page(), entry.table());
    }
    if (entry.isPartialIndex()) {
      partialIndexes.add(entry.page());
    }
    if (HiddenNames.isHidden(entry.name()) || HiddenNames.isHidden(entry.table())) {
      hidden.put(entry.page(), entry.name());
      hiddenEntries.add(entry);
    } else if (HiddenNames.isMentionedIn(entry.text())) {
      mentionsHidden = true;
    }
  }

  private void addFullTextTables(List<Entry> entries) {
    for (Entry entry : entries) {
      if (entry.isFullText()) {
        fullTextTables.put(AsciiCase.lower(entry.name()), FullTextTables.of(entry.sql()));
      }
    }
    for (Entry entry : fullTextTables.isEmpty() ? List.<Entry>of() : entries) {
      if (entry.type().equals("view") || entry.type().equals("trigger")) {
        try {
          sharedTables.addAll(names(entry.sql()));
        } catch (SqlRefusedException e) {
          // No statement could have made it, but a file of other origin may have it.
          sharedTables.addAll(fullTextTables.keySet());
        }
      }
    }
  }

  private static Set<String> names(String sql) {
    return SqlLexer.tokens(sql).stream()
        .filter(SqlToken::mayBeName)
        .map(SqlToken::lowerCase)
        .collect(Collectors.toSet());
  }

  private void addShadows(SqliteConnection connection) throws SqliteException {
    connection.forEach(
        SHADOWS,
        row -> {
          String name = String.valueOf(row.value(1));
          shadows.put((int) row.integer(0), name);
          shadowNames.add(AsciiCase.lower(name));
        });
  }

  /**
   * {@return the name of the table whose root page, or whose index's root page, this is; or null}
   *
   * @param page the root page
   */
  public @Nullable String tableAt(int page) {
    return tables.get(page);
  }

  /** {@return the root pages of indexes that need not have all rows of their table} */
  Set<Integer> partialIndexes() {
    return partialIndexes;
  }

  /** {@return the hidden table or index with a root page, or null} */
  @Nullable String hiddenAt(int page) {
    return hidden.get(page);
  }

  /** {@return the table with a root page that belongs to a virtual table, or null} */
  @Nullable String shadowAt(int page) {
    return shadows.get(page);
  }

  /** {@return whether a table, in lower case, belongs to a virtual table} */
  boolean isShadow(String table) {
    return shadowNames.contains(table);
  }

  /** {@return what the full-text tables that a statement may search have in common} */
  FullTextTables fullTextTables(SqlStatement statement) {
    if (fullTextTables.isEmpty()) {
      return FullTextTables.NONE;
    }
    Set<String> names = new HashSet<>(sharedTables);
    names.addAll(names(statement.explained()));
    return fullTextTables.entrySet().stream()
        .filter(each -> names.contains(each.getKey()))
        .map(Map.Entry::getValue)
        .reduce(FullTextTables.NONE, FullTextTables::and);
  }

  /** {@return the views that virtual tables may read by themselves} */
  ContentViews contentViews() {
    return contentViews;
  }

  /**
   * {@return whether something that is not hidden names something that is: only in files of other
   * origin}
   */
  boolean mentionsHidden() {
    return mentionsHidden;
  }

  /** {@return whether both have the same hidden tables, with the same indexes and triggers} */
  public boolean hasSameHidden(Schema other) {
    return hiddenEntries.equals(other.hiddenEntries);
  }

  /**
   * {@return how many terms a statement has when its names are replaced by what they stand for}
   *
   * <p>SQLite reads all views and triggers for pragmas and for changes of the schema, and those
   * that are the content of full text tables for any statement.
   */
  long terms(SqlStatement statement) {
    List<SqlToken> tokens = SqlLexer.tokens(statement.explained());
    boolean mayReadAll =
        statement.verb() != SqlStatement.Verb.ROWS
            || contentViews != ContentViews.NONE
            || tokens.stream().anyMatch(each -> PragmaRules.isFunction(each.text()));
    long own = terms.terms(tokens);
    return mayReadAll ? Math.max(own, terms.largest()) : own;
  }

  /**
   * {@return the values of parameters that the program of a statement depends on; null if that is
   * not known}
   *
   * @param bindings its parameters; null for none
   */
  @Nullable List<Object> planValues(
      SqlStatement statement, @Nullable Object @Nullable [] bindings) {
    return bindings == null ? List.of() : statement.planValues().of(bindings, indexedValues);
  }

  @Nullable StatementPlan plan(SqlStatement statement, String switches, List<Object> values) {
    return plans.get(new PlanKey(statement.sql(), switches, values));
  }

  void remember(SqlStatement statement, String switches, List<Object> values, StatementPlan plan) {
    // A database of other origin may lead from any name to a hidden table: ask SQLite each time.
    if (mentionsHidden) {
      return;
    }
    if (plans.size() >= SqliteBounds.PLANS_MAX) {
      plans.clear();
    }
    plans.put(new PlanKey(statement.sql(), switches, values), plan);
  }
}
