package dev.holdfast.backend.sqlite.terms;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a FROM clause may name: a table, view, subquery or common table. Immutable.
 *
 * @param columns its columns in their order, as far as they are known
 * @param widths the terms of each column that has more than one, by its name in lower case
 * @param others the terms of a column with another name
 * @param star the terms of all columns together
 * @param plain the terms of one use, without conditions
 * @param conditions the terms of its conditions
 * @param factor how often the terms of a condition may be repeated, because a condition sets a
 *     column equal to an expression
 * @param hasConstant whether a condition sets a column equal to a constant, without which no term
 *     is repeated
 * @param depth how many selects are nested in it
 * @param arms how many selects of a compound it has, at all depths
 * @param tables how many tables it may join, at all depths
 */
record Relation(
    List<Column> columns,
    Map<String, Long> widths,
    long others,
    long star,
    long plain,
    long conditions,
    long factor,
    boolean hasConstant,
    int depth,
    long arms,
    long tables) {

  /**
   * A column.
   *
   * @param name its name in lower case; empty if its text is its name
   * @param terms what it stands for
   */
  record Column(String name, long terms) {}

  static Relation of(
      List<Column> columns,
      long others,
      long plain,
      long conditions,
      long factor,
      boolean hasConstant,
      int depth,
      long arms,
      long tables) {
    Map<String, Long> widths = new HashMap<>();
    long star = 0;
    for (Column each : columns) {
      star = Terms.sum(star, each.terms());
      if (each.terms() > 1) {
        widths.merge(each.name(), each.terms(), Math::max);
      }
    }
    return new Relation(
        List.copyOf(columns),
        widths,
        others,
        star,
        plain,
        conditions,
        factor,
        hasConstant,
        depth,
        arms,
        tables);
  }

  /** {@return a table} */
  static Relation table(List<String> columns, long definitions) {
    List<Column> all = columns.stream().map(name -> new Column(name, 1)).toList();
    return of(all, 1, definitions, 0, 1, /* hasConstant= */ false, 0, 1, 1);
  }

  /** {@return the same with more terms for each use} */
  Relation with(long more) {
    return of(
        columns,
        others,
        Terms.sum(plain, more),
        conditions,
        factor,
        hasConstant,
        depth,
        arms,
        tables);
  }

  /** {@return the same with columns that no expression replaces} */
  Relation computed() {
    return table(columns.stream().map(Column::name).toList(), all());
  }

  /** {@return the terms of a column} */
  long column(String name) {
    Long known = widths.get(name);
    if (known != null) {
      return known;
    }
    // SQLite adds a colon and a number to the second of two equal names.
    return name.indexOf(':') >= 0 ? widest() : others;
  }

  /** {@return whether it is known to have a column of this name} */
  boolean hasColumn(String name) {
    return columns.stream().anyMatch(each -> each.name().equals(name));
  }

  /** {@return the terms of its widest column} */
  long widest() {
    return widths.values().stream().mapToLong(Long::longValue).reduce(others, Math::max);
  }

  /** {@return the terms of one use} */
  long all() {
    return Terms.sum(plain, Terms.product(conditions, hasConstant ? factor : 1));
  }

  /** {@return the same with other names of its columns} */
  Relation renamed(List<String> names) {
    boolean isKnown = columns.size() == names.size();
    List<Column> renamed = new ArrayList<>();
    for (int index = 0; index < names.size(); index++) {
      renamed.add(new Column(names.get(index), isKnown ? columns.get(index).terms : widest()));
    }
    return of(renamed, 1, plain, conditions, factor, hasConstant, depth, arms, tables);
  }
}
