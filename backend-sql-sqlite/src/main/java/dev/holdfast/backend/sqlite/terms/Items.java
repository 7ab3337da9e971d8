package dev.holdfast.backend.sqlite.terms;

import java.util.ArrayList;
import java.util.List;

/** The columns of a result, as they are collected. Confined to one thread. */
final class Items {
  final List<Relation.Column> columns = new ArrayList<>();
  long star;
  long others = 1;
  long widest = 1;

  void add(String name, long terms) {
    columns.add(new Relation.Column(name, terms));
    star = Terms.sum(star, terms);
    widest = Math.max(widest, terms);
  }

  void addAll(Relation relation) {
    columns.addAll(relation.columns());
    star = Terms.sum(star, relation.star());
    others = Math.max(others, relation.others());
    widest = Math.max(widest, relation.widest());
  }

  /** {@return a relation of these columns} */
  Relation of(Relation select) {
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
