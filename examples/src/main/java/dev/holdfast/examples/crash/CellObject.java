package dev.holdfast.examples.crash;

import dev.holdfast.ObjectContext;
import dev.holdfast.examples.crash.Step.Kind;
import dev.holdfast.examples.crash.Step.RowWrite;
import dev.holdfast.sql.SqlStorage;
import dev.holdfast.storage.ObjectStorage;
import dev.holdfast.storage.WriteOptions;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** A cell: does what the plan says. */
final class CellObject implements Cell {

  static final String NAMESPACE = "cells";
  static final String ABORT_REASON = "aborted by the crash test";

  /** Keys of the object's own notes; the plan uses none of these. */
  private static final String SEQ = "seq";

  private static final String NOTED = "noted";

  private final ObjectContext context;
  private final ObjectStorage storage;
  private final SqlStorage sql;
  private final StepPlan plan;
  private final int cell;

  /** True while a turn writes. Plain on purpose: two turns at once would be seen to share it. */
  private boolean writing;

  CellObject(ObjectContext context, StepPlan plan) {
    this.context = context;
    this.storage = context.storage();
    this.sql = storage.sql();
    this.plan = plan;
    this.cell = Integer.parseInt(context.id().name().orElseThrow());
    createTable();
  }

  @Override
  public Reply step(boolean abort) throws StepException {
    Step step = plan.step(cell, seq() + 1);
    if (abort) {
      write(step);
      throw context.abort(ABORT_REASON);
    }
    if (step.kind() == Kind.SECTION) {
      return context.blockConcurrencyWhile(() -> take(step));
    }
    Reply reply = take(step);
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
    keys.remove(NOTED);
    Map<Long, String> rows = new TreeMap<>();
    sql.exec("SELECT id, body FROM rows").stream()
        .forEach(row -> rows.put(row.getLong("id"), Digest.of(row.values().getLast())));
    return new Dump(seq(), noted(), keys, rows);
  }

  private Reply take(Step step) {
    write(step);
    if (step.callsMirror()) {
      context
          .namespace(MirrorObject.NAMESPACE, Mirror.class)
          .getByName(MirrorObject.nameFor(cell))
          .note(cell, step.seq());
      storage.put(NOTED, Math.max(noted(), step.seq()));
    }
    return new Reply(step.seq(), step.kind() != Kind.UNCONFIRMED);
  }

  private void write(Step step) {
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
        createTable();
      }
      storage.delete(step.deletes(), options);
      Map<String, Object> pairs = new HashMap<>(step.puts());
      pairs.put(SEQ, step.seq());
      storage.put(pairs, options);
      step.rows().forEach(this::writeRow);
    } finally {
      writing = false;
    }
  }

  private void writeRow(RowWrite row) {
    if (row.body().isPresent()) {
      sql.exec("INSERT OR REPLACE INTO rows (id, body) VALUES (?, ?)", row.id(), row.body().get());
    } else {
      sql.exec("DELETE FROM rows WHERE id = ?", row.id());
    }
  }

  private void createTable() {
    sql.exec("CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, body TEXT NOT NULL)");
  }

  private long seq() {
    return storage.get(SEQ, Long.class).orElse(0L);
  }

  private long noted() {
    return storage.get(NOTED, Long.class).orElse(0L);
  }
}
