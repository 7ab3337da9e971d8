package dev.holdfast.backend.sqlite.terms;

import dev.holdfast.backend.sqlite.words.Brackets;
import dev.holdfast.backend.sqlite.words.Keywords;
import dev.holdfast.backend.sqlite.words.SqlToken;
import dev.holdfast.backend.sqlite.words.SqlToken.Kind;
import dev.holdfast.backend.sqlite.words.Verbs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Counts the terms of one statement: its names, literals and operators, after each name that stands
 * for an expression is replaced by it. Where the text does not say what a name stands for, the
 * larger number counts. Confined to one thread.
 *
 * <p>What SQLite replaces, or copies:
 *
 * <ul>
 *   <li>a column of a subquery, view or common table, by its expression, at all depths;
 *   <li>each use of a view or common table, by the whole of it;
 *   <li>an alias or number of a result column in WHERE, GROUP BY, HAVING and ORDER BY;
 *   <li>a named window, in each function that uses it;
 *   <li>a column that a condition sets equal to an expression, in all other conditions;
 *   <li>a select from a compound, for each select of the compound; and its conditions into each
 *       select below it;
 *   <li>a column of USING or NATURAL, by those of all relations;
 *   <li>a condition of a join, for the pairs of its tables.
 * </ul>
 */
final class TermCounter {

  /** SQLite gives up copying a join for its compounds beyond 500 selects. */
  private static final long ARMS_OF_A_JOIN_MAX = 1_000;

  /**
   * To order the tables of a join, SQLite reads each condition for each pair of tables, in a tenth
   * of the time that it takes for a term.
   */
  private static final long PAIRS_OF_TABLES_PER_TERM = 10;

  /** SQLite has a lower limit for the depth of expressions and views. */
  static final int NESTING_MAX = 300;

  private static final int BRACKETS_MAX = 1_000;

  private static final Set<String> JOIN_WORDS =
      Set.of("join", "natural", "left", "right", "full", "cross", "inner", "outer");
  private static final Set<String> NO_ALIAS =
      Set.of(
          "on",
          "using",
          "indexed",
          "not",
          "set",
          "where",
          "returning",
          "from",
          "values",
          "select",
          "default",
          "with");

  /** Keywords that end an expression. */
  private static final Set<String> VALUE_WORDS =
      Set.of(
          "end", "null", "isnull", "notnull", "current_date", "current_time", "current_timestamp");

  private final List<SqlToken> tokens;
  private final SchemaTerms schema;

  /** The end of the bracket at each index; 0 if there is none. */
  private final int[] ends;

  /** The views that are being counted, from the outermost one. */
  private final Set<String> views;

  /** The selects within expressions that have been counted, by the index of their first word. */
  private final Map<Integer, Relation> selects = new HashMap<>();

  private int nesting;
  private boolean isTooDeep;

  TermCounter(List<SqlToken> tokens, SchemaTerms schema, Set<String> views, int nesting) {
    this.nesting = nesting;
    this.tokens = tokens;
    this.schema = schema;
    this.views = views;
    this.ends = Brackets.ends(tokens);
  }

  /** Common tables that a text may name. */
  private final class Commons {
    private final @Nullable Commons outer;
    private final @Nullable Scope scope;
    private final Map<String, Common> tables = new HashMap<>();
    private final Map<String, Relation> counted = new HashMap<>();
    private final Set<String> counting = new HashSet<>();
    private final Set<String> recursive = new HashSet<>();

    Commons(@Nullable Commons outer, @Nullable Scope scope) {
      this.outer = outer;
      this.scope = scope;
    }

    @Nullable Relation find(String name) {
      Common common = tables.get(name);
      if (common == null) {
        return outer == null ? null : outer.find(name);
      }
      Relation known = counted.get(name);
      if (known != null) {
        return known;
      }
      if (!counting.add(name)) {
        recursive.add(name);
        return Relation.table(common.names, 0);
      }
      Relation relation = select(common.from, common.to, scope, this);
      counting.remove(name);
      relation = common.names.isEmpty() ? relation : relation.renamed(common.names);
      // The rows of a recursive table are computed before they are read.
      relation = recursive.contains(name) ? relation.computed() : relation;
      counted.put(name, relation);
      return relation;
    }
  }

  /** An equation in a condition: where it begins, its sign or IN, and where it ends. */
  private record Equation(int from, int sign, int to) {}

