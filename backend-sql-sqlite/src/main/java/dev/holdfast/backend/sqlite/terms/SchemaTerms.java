package dev.holdfast.backend.sqlite.terms;

import dev.holdfast.backend.sqlite.words.AsciiCase;
import dev.holdfast.backend.sqlite.words.SqlLexer;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import dev.holdfast.backend.sqlite.words.SqlToken;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What the definitions of a schema add to the statements that use them. Thread-safe. */
public final class SchemaTerms {

  private static final Set<String> CONSTRAINTS =
      Set.of("constraint", "primary", "unique", "check", "foreign");

  private final Map<String, List<SqlToken>> views = new HashMap<>();
  private final Map<String, Table> tables = new HashMap<>();
  private final Map<String, Relation> counted = new ConcurrentHashMap<>();
  private final Map<String, Long> bodies = new ConcurrentHashMap<>();

  /** A table: what it has, and what a change of it runs. */
  private static final class Table {
    private final List<String> columns = new ArrayList<>();
    private long definitions;
    private final Map<String, List<SqlToken>> triggers = new HashMap<>();

    /** Tables that a change of this one may change. */
    private final Set<String> changed = new HashSet<>();
  }

  /**
   * A row of the schema.
   *
   * @param type table, index, view or trigger
   * @param name its name
   * @param table the table it belongs to
   * @param sql its definition
   */
  public record Definition(String type, String name, String table, String sql) {}

  /** Reads a schema. */
  public static SchemaTerms of(List<Definition> definitions) {
    SchemaTerms schema = new SchemaTerms();
    definitions.forEach(schema::add);
    return schema;
  }

  private void add(Definition definition) {
    List<SqlToken> tokens = tokens(definition);
    String table = AsciiCase.lower(definition.table);
    switch (definition.type) {
      case "view" -> views.put(AsciiCase.lower(definition.name), tokens);
      case "table" -> {
        Table known = table(table);
        known.columns.addAll(columns(tokens));
        known.definitions += tokens.size();
        for (int index = 1; index < tokens.size(); index++) {
          if (tokens.get(index - 1).is("REFERENCES")) {
            table(tokens.get(index).lowerCase()).changed.add(table);
          }
        }
      }
      case "index" -> table(table).definitions += tokens.size();
      case "trigger" -> {
        Table known = table(table);
        known.triggers.put(definition.name, tokens);
        known.changed.addAll(changed(tokens));
      }
      default -> {}
    }
  }

  /** {@return the tokens of a definition; none of a text that no statement could have made} */
  private List<SqlToken> tokens(Definition definition) {
    try {
      return SqlLexer.tokens(definition.sql);
    } catch (SqlRefusedException e) {
      counted.put(AsciiCase.lower(definition.name), Relation.table(List.of(), Terms.MAX));
      return List.of();
    }
  }

  private Table table(String name) {
    return tables.computeIfAbsent(name, _ -> new Table());
  }

  private static List<String> columns(List<SqlToken> tokens) {
    List<String> columns = new ArrayList<>();
    int depth = 0;
    for (int index = 0; index < tokens.size(); index++) {
      SqlToken token = tokens.get(index);
      boolean isFirst =
          depth == 1 && (tokens.get(index - 1).isSign('(') || tokens.get(index - 1).isSign(','));
      if (isFirst && !(token.kind() == SqlToken.Kind.WORD && isConstraint(token.lowerCase()))) {
        columns.add(token.lowerCase());
      }
      depth += token.isSign('(') ? 1 : token.isSign(')') ? -1 : 0;
    }
    return columns;
  }

  private static boolean isConstraint(String word) {
    return CONSTRAINTS.contains(word);
  }

  private static List<String> changed(List<SqlToken> trigger) {
    List<String> names = new ArrayList<>();
    for (int index = 1; index < trigger.size(); index++) {
      SqlToken before = trigger.get(index - 1);
      boolean isFirst =
          before.is("INTO")
              || before.is("UPDATE")
              || before.is("FROM")
              || before.is("IGNORE")
              || before.is("FAIL")
              || before.is("ABORT")
              || before.is("REPLACE")
              || before.is("ROLLBACK")
              || before.isSign('.');
      if (isFirst) {
        names.add(trigger.get(index).lowerCase());
      }
    }
    return names;
  }

  /**
   * {@return the terms of a statement, after every name that stands for an expression is replaced
   * by it}
   *
   * @param statement its tokens, without EXPLAIN
   */
  public long terms(List<SqlToken> statement) {
    return new TermCounter(statement, this, new HashSet<>(), 0).count();
  }

  /** {@return the terms of the largest view or trigger, which SQLite may read at any time} */
  public long largest() {
    long largest = 0;
    for (String view : views.keySet()) {
      largest = Math.max(largest, relation(view, new HashSet<>(), 0).all());
    }
    for (Table table : tables.values()) {
      for (Map.Entry<String, List<SqlToken>> trigger : table.triggers.entrySet()) {
        largest = Math.max(largest, body(trigger));
      }
    }
    return largest;
  }

  private long body(Map.Entry<String, List<SqlToken>> trigger) {
    Long known = bodies.get(trigger.getKey());
    if (known == null) {
      known = new TermCounter(trigger.getValue(), this, new HashSet<>(), 0).trigger();
      bodies.put(trigger.getKey(), known);
    }
    return known;
  }

  /**
   * {@return a table or view; a table without columns if it is not known}
   *
   * @param name its name in lower case
   * @param counting the views that are being counted
   * @param nesting how many selects the use of it is nested in, with the selects of these views
   */
  Relation relation(String name, Set<String> counting, int nesting) {
    List<SqlToken> view = views.get(name);
    if (view == null) {
      Table table = tables.get(name);
      return table == null
          ? Relation.table(List.of(), 0)
          : Relation.table(table.columns, table.definitions);
    }
    Relation known = counted.get(name);
    if (known != null) {
      return known;
    }
    if (nesting >= TermCounter.NESTING_MAX) {
      return Relation.table(List.of(), Terms.MAX);
    }
    if (!counting.add(name)) {
      return Relation.table(List.of(), 0); // SQLite refuses a view that reads itself
    }
    Relation relation = new TermCounter(view, this, counting, nesting).view();
    counting.remove(name);
    // It may have had too many terms only because of where it is used.
    if (relation.plain() < Terms.MAX) {
      counted.put(name, relation);
    }
    return relation;
  }

  /** {@return the terms of the definitions and triggers that a change of a table needs} */
  long writes(String table) {
    long terms = 0;
    Set<String> seen = new HashSet<>(Set.of(table));
    Deque<String> waiting = new ArrayDeque<>(seen);
    while (!waiting.isEmpty()) {
      Table changed = tables.get(waiting.remove());
      if (changed == null) {
        continue;
      }
      terms = Terms.sum(terms, changed.definitions);
      for (Map.Entry<String, List<SqlToken>> trigger : changed.triggers.entrySet()) {
        terms = Terms.sum(terms, body(trigger));
      }
      changed.changed.stream().filter(seen::add).forEach(waiting::add);
    }
    return terms;
  }
}
