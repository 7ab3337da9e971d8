package dev.holdfast.backend.sqlite.terms;

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
 *   <li>a column of USING or NATURAL, by the columns of all relations;
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

  /** SQLite allows no more in one FROM clause. */
  private static final int RELATIONS_MAX = 200;

  /** SQLite has a lower limit for the depth of expressions and views. */
  static final int NESTING_MAX = 300;

  private final List<SqlToken> tokens;
  private final SchemaTerms schema;

  private final Clauses clauses;

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
    this.clauses = new Clauses(tokens);
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
        names = clauses.names(at);
        at = clauses.end(at);
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
    int as = clauses.firstAtTop(from, to, "AS");
    boolean hasSelect = as + 1 < to && clauses.beginsSelect(as + 1);
    return hasSelect ? select(as + 1, to, null, null).all() : to - from;
  }

  /** {@return the terms of the body of a trigger} */
  long trigger() {
    // The name of the trigger, before ON, may be BEGIN.
    int begin = clauses.firstAtTop(0, tokens.size(), "ON");
    while (begin < tokens.size() && !clauses.beginsBody(begin)) {
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
    int returning = clauses.firstAtTop(next, to, "RETURNING");
    int conflict = clauses.firstConflict(next, returning);
    int rows = isUpdate ? conflict : clauses.firstSelect(next, conflict);
    long written = rows < conflict ? select(rows, conflict, null, commons).all() : 0;
    int where = clauses.firstAtTop(next, rows, "WHERE");
    int source = isUpdate ? clauses.firstFrom(next, where) : where;
    from(Math.min(source + 1, where), where, scope, commons, conditions);
    conditions.addAll(List.of(where, rows));
    long values = expression(next, source, scope, commons);
    long all = finished(scope, values, conditions, commons).all();
    all = Terms.sum(all, written);
    all = Terms.sum(all, expression(conflict, returning, scope, commons));
    all = Terms.sum(all, items(Math.min(returning + 1, to), to, scope, commons).star);
    long writes = isBody ? 0 : schema.writes(clauses.target(table, to));
    return Terms.sum(all, Terms.product(1 + clauses.conflicts(conflict, returning), writes));
  }

  // ---------------------------------------------------------------- selects

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
    if (at < to && clauses.beginsCommons(at)) {
      commons = new Commons(outerCommons, outer);
      at = takeCommons(at, to, commons);
    }
    Relation all = null;
    int begin = at;
    for (int index = at; index <= to; index++) {
      boolean isEnd = index == to || Clauses.combines(tokens.get(index));
      if (isEnd) {
        Relation core = core(begin, index, outer, commons);
        all = all == null ? core : both(all, core);
        begin = index + 1;
        if (begin < to && tokens.get(begin).is("ALL")) {
          begin++;
        }
      } else {
        index = Math.min(clauses.skip(index), to - 1);
      }
    }
    return all == null ? Relation.table(List.of(), to - from) : all;
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
        names = clauses.names(at);
        at = clauses.end(at) + 1;
      }
      while (at < to && !tokens.get(at).isSign('(')) {
        at++;
      }
      int end = at < to ? Math.min(clauses.end(at), to) : to;
      commons.tables.put(name, new Common(names, Math.min(at + 1, end), end));
      at = end + 1;
      if (at >= to || !tokens.get(at).isSign(',')) {
        return Math.min(at, to);
      }
      at++;
    }
    return to;
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
    int limit = clauses.firstAtTop(at, to, "LIMIT");
    int order = Math.min(limit, clauses.firstAtTop(at, to, "ORDER"));
    int window = Math.min(order, clauses.firstWindow(at, to));
    int having = Math.min(window, clauses.firstAtTop(at, to, "HAVING"));
    int group = Math.min(having, clauses.firstAtTop(at, to, "GROUP"));
    int where = Math.min(group, clauses.firstAtTop(at, to, "WHERE"));
    int source = Math.min(where, clauses.firstFrom(at, where));

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

  /** Adds what a select has itself to what its relations have. */
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
      Equation.addAll(clauses, from, to, 0, equations);
    }
    for (Equation each : equations) {
      factor = Terms.product(factor, replacement(each, scope, commons));
      hasConstant |=
          isConstant(each.from(), each.sign(), scope)
              || isConstant(each.sign() + 1, each.to(), scope);
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
        int end = Math.min(clauses.end(index), to);
        Items items = items(index + 1, end, scope, commons);
        Relation row = items.of(finished(new Scope(null), items.star, List.of(), commons));
        all = all == null ? row : both(all, row);
        index = end;
      }
    }
    return all == null ? Relation.table(List.of(), to - from) : all;
  }

  // ---------------------------------------------------------------- result columns

  private Items items(int from, int to, Scope scope, @Nullable Commons commons) {
    Items items = new Items();
    int begin = from;
    for (int index = from; index <= to && begin < to; index++) {
      if (index < to && !tokens.get(index).isSign(',')) {
        index = Math.min(clauses.skip(index), to - 1);
        continue;
      }
      if (clauses.isStar(begin, index)) {
        boolean isOfOne = index - begin > 1;
        List<Relation> all =
            isOfOne ? scope.relations(tokens.get(begin).lowerCase()) : scope.relations();
        all.forEach(items::addAll);
      } else if (begin < index) {
        long terms = expression(begin, index, scope, commons);
        SqlToken last = tokens.get(index - 1);
        items.add(last.mayBeName() ? last.lowerCase() : "", terms);
        if (!clauses.isNamed(begin, index)) {
          items.others = Math.max(items.others, terms);
        }
      }
      begin = index + 1;
    }
    return items;
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
    while (at < to && !isTooDeep) {
      at = operand(at, to, scope, commons, conditions);
      // Each name is looked up in all of them.
      isTooDeep |= scope.relations().size() > RELATIONS_MAX;
      int condition = at;
      while (at < to && !tokens.get(at).isSign(',') && !tokens.get(at).is("JOIN")) {
        SqlToken token = tokens.get(at);
        if (token.is("USING") || token.is("NATURAL")) {
          scope.mergeColumns(token.is("NATURAL"));
        }
        at = clauses.skip(at) + 1;
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
    int end = Math.min(clauses.end(from), to);
    boolean isSelect = from + 1 < end && clauses.beginsSelect(from + 1);
    int alias = clauses.alias(end + 1, to);
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
      int end = Math.min(clauses.end(at), to);
      long arguments = expression(at + 1, end, scope, commons);
      relation = relation.with(arguments);
      at = end + 1;
    }
    int alias = clauses.alias(at, to);
    scope.add(alias < to ? tokens.get(alias).lowerCase() : table, relation);
    return alias < to ? alias + 1 : Math.min(at, to);
  }

  // ---------------------------------------------------------------- expressions

  /** {@return the terms of a range, in which names belong to a scope} */
  private long expression(int from, int to, Scope scope, @Nullable Commons commons) {
    long terms = 0;
    for (int index = from; index < to; index++) {
      SqlToken token = tokens.get(index);
      if (token.isSign('(') && index + 1 < to && clauses.beginsSelect(index + 1)) {
        int end = Math.min(clauses.end(index), to);
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
        int end = Math.min(clauses.end(index + 2), to);
        long terms = expression(index + 3, end, scope, commons);
        all = Terms.sum(all, terms);
        scope.addWindow(tokens.get(index).lowerCase(), terms);
        index = end;
      }
    }
    return all;
  }

  /** {@return whether a range may be constant: whether no name in it must belong to a column} */
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

  /** {@return the terms of what may replace a column of an equation, at least one} */
  private long replacement(Equation equation, Scope scope, @Nullable Commons commons) {
    int right = equation.sign() + 1;
    if (!Equation.isColumn(clauses, equation.from(), equation.sign())) {
      return Math.max(1, expression(equation.from(), equation.sign(), scope, commons));
    }
    if (!Equation.isColumn(clauses, right, equation.to())) {
      return Math.max(1, expression(right, equation.to(), scope, commons));
    }
    // Each may replace the other.
    return Math.max(
        column(equation.from(), equation.sign(), scope, commons),
        column(right, equation.to(), scope, commons));
  }

  /** {@return the terms of a column, which words of a join may surround, at least one} */
  private long column(int from, int to, Scope scope, @Nullable Commons commons) {
    return IntStream.range(from, to)
        .mapToLong(index -> term(index, to, scope, commons))
        .reduce(1, Math::max);
  }
}