  /** A common table: its names of columns, and where its select is. */
  private record Common(List<String> names, int from, int to) {}

  /** {@return the terms of the statement} */
  long count() {
    long terms = statement(0, tokens.size(), /* isBody= */ false);
    return isTooDeep ? Terms.MAX : terms;
  }

  /** {@return the relation of a view with this definition} */
  Relation view() {
    int at = 0;
    List<String> names = List.of();
    while (at < tokens.size() && !tokens.get(at).is("AS")) {
      if (tokens.get(at).isSign('(')) {
        names = names(at);
        at = end(at);
      }
      at++;
    }
    Relation relation = select(at + 1, tokens.size(), null, null);
    if (isTooDeep) {
      return Relation.table(List.of(), Terms.MAX);
    }
    return names.isEmpty() ? relation : relation.renamed(names);
  }

  private long statement(int from, int to, boolean isBody) {
    int at = from;
    if (at >= to) {
      return 0;
    }
    Commons commons = null;
    if (tokens.get(at).is("WITH")) {
      commons = new Commons(null, null);
      at = takeCommons(at, to, commons);
    }
    if (at >= to) {
      return (long) to - from;
    }
    SqlToken verb = tokens.get(at);
    if (verb.is("SELECT") || verb.is("VALUES")) {
      return select(at, to, null, commons).all();
    }
    if (verb.is("INSERT") || verb.is("REPLACE") || verb.is("UPDATE") || verb.is("DELETE")) {
      return change(at, to, commons, isBody);
    }
    if (verb.is("CREATE")) {
      return definition(at, to);
    }
    return (long) to - from;
  }

  private long definition(int from, int to) {
    if (Verbs.createsTrigger(tokens)) {
      return trigger();
    }
    int as = firstAtTop(from, to, "AS");
    boolean hasSelect = as + 1 < to && beginsSelect(as + 1);
    return hasSelect ? select(as + 1, to, null, null).all() : to - from;
  }

  /** {@return the terms of the body of a trigger} */
  long trigger() {
    // The name of the trigger, before ON, may be BEGIN.
    int begin = firstAtTop(0, tokens.size(), "ON");
    while (begin < tokens.size() && !beginsBody(begin)) {
      begin++;
    }
    long terms = expression(0, begin, new Scope(null), null);
    int from = begin + 1;
    for (int index = from; index < tokens.size(); index++) {
      if (tokens.get(index).kind() == Kind.SEMICOLON) {
        terms = Terms.sum(terms, statement(from, index, /* isBody= */ true));
        from = index + 1;
      }
    }
    return isTooDeep ? Terms.MAX : terms;
  }

  /** {@return whether BEGIN is here, and a statement follows; otherwise it is a name} */
  private boolean beginsBody(int index) {
    if (!tokens.get(index).is("BEGIN") || index + 1 >= tokens.size()) {
      return false;
    }
    SqlToken next = tokens.get(index + 1);
    return next.is("SELECT")
        || next.is("VALUES")
        || next.is("WITH")
        || next.is("INSERT")
        || next.is("REPLACE")
        || next.is("UPDATE")
        || next.is("DELETE");
  }

  /**
   * INSERT, UPDATE or DELETE.
   *
   * @param isBody whether what the change causes is counted elsewhere
   */
  private long change(int from, int to, @Nullable Commons commons, boolean isBody) {
    boolean isUpdate = tokens.get(from).is("UPDATE");
    int table = from + 1;
    if (isUpdate) {
      table += table + 1 < to && tokens.get(table).is("OR") ? 2 : 0;
    } else {
      while (table < to && !tokens.get(table).is("INTO") && !tokens.get(table).is("FROM")) {
        table++;
      }
      table++;
    }
    Scope scope = new Scope(null);
    List<Integer> conditions = new ArrayList<>();
    int next = operand(table, to, scope, commons, conditions);
    int returning = firstAtTop(next, to, "RETURNING");
    int conflict = firstConflict(next, returning);
    int rows = isUpdate ? conflict : firstSelect(next, conflict);
    long written = rows < conflict ? select(rows, conflict, null, commons).all() : 0;
    int where = firstAtTop(next, rows, "WHERE");
    int source = isUpdate ? firstFrom(next, where) : where;
    from(Math.min(source + 1, where), where, scope, commons, conditions);
    conditions.addAll(List.of(where, rows));
    long values = expression(next, source, scope, commons);
    long all = finished(scope, values, conditions, commons).all();
    all = Terms.sum(all, written);
    all = Terms.sum(all, expression(conflict, returning, scope, commons));
    all = Terms.sum(all, items(Math.min(returning + 1, to), to, scope, commons).star);
    long writes = isBody ? 0 : schema.writes(target(table, to));
    return Terms.sum(all, Terms.product(1 + conflicts(conflict, returning), writes));
  }

