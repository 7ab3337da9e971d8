package dev.holdfast.crash;

import dev.holdfast.ObjectContext;
import dev.holdfast.StorageKind;
import dev.holdfast.storage.ObjectStorage;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Executes the plan of a cell that no other object is called by. */
final class PastObject implements Past {

  static final String NAMESPACE = "pasts";

  /** A key that the plan does not use. */
  private static final String SEQ = "seq";

  private final ObjectStorage storage;
  private final Rows rows;
  private final StepPlan plan;

  PastObject(ObjectContext context, StepPlan plan, StorageKind kind) {
    this.storage = context.storage();
    this.rows = Rows.of(storage, kind);
    this.plan = plan;
    rows.prepare();
  }

  @Override
  public Mark step() {
    CrashStep step = plan.step(PastStates.CELL, seq() + 1);
    if (step.clear()) {
      storage.deleteAll();
      rows.prepare();
    }
    storage.delete(step.deletes());
    Map<String, Object> pairs = new HashMap<>(step.puts());
    pairs.put(SEQ, step.seq());
    storage.put(pairs);
    step.rows().forEach(rows::write);
    return mark();
  }

  @Override
  public Mark mark() {
    return new Mark(seq(), storage.getCurrentBookmark());
  }

  @Override
  public Cell.Dump dump() {
    Map<String, String> keys = new TreeMap<>();
    storage.list(Object.class).forEach((key, value) -> keys.put(key, Digest.of(value)));
    keys.remove(SEQ);
    keys.keySet().removeIf(Rows::isRow);
    return new Cell.Dump(seq(), 0, keys, rows.digests());
  }

  private long seq() {
    return storage.get(SEQ, Long.class).orElse(0L);
  }
}
