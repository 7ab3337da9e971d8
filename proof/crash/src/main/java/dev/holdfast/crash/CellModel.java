package dev.holdfast.crash;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;

/** The state that a cell must have after a number of steps. Owned by one thread. */
final class CellModel {

  private static final int DIFFERENCES_MAX = 5;

  private final int cell;
  private final StepPlan plan;
  private final Map<String, String> keys = new TreeMap<>();
  private final Map<Long, String> rows = new TreeMap<>();
  private long seq;

  CellModel(int cell, StepPlan plan) {
    this.cell = cell;
    this.plan = plan;
  }

  long seq() {
    return seq;
  }

  /** Applies all steps up to a number. */
  void advanceTo(long target) {
    while (seq < target) {
      take(plan.step(cell, ++seq));
    }
  }

  /** {@return the differences of a dump from this state; empty if there are none} */
  List<String> differencesFrom(Cell.Dump found) {
    List<String> differences = new ArrayList<>();
    compare("key", keys, found.keys(), differences);
    compare("row", rows, found.rows(), differences);
    return differences;
  }

  private void take(CrashStep step) {
    if (step.clear()) {
      keys.clear();
      rows.clear();
    }
    step.deletes().forEach(keys::remove);
    step.puts().forEach((key, value) -> keys.put(key, Digest.of(value)));
    step.rows()
        .forEach(
            row ->
                row.body()
                    .ifPresentOrElse(
                        body -> rows.put(row.id(), Digest.of(body)), () -> rows.remove(row.id())));
  }

  private <K extends Comparable<K>> void compare(
      String kind, Map<K, String> expected, Map<K, String> found, List<String> differences) {
    TreeSet<K> all = new TreeSet<>(expected.keySet());
    all.addAll(found.keySet());
    all.stream()
        .filter(each -> !Objects.equals(expected.get(each), found.get(each)))
        .limit(DIFFERENCES_MAX)
        .forEach(
            each ->
                differences.add(
                    "cell %d after step %d: %s %s should be %s, is %s"
                        .formatted(cell, seq, kind, each, expected.get(each), found.get(each))));
  }
}
