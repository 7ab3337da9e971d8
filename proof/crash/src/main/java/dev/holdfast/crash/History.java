package dev.holdfast.crash;

import dev.holdfast.crash.Mirror.Note;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The answers that callers received about one data directory, and the check of its contents against
 * them. Owned by one thread.
 */
public final class History {

  private final StepPlan plan;
  private final CellModel[] models;

  /** By cell: the last step that was answered as durable. */
  private final long[] answeredSeq;

  /** By cell: calls begun since the directory was last read; each takes one step at most. */
  private final long[] begunCount;

  /** Steps answered as durable since the directory was last read. */
  private final Set<Note> answered = new HashSet<>();

  private final List<String> violations = new ArrayList<>();
  private long answeredCount;
  private long checkedCount;

  /**
   * Creates the history of an empty directory.
   *
   * @param workload the workload that writes to it
   */
  public History(Workload workload) {
    plan = new StepPlan(workload.seed());
    models = new CellModel[workload.cellCount()];
    for (int cell = 0; cell < models.length; cell++) {
      models[cell] = new CellModel(cell, plan);
    }
    answeredSeq = new long[models.length];
    begunCount = new long[models.length];
  }

  /** {@return the promises that were broken; empty if there are none} */
  public List<String> violations() {
    return Collections.unmodifiableList(violations);
  }

  /** {@return the number of steps answered} */
  public long answeredCount() {
    return answeredCount;
  }

  /** {@return the number of objects compared with their expected state} */
  public long checkedCount() {
    return checkedCount;
  }

  /**
   * Records that a call is about to begin.
   *
   * @param cell the cell
   */
  public void begun(int cell) {
    begunCount[cell]++;
  }

  /**
   * Records the answer to a call.
   *
   * @param cell the cell
   * @param reply the answer
   */
  public void answered(int cell, Cell.Reply reply) {
    answeredCount++;
    if (!reply.confirmed()) {
      return;
    }
    answeredSeq[cell] = Math.max(answeredSeq[cell], reply.seq());
    if (!answered.add(new Note(cell, reply.seq()))) {
      broken("step " + reply.seq() + " of cell " + cell + " was answered twice");
    }
  }

  /**
   * Records a broken promise.
   *
   * @param violation the description of the violation
   */
  public void broken(String violation) {
    violations.add(violation);
  }

  /**
   * Takes a line about a call.
   *
   * @param words its words, see {@link CrashReport}
   */
  void take(String[] words) {
    switch (words[0]) {
      case "B" -> begun(Integer.parseInt(words[1]));
      case "A", "U" ->
          answered(
              Integer.parseInt(words[1]),
              new Cell.Reply(Long.parseLong(words[2]), words[0].equals("A")));
      case "X" -> broken(CrashReport.text(words[1]));
      default -> broken("the child printed an unknown line: \"" + String.join(" ", words) + "\"");
    }
  }

  /**
   * Compares the contents of a directory with the promises. From now on its contents are promised
   * too: they were read through a runtime, so a runtime has returned them.
   *
   * @param found its contents
   */
  public void check(Snapshot found) {
    found.cells().forEach(this::checkCell);
    found.mirrors().forEach((mirror, dump) -> checkMirror(found, mirror, dump));
    checkAnsweredCalls(found);
    answered.clear();
  }

  private void checkCell(int cell, Cell.Dump dump) {
    CellModel model = models[cell];
    long least = Math.max(model.seq(), answeredSeq[cell]);
    long most = model.seq() + begunCount[cell];
    if (dump.seq() < least || dump.seq() > most) {
      broken(
          "cell %d holds step %d; it was promised step %d, and %d at most can have begun"
              .formatted(cell, dump.seq(), least, most));
      return;
    }
    model.advanceTo(dump.seq());
    violations.addAll(model.differencesFrom(dump));
    begunCount[cell] = 0;
    answeredSeq[cell] = dump.seq();
    checkedCount++;
  }

  private void checkMirror(Snapshot found, int mirror, Mirror.Dump dump) {
    if (dump.count() != dump.lastNumber()) {
      broken(
          "mirror %d has count %d beside %d rows: a turn was torn"
              .formatted(mirror, dump.count(), dump.lastNumber()));
    }
    for (Note note : dump.notes()) {
      boolean calls = plan.step(note.cell(), note.seq()).callsMirror();
      if (!calls || note.seq() > seqOf(found, note.cell())) {
        broken(
            "mirror %d has step %d of cell %d, which the cell does not have"
                .formatted(mirror, note.seq(), note.cell()));
      }
    }
    checkedCount++;
  }

  /**
   * Checks that the mirror has every call that was answered to a cell or that the cell has recorded
   * itself.
   */
  private void checkAnsweredCalls(Snapshot found) {
    Set<Note> known = new HashSet<>();
    long[] lastSeq = new long[models.length];
    for (Mirror.Dump dump : found.mirrors().values()) {
      for (Note note : dump.notes()) {
        known.add(note);
        lastSeq[note.cell()] = Math.max(lastSeq[note.cell()], note.seq());
      }
    }
    Set<Note> promised = new HashSet<>();
    for (Note note : answered) {
      if (plan.step(note.cell(), note.seq()).callsMirror()) {
        promised.add(note);
      }
    }
    found
        .cells()
        .forEach(
            (cell, dump) -> {
              if (dump.recorded() > 0) {
                promised.add(new Note(cell, dump.recorded()));
              }
            });
    for (Note note : promised) {
      boolean pruned = note.seq() < lastSeq[note.cell()] - Mirror.WINDOW_STEPS;
      if (!pruned && !known.contains(note)) {
        broken(
            "step %d of cell %d has called its mirror, which does not have it"
                .formatted(note.seq(), note.cell()));
      }
    }
  }

  private static long seqOf(Snapshot found, int cell) {
    Cell.Dump dump = found.cells().get(cell);
    return dump == null ? 0 : dump.seq();
  }
}