  /** {@return where the first ON CONFLICT is; a column of a join may have that name} */
  private int firstConflict(int from, int to) {
    for (int index = from; index + 2 < to; index++) {
      if (isConflict(index)) {
        return index;
      }
      index = skip(index);
    }
    return to;
  }

  private boolean isConflict(int index) {
    SqlToken after = tokens.get(index + 2);
    return tokens.get(index).is("ON")
        && tokens.get(index + 1).is("CONFLICT")
        && (after.isSign('(') || after.is("DO"));
  }

  private long conflicts(int from, int to) {
    return IntStream.range(from, Math.max(from, to - 2)).filter(this::isConflict).count();
  }

  private String target(int at, int to) {
    boolean isQualified = at + 2 < to && tokens.get(at + 1).isSign('.');
    int name = isQualified ? at + 2 : at;
    return name < to ? tokens.get(name).lowerCase() : "";
  }

  /** {@return the first select at the top of a range; its end if there is none} */
  private int firstSelect(int from, int to) {
    for (int index = from; index < to; index++) {
      if (beginsSelect(index)) {
        return index;
      }
      index = skip(index);
    }
    return to;
  }

  // ---------------------------------------------------------------- selects

  private boolean beginsSelect(int index) {
    SqlToken token = tokens.get(index);
    return token.is("SELECT") || token.is("VALUES") || beginsCommons(index);
  }

  /** {@return whether a common table follows WITH, which is a name otherwise} */
  private boolean beginsCommons(int index) {
    int at = index + 1;
    if (!tokens.get(index).is("WITH") || at >= tokens.size()) {
      return false;
    }
    // In an argument of CAST, AS may follow a call.
    if (index > 1 && tokens.get(index - 2).is("CAST")) {
      return false;
    }
    at += tokens.get(at).is("RECURSIVE") ? 2 : 1;
    if (at < tokens.size() && tokens.get(at).isSign('(')) {
      at = end(at) + 1;
    }
    return at < tokens.size() && tokens.get(at).is("AS");
  }

  private Relation select(int from, int to, @Nullable Scope outer, @Nullable Commons outerCommons) {
    if (isTooDeep || nesting >= NESTING_MAX) {
      isTooDeep = true;
      return Relation.table(List.of(), 0);
    }
    nesting++;
    Relation all = compound(from, to, outer, outerCommons);
    nesting--;
    return all;
  }

  private Relation compound(
      int from, int to, @Nullable Scope outer, @Nullable Commons outerCommons) {
    int at = from;
    Commons commons = outerCommons;
    if (at < to && beginsCommons(at)) {
      commons = new Commons(outerCommons, outer);
      at = takeCommons(at, to, commons);
    }
    Relation all = null;
    int begin = at;
    for (int index = at; index <= to; index++) {
      boolean isEnd = index == to || combines(tokens.get(index));
      if (isEnd) {
        Relation core = core(begin, index, outer, commons);
        all = all == null ? core : both(all, core);
        begin = index + 1;
        if (begin < to && tokens.get(begin).is("ALL")) {
          begin++;
        }
      } else {
        index = Math.min(skip(index), to - 1);
      }
    }
    return all == null ? Relation.table(List.of(), to - from) : all;
  }

  private static boolean combines(SqlToken token) {
    return token.is("UNION") || token.is("INTERSECT") || token.is("EXCEPT");
  }

