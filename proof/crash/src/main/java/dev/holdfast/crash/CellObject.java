package dev.holdfast.crash;

import dev.holdfast.ObjectContext;
import dev.holdfast.StorageKind;
import dev.holdfast.crash.CrashStep.Kind;
import dev.holdfast.storage.ObjectStorage;
import dev.holdfast.storage.WriteOptions;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** A cell: executes the plan. */
final class CellObject implements Cell {

  static final String NAMESPACE = "cells";
  static final String ABORT_REASON = "aborted by the crash test";

  /** Keys of the object's own records; the plan does not use them. */
  private static final String SEQ = "seq";

  private static final String RECORDED = "recorded";

  private final ObjectContext context;
  private final ObjectStorage storage;
  private final Rows rows;
  private final StepPlan plan;
  private final int cell;

  /**
   * True while a turn writes. Not volatile on purpose: two concurrent turns would be detected
   * because they share it.
   */
  private boolean writing;

  CellObject(ObjectContext context, StepPlan plan, StorageKind kind) {
    this.context = context;
    this.storage = context.storage();
    this.rows = Rows.of(storage, kind);
    this.plan = plan;
    this.cell = Integer.parseInt(context.id().name().orElseThrow());
    rows.prepare();
  }

  @Override
  public Reply step(boolean abort) throws StepException {
    CrashStep step = plan.step(cell, seq() + 1);
    if (abort) {
      write(step);
      throw context.abort(ABORT_REASON);
    }
    if (step.kind() == Kind.SECTION) {
      return context.blockConcurrencyWhile(() -> take(step));
    }
    Reply reply = isTransaction(step) ? storage.transaction(_ -> take(step)) : take(step);
    if (step.kind() == Kind.THROW) {
      throw new StepException(step.seq());
    }
    return reply;
  }

  @Override
  public Dump dump() {
    Map<String, String> keys = new TreeMap<>();
    storage.list(Object.class).forEach((key, value) -> keys.put(key, Digest.of(value)));
    keys.remove(SEQ);
    keys.remove(RECORDED);
    keys.keySet().removeIf(Rows::isRow);
    return new Dump(seq(), recorded(), keys, rows.digests());
  }

  private Reply take(CrashStep step) {
    write(step);
    if (step.callsMirror()) {
      context
          .namespace(MirrorObject.NAMESPACE, Mirror.class)
          .getByName(MirrorObject.nameFor(cell))
          .record(cell, step.seq());
      storage.put(RECORDED, Math.max(recorded(), step.seq()));
    }
    return new Reply(step.seq(), step.kind() != Kind.UNCONFIRMED);
  }

  private void write(CrashStep step) {
    if (writing) {
      throw new IllegalStateException("two turns of cell " + cell + " at once");
    }
    writing = true;
    try {
      WriteOptions options =
          step.kind() == Kind.UNCONFIRMED
              ? WriteOptions.DEFAULT.unconfirmed()
              : WriteOptions.DEFAULT;
      if (step.clear()) {
        storage.deleteAll(options);
        rows.prepare();
      }
      storage.delete(step.deletes(), options);
      Map<String, Object> pairs = new HashMap<>(step.puts());
      pairs.put(SEQ, step.seq());
      storage.put(pairs, options);
      step.rows().forEach(rows::write);
    } finally {
      writing = false;
    }
  }

  /** Some steps run in an explicit transaction, if nothing in them forbids it. */
  private static boolean isTransaction(CrashStep step) {
    return !step.callsMirror() && !step.clear() && step.seq() % 5 == 0;
  }

  private long seq() {
    return storage.get(SEQ, Long.class).orElse(0L);
  }

  private long recorded() {
    return storage.get(RECORDED, Long.class).orElse(0L);
  }
}
