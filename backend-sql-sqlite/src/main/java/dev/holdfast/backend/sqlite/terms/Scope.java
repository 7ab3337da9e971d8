package dev.holdfast.backend.sqlite.terms;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The names that the expressions of one select may use. Confined to one thread. */
final class Scope {

  private final @Nullable Scope outer;
  private final List<Named> relations = new ArrayList<>();
  private final Map<String, Long> aliases = new HashMap<>();
  private final Map<String, Long> windows = new HashMap<>();
  private boolean mergesColumns;
  private long naturalJoins;

  /** A relation under a name of this select, in lower case. */
  private record Named(String name, Relation relation) {}

  Scope(@Nullable Scope outer) {
    this.outer = outer;
  }

  void add(String name, Relation relation) {
    relations.add(new Named(name, relation));
  }

  /**
   * Records that a column may stand for columns of all relations, as after USING.
   *
   * @param areAll whether all columns are compared
   */
  void mergeColumns(boolean areAll) {
    mergesColumns = true;
    naturalJoins += areAll ? 1 : 0;
  }

  /** {@return the terms of the comparisons of natural joins} */
  long merged() {
    long star = relations().stream().mapToLong(Relation::star).reduce(0, Terms::sum);
    return Terms.product(naturalJoins, star);
  }

  /** {@return the scope around this one; null if there is none} */
  @Nullable Scope outer() {
    return outer;
  }

  void addAlias(String name, long terms) {
    aliases.merge(name, terms, Math::max);
  }

  void addWindow(String name, long terms) {
    windows.merge(name, terms, Terms::sum);
  }

  List<Relation> relations() {
    return relations.stream().map(Named::relation).toList();
  }

  /** {@return the relations of a name; all if there is none} */
  List<Relation> relations(String name) {
    List<Relation> found =
        relations.stream().filter(each -> each.name.equals(name)).map(Named::relation).toList();
    return found.isEmpty() ? relations() : found;
  }

  /**
   * {@return the terms that a name stands for}
   *
   * @param qualifier the relation that it names, in lower case; null if none
   */
  long terms(@Nullable String qualifier, String name) {
    boolean isKnown = qualifier != null && knows(qualifier);
    long terms = 1;
    for (Scope scope = this; scope != null; scope = scope.outer) {
      terms = Terms.sum(terms, scope.own(isKnown ? qualifier : null, name));
    }
    return terms;
  }

  /** {@return whether a relation is known to have a column of this name} */
  boolean hasColumn(String name) {
    for (Scope scope = this; scope != null; scope = scope.outer) {
      if (scope.relations.stream().anyMatch(each -> each.relation.hasColumn(name))) {
        return true;
      }
    }
    return false;
  }

  private boolean knows(String qualifier) {
    for (Scope scope = this; scope != null; scope = scope.outer) {
      if (scope.relations.stream().anyMatch(each -> each.name.equals(qualifier))) {
        return true;
      }
    }
    return false;
  }

  /** {@return what this scope adds to the one term that a name is} */
  private long own(@Nullable String qualifier, String name) {
    long more = 0;
    for (Named each : relations) {
      if (qualifier == null || each.name.equals(qualifier)) {
        more = Terms.sum(more, each.relation.column(name) - (mergesColumns ? 0 : 1));
      }
    }
    if (qualifier == null) {
      more = Terms.sum(more, aliases.getOrDefault(name, 1L) - 1);
      more = Terms.sum(more, windows.getOrDefault(name, 0L));
    }
    return more;
  }
}