  private static Relation both(Relation one, Relation other) {
    List<Relation.Column> columns = new ArrayList<>();
    boolean isKnown = one.columns().size() == other.columns().size();
    for (int index = 0; index < one.columns().size(); index++) {
      Relation.Column first = one.columns().get(index);
      long second = isKnown ? other.columns().get(index).terms() : other.widest();
      columns.add(new Relation.Column(first.name(), Math.max(first.terms(), second)));
    }
    return Relation.of(
        columns,
        Math.max(one.others(), isKnown ? other.others() : other.widest()),
        Terms.sum(one.plain(), other.plain()),
        Terms.sum(one.conditions(), other.conditions()),
        Math.max(one.factor(), other.factor()),
        one.hasConstant() || other.hasConstant(),
        Math.max(one.depth(), other.depth()),
        Terms.sum(one.arms(), other.arms()),
        Math.max(one.tables(), other.tables()));
  }

  private int takeCommons(int with, int to, Commons commons) {
    int at = with + 1;
    if (at < to && tokens.get(at).is("RECURSIVE")) {
      at++;
    }
    while (at < to) {
      String name = tokens.get(at).lowerCase();
      at++;
      List<String> names = List.of();
      if (at < to && tokens.get(at).isSign('(')) {
        names = names(at);
        at = end(at) + 1;
      }
      while (at < to && !tokens.get(at).isSign('(')) {
        at++;
      }
      int end = at < to ? Math.min(end(at), to) : to;
      commons.tables.put(name, new Common(names, Math.min(at + 1, end), end));
      at = end + 1;
      if (at >= to || !tokens.get(at).isSign(',')) {
        return Math.min(at, to);
      }
      at++;
    }
    return to;
  }

  private List<String> names(int bracket) {
    List<String> names = new ArrayList<>();
    int last = Math.min(end(bracket), tokens.size());
    for (int index = bracket + 1; index < last; index++) {
      boolean isFirst = index == bracket + 1 || tokens.get(index - 1).isSign(',');
      if (isFirst) {
        names.add(tokens.get(index).lowerCase());
      }
    }
    return names;
  }

  /** One select of a compound; of the last one also the order and limit of all. */
  private Relation core(int from, int to, @Nullable Scope outer, @Nullable Commons commons) {
    Scope scope = new Scope(outer);
    if (from >= to || !tokens.get(from).is("SELECT")) {
      return values(from, to, scope, commons);
    }
    int at = from + 1;
    if (at < to && (tokens.get(at).is("DISTINCT") || tokens.get(at).is("ALL"))) {
      at++;
    }
    int limit = firstAtTop(at, to, "LIMIT");
    int order = Math.min(limit, firstAtTop(at, to, "ORDER"));
    int window = Math.min(order, firstWindow(at, to));
    int having = Math.min(window, firstAtTop(at, to, "HAVING"));
    int group = Math.min(having, firstAtTop(at, to, "GROUP"));
    int where = Math.min(group, firstAtTop(at, to, "WHERE"));
    int source = Math.min(where, firstFrom(at, where));

    List<Integer> conditions = new ArrayList<>();
    from(Math.min(source + 1, where), where, scope, commons, conditions);
    conditions.addAll(List.of(where, group, having, window));
    long plain = windows(window, order, scope, commons);
    Items items = items(at, source, scope, commons);
    plain = Terms.sum(plain, items.star);
    items.columns.forEach(each -> scope.addAlias(each.name(), each.terms()));
    plain = Terms.sum(plain, numbered(group, having, items.widest, scope, commons));
    plain = Terms.sum(plain, numbered(order, limit, items.widest, scope, commons));
    plain = Terms.sum(plain, expression(limit, to, scope, commons));
    return items.of(finished(scope, plain, conditions, commons));
  }

  /** Adds what a select has of its own to what its relations have. */
  private Relation finished(
      Scope scope, long own, List<Integer> ranges, @Nullable Commons commons) {
    long plain = 0;
    long conditions = 0;
    long factor = 1;
    long arms = 1;
    long tables = 0;
    boolean hasConstant = false;
    int depth = 0;
    List<Relation> relations = scope.relations();
    for (Relation each : relations) {
      plain = Terms.sum(plain, each.plain());
      conditions = Terms.sum(conditions, each.conditions());
      factor = Terms.product(factor, each.factor());
      hasConstant |= each.hasConstant();
      arms = Terms.product(arms, each.arms());
      tables = Terms.sum(tables, each.tables());
      depth = Math.max(depth, each.depth());
    }
    if (relations.size() > 1) {
      arms = Math.min(arms, ARMS_OF_A_JOIN_MAX);
    }
    long ownConditions = scope.merged();
    List<Equation> equations = new ArrayList<>();
    for (int index = 0; index + 1 < ranges.size(); index += 2) {
      int from = ranges.get(index);
      int to = ranges.get(index + 1);
      ownConditions = Terms.sum(ownConditions, expression(from, to, scope, commons));
      addEquations(from, to, 0, equations);
    }
    for (Equation each : equations) {
      factor = Terms.product(factor, replacement(each, scope, commons));
      hasConstant |=
          isConstant(each.from, each.sign, scope) || isConstant(each.sign + 1, each.to, scope);
    }
    long planned =
        Terms.product(Terms.product(tables, tables), Terms.sum(conditions, ownConditions))
            / PAIRS_OF_TABLES_PER_TERM;
    return Relation.of(
        List.of(),
        1,
        Terms.sum(Terms.sum(plain, planned), Terms.product(own, arms)),
        Terms.sum(conditions, Terms.product(ownConditions, Terms.product(arms, 1L + depth))),
        factor,
        hasConstant,
        depth + 1,
        arms,
        tables);
  }

