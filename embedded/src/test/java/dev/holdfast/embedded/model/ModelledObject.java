package dev.holdfast.embedded.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.storage.ListOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** The content of one object, and its possible content after a crash. */
final class ModelledObject {

  private static final List<Op> READ_ALL = List.of(new Op.ListPairs(ListOptions.ALL));

  private final OnMap present = new OnMap();

  /** The last state that is known to be durable, and those of the later turns, whole turns only. */
  private final List<TreeMap<String, Object>> survivors = new ArrayList<>();

  ModelledObject() {
    survivors.add(present.state());
  }

  /** Returns the expected results of a call that was answered. */
  List<String> answered(List<Op> ops) {
    TreeMap<String, Object> before = present.state();
    List<String> told = taken(ops);
    // An answer waits for the writes to be durable, unless they may be unconfirmed.
    if (!present.state().equals(before) && ops.stream().noneMatch(Op::hasUnconfirmed)) {
      durable();
    }
    return told;
  }

  /** A call that got no answer: it took effect, or it did not. */
  void lost(List<Op> ops) {
    taken(ops);
  }

  /** All writes are on disk. */
  void durable() {
    survivors.clear();
    survivors.add(present.state());
  }

  private List<String> taken(List<Op> ops) {
    List<String> told = new ArrayList<>();
    for (Op op : ops) {
      told.addAll(present.run(List.of(op)));
      if (ops.stream().anyMatch(Op::mayWait)) {
        survivors.add(present.state()); // a wait ends the turn
      }
    }
    survivors.add(present.state());
    return told;
  }

  /** After a crash: adopts the content found, if it is possible. */
  void recovered(List<String> found, String description) {
    List<List<String>> allowed = new ArrayList<>();
    for (TreeMap<String, Object> survivor : survivors.reversed()) {
      present.restore(survivor);
      List<String> expected = present.run(READ_ALL);
      if (expected.equals(found)) {
        durable();
        return;
      }
      allowed.add(expected);
    }
    assertThat(allowed).as("what %s may hold after the crash", description).contains(found);
  }

  static List<Op> readAll() {
    return READ_ALL;
  }
}