  private Relation values(int from, int to, Scope scope, @Nullable Commons commons) {
    Relation all = null;
    for (int index = from; index < to; index++) {
      if (tokens.get(index).isSign('(')) {
        int end = Math.min(end(index), to);
        Items items = items(index + 1, end, scope, commons);
        Relation row = items.of(finished(new Scope(null), items.star, List.of(), commons));
        all = all == null ? row : both(all, row);
        index = end;
      }
    }
    return all == null ? Relation.table(List.of(), to - from) : all;
  }

  // ---------------------------------------------------------------- result columns

  /** The columns of a result. */
  private static final class Items {
    private final List<Relation.Column> columns = new ArrayList<>();
    private long star;
    private long others = 1;
    private long widest = 1;

    private void add(String name, long terms) {
      columns.add(new Relation.Column(name, terms));
      star = Terms.sum(star, terms);
      widest = Math.max(widest, terms);
    }

    private void addAll(Relation relation) {
      columns.addAll(relation.columns());
      star = Terms.sum(star, relation.star());
      others = Math.max(others, relation.others());
      widest = Math.max(widest, relation.widest());
    }

    /** {@return a relation of these columns} */
    private Relation of(Relation select) {
      return Relation.of(
          columns,
          others,
          select.plain(),
          select.conditions(),
          select.factor(),
          select.hasConstant(),
          select.depth(),
          select.arms(),
          select.tables());
    }
  }

  private Items items(int from, int to, Scope scope, @Nullable Commons commons) {
    Items items = new Items();
    int begin = from;
    for (int index = from; index <= to && begin < to; index++) {
      if (index < to && !tokens.get(index).isSign(',')) {
        index = Math.min(skip(index), to - 1);
        continue;
      }
      if (isStar(begin, index)) {
        boolean isOfOne = index - begin > 1;
        List<Relation> all =
            isOfOne ? scope.relations(tokens.get(begin).lowerCase()) : scope.relations();
        all.forEach(items::addAll);
      } else if (begin < index) {
        long terms = expression(begin, index, scope, commons);
        SqlToken last = tokens.get(index - 1);
        items.add(last.mayBeName() ? last.lowerCase() : "", terms);
        if (!isNamed(begin, index)) {
          items.others = Math.max(items.others, terms);
        }
      }
      begin = index + 1;
    }
    return items;
  }

  private boolean isStar(int begin, int end) {
    return end > begin
        && tokens.get(end - 1).isSign('*')
        && (end - begin == 1 || (end - begin == 3 && tokens.get(begin + 1).isSign('.')));
  }

  /** {@return whether a column of a result has a name; otherwise its text is its name} */
  private boolean isNamed(int begin, int end) {
    if (!tokens.get(end - 1).mayBeName()) {
      return false;
    }
    if (end - begin == 1) {
      return true;
    }
    SqlToken before = tokens.get(end - 2);
    return switch (before.kind()) {
      case WORD ->
          before.is("AS")
              || VALUE_WORDS.contains(before.lowerCase())
              || !Keywords.isKeyword(before);
      case SIGN -> before.isSign(')') || (before.isSign('.') && end - begin == 3);
      default -> true;
    };
  }

  /** The terms of ORDER BY or GROUP BY, where a number stands for a column of the result. */
  private long numbered(int from, int to, long widest, Scope scope, @Nullable Commons commons) {
    long terms = expression(from, to, scope, commons);
    boolean isFirst = false;
    for (int index = from; index < to; index++) {
      SqlToken token = tokens.get(index);
      if (token.is("BY") || token.isSign(',')) {
        isFirst = true;
      } else if (token.kind() == Kind.NUMBER) {
        terms = isFirst ? Terms.sum(terms, widest) : terms;
        isFirst = false;
      } else {
        // SQLite also takes a number in brackets or with a sign.
        isFirst &= token.isSign('(') || token.isSign('+') || token.isSign('-');
      }
    }
    return terms;
  }

  // ---------------------------------------------------------------- FROM

  /** Adds the relations of a FROM clause, and the conditions that join them. */
  private void from(
      int from, int to, Scope scope, @Nullable Commons commons, List<Integer> conditions) {
    if (isTooDeep || nesting >= NESTING_MAX) {
      isTooDeep = true;
      return;
    }
    nesting++;
    int at = from;
    while (at < to) {
      at = operand(at, to, scope, commons, conditions);
      int condition = at;
      while (at < to && !tokens.get(at).isSign(',') && !tokens.get(at).is("JOIN")) {
        SqlToken token = tokens.get(at);
        if (token.is("USING") || token.is("NATURAL")) {
          scope.mergeColumns(token.is("NATURAL"));
        }
        at = skip(at) + 1;
      }
      conditions.add(condition);
      conditions.add(Math.min(at, to));
      at++;
    }
    nesting--;
  }

  /** {@return the index after a table, subquery or join in brackets, and its alias} */
  private int operand(
      int from, int to, Scope scope, @Nullable Commons commons, List<Integer> conditions) {
    if (from >= to) {
      return to;
    }
    if (!tokens.get(from).isSign('(')) {
      return tableOperand(from, to, scope, commons);
    }
    int end = Math.min(end(from), to);
    boolean isSelect = from + 1 < end && beginsSelect(from + 1);
    int alias = alias(end + 1, to);
    String name = alias < to ? tokens.get(alias).lowerCase() : "";
    if (isSelect) {
      scope.add(name, select(from + 1, end, scope.outer(), commons));
    } else if (name.isEmpty()) {
      from(from + 1, end, scope, commons, conditions);
    } else {
      Scope inner = new Scope(scope.outer());
      List<Integer> own = new ArrayList<>();
      from(from + 1, end, inner, commons, own);
      Items items = new Items();
      inner.relations().forEach(items::addAll);
      scope.add(name, items.of(finished(inner, items.star, own, commons)));
    }
    return name.isEmpty() ? Math.min(end + 1, to) : alias + 1;
  }

  private int tableOperand(int from, int to, Scope scope, @Nullable Commons commons) {
    boolean isQualified = from + 2 < to && tokens.get(from + 1).isSign('.');
    int at = isQualified ? from + 2 : from;
    String table = tokens.get(at).lowerCase();
    Relation common = isQualified || commons == null ? null : commons.find(table);
    Relation relation = common == null ? stored(table) : common;
    at++;
    if (at < to && tokens.get(at).isSign('(')) {
      int end = Math.min(end(at), to);
      long arguments = expression(at + 1, end, scope, commons);
      relation = relation.with(arguments);
      at = end + 1;
    }
    int alias = alias(at, to);
    scope.add(alias < to ? tokens.get(alias).lowerCase() : table, relation);
    return alias < to ? alias + 1 : Math.min(at, to);
  }

  /** {@return the index of an alias; the end of the range if there is none} */
  private int alias(int at, int to) {
    if (at < to && tokens.get(at).is("AS")) {
      return Math.min(at + 1, to);
    }
    if (at >= to || !tokens.get(at).mayBeName()) {
      return to;
    }
    SqlToken token = tokens.get(at);
    boolean isWord = token.kind() == Kind.WORD;
    String word = token.lowerCase();
    return isWord && (JOIN_WORDS.contains(word) || NO_ALIAS.contains(word)) ? to : at;
  }

  // ---------------------------------------------------------------- expressions

  /** {@return the terms of a range, in which names are those of a scope} */
  private long expression(int from, int to, Scope scope, @Nullable Commons commons) {
    long terms = 0;
    for (int index = from; index < to; index++) {
      SqlToken token = tokens.get(index);
      if (token.isSign('(') && index + 1 < to && beginsSelect(index + 1)) {
        int end = Math.min(end(index), to);
        Relation select = selects.get(index);
        if (select == null) {
          select = select(index + 1, end, scope, commons);
          selects.put(index, select);
        }
        terms = Terms.sum(terms, select.all());
        index = end;
      } else {
        terms = Terms.sum(terms, term(index, to, scope, commons));
      }
    }
    return terms;
  }

  private long term(int index, int to, Scope scope, @Nullable Commons commons) {
    SqlToken token = tokens.get(index);
    if (token.kind() == Kind.SIGN) {
      return token.isSign('(') || token.isSign(')') || token.isSign(',') || token.isSign('.')
          ? 0
          : 1;
    }
    boolean isBeforeDot = index + 1 < to && tokens.get(index + 1).isSign('.');
    boolean isAfterDot = index > 0 && tokens.get(index - 1).isSign('.');
    if (isBeforeDot) {
      return 0;
    }
    if (index > 0 && tokens.get(index - 1).is("IN") && token.mayBeName()) {
      return Terms.sum(1, used(token.lowerCase(), commons).all());
    }
    if (isAfterDot && index > 2 && tokens.get(index - 3).is("IN")) {
      return Terms.sum(1, stored(token.lowerCase()).all());
    }
    boolean isCall = index + 1 < to && tokens.get(index + 1).isSign('(') && !isAfterDot;
    boolean isName = token.kind() == Kind.WORD || token.kind() == Kind.QUOTED_NAME || isAfterDot;
    if (!isName || isCall) {
      return 1;
    }
    String qualifier = isAfterDot && index > 1 ? tokens.get(index - 2).lowerCase() : null;
    return scope.terms(qualifier, token.lowerCase());
  }

  /** {@return a table or view of the schema} */
  private Relation stored(String name) {
    Relation relation = schema.relation(name, views, nesting);
    // Nothing that is counted from here on would make a difference.
    isTooDeep |= relation.plain() >= Terms.MAX;
    return relation;
  }

  private Relation used(String name, @Nullable Commons commons) {
    Relation common = commons == null ? null : commons.find(name);
    return common == null ? stored(name) : common;
  }

  private long windows(int from, int to, Scope scope, @Nullable Commons commons) {
    long all = 0;
    for (int index = from; index + 2 < to; index++) {
      if (tokens.get(index + 1).is("AS") && tokens.get(index + 2).isSign('(')) {
        int end = Math.min(end(index + 2), to);
        long terms = expression(index + 3, end, scope, commons);
        all = Terms.sum(all, terms);
        scope.addWindow(tokens.get(index).lowerCase(), terms);
        index = end;
      }
    }
    return all;
  }

  /** {@return whether a range may be constant: whether no name in it must be that of a column} */
  private boolean isConstant(int from, int to, Scope scope) {
    return IntStream.range(from, to).noneMatch(index -> isReference(index, to, scope));
  }

  private boolean isReference(int index, int to, Scope scope) {
    SqlToken token = tokens.get(index);
    boolean isFollowed =
        index + 1 < to && (tokens.get(index + 1).isSign('(') || tokens.get(index + 1).isSign('.'));
    if (isFollowed || index == 0) {
      return false;
    }
    SqlToken before = tokens.get(index - 1);
    if (before.isSign('.')) {
      return token.mayBeName();
    }
    return switch (token.kind()) {
      // A name of a collation or type is none of a column, and so are keywords, as far as is known.
      case WORD ->
          !Keywords.isKeyword(token)
              && !token.is("true")
              && !token.is("false")
              && !before.is("COLLATE")
              && !before.is("AS");
      // A string, if no column has the name.
      case QUOTED_NAME -> scope.hasColumn(token.lowerCase());
      default -> false;
    };
  }

  /**
   * Collects the expressions that are equal to a column, where all conditions must hold. If one is
   * constant, SQLite may replace the column in the other conditions, some of which are constant
   * then. So a term is repeated as often as the product of their lengths says.
   */
  private void addEquations(int from, int to, int depth, List<Equation> found) {
    int begin = from;
    int end = to;
    while (begin < end
        && (isLeading(tokens.get(begin))
            || (tokens.get(begin).isSign('(') && end(begin) == end - 1))) {
      end -= tokens.get(begin).isSign('(') ? 1 : 0;
      begin++;
    }
    int equal = end;
    int part = begin;
    boolean hasCase = false;
    for (int index = begin; index < end; index++) {
      SqlToken token = tokens.get(index);
      hasCase |= token.is("CASE");
      // Where CASE ends is not known: its END may be a name.
      boolean isWithinCase = token.is("OR") && hasCase;
      if (token.is("OR") && !isWithinCase) {
        return;
      }
      if ((token.is("AND") || isWithinCase) && depth < BRACKETS_MAX) {
        addEquations(part, index, depth + 1, found);
        part = index + 1;
      } else if (equal == end && (token.isEqualSign() || isInOne(index, end))) {
        equal = index;
      }
      index = skip(index);
    }
    if (part > begin) {
      addEquations(part, end, depth + 1, found);
      return;
    }
    if (equal < end && (isColumn(begin, equal) || isColumn(equal + 1, end))) {
      found.add(new Equation(begin, equal, end));
    }
  }

  /** {@return the terms of what may replace a column of an equation, at least one} */
  private long replacement(Equation equation, Scope scope, @Nullable Commons commons) {
    int right = equation.sign + 1;
    if (!isColumn(equation.from, equation.sign)) {
      return Math.max(1, expression(equation.from, equation.sign, scope, commons));
    }
    if (!isColumn(right, equation.to)) {
      return Math.max(1, expression(right, equation.to, scope, commons));
    }
    // Each may replace the other.
    return Math.max(
        column(equation.from, equation.sign, scope, commons),
        column(right, equation.to, scope, commons));
  }

  /** {@return the terms of a column, which words of a join may surround, at least one} */
  private long column(int from, int to, Scope scope, @Nullable Commons commons) {
    return IntStream.range(from, to)
        .mapToLong(index -> term(index, to, scope, commons))
        .reduce(1, Math::max);
  }

  /** {@return whether IN and a list of one expression is here, which is an equation for SQLite} */
  private boolean isInOne(int index, int end) {
    if (!tokens.get(index).is("IN") || index + 2 >= end || !tokens.get(index + 1).isSign('(')) {
      return false;
    }
    return !beginsSelect(index + 2) && firstComma(index + 2, end(index + 1)) == end(index + 1);
  }

  private int firstComma(int from, int to) {
    for (int index = from; index < to; index++) {
      if (tokens.get(index).isSign(',')) {
        return index;
      }
      index = skip(index);
    }
    return to;
  }

  private static boolean isLeading(SqlToken token) {
    return token.is("WHERE") || token.is("ON") || token.is("HAVING");
  }

  private boolean isColumn(int from, int to) {
    for (int index = from; index < to; index++) {
      SqlToken token = tokens.get(index);
      boolean isPart =
          token.mayBeName() || token.isSign('(') || token.isSign(')') || token.isSign('.');
      if (!isPart) {
        return false;
      }
    }
    return from < to;
  }

  // ---------------------------------------------------------------- positions

  /** {@return the bracket that closes the one at an index} */
  private int end(int open) {
    return ends[open] == 0 ? tokens.size() : ends[open];
  }

  /** {@return the last index of what begins at an index: of a bracket, its end} */
  private int skip(int index) {
    return index < tokens.size() && tokens.get(index).isSign('(') ? end(index) : index;
  }

  /**
   * {@return the first word of its kind outside brackets; the end of the range if there is none}
   */
  private int firstAtTop(int from, int to, String word) {
    for (int index = from; index < to; index++) {
      if (tokens.get(index).is(word)) {
        return index;
      }
      index = skip(index);
    }
    return to;
  }

  /** An expression follows {@code IS DISTINCT FROM}. */
  private int firstFrom(int from, int to) {
    int found = firstAtTop(from, to, "FROM");
    while (found < to && found > from && tokens.get(found - 1).is("DISTINCT")) {
      found = firstAtTop(found + 1, to, "FROM");
    }
    return found;
  }

  /** The word begins a clause only before a name, AS and a bracket; elsewhere it is a name. */
  private int firstWindow(int from, int to) {
    int found = firstAtTop(from, to, "WINDOW");
    while (found + 3 < to
        && !(tokens.get(found + 2).is("AS") && tokens.get(found + 3).isSign('('))) {
      found = firstAtTop(found + 1, to, "WINDOW");
    }
    return found + 3 < to ? found : to;
  }
}
