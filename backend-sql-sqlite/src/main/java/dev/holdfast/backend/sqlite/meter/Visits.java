package dev.holdfast.backend.sqlite.meter;

import dev.holdfast.backend.sqlite.meter.ProgramMeter.Progress;
import dev.holdfast.backend.sqlite.program.Instruction;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;

/** How often each loop of a program has iterated. Used for one computation. */
final class Visits {

  private final ProgramMeter meter;
  private final List<Instruction> program;
  private final List<Loop> loops;
  private final Map<Integer, Integer> roots;
  private final Progress progress;
  private final IntToLongFunction sizes;
  private final Map<Loop, Long> known = new HashMap<>();

  Visits(ProgramMeter meter, Progress progress, IntToLongFunction sizes) {
    this.meter = meter;
    this.program = meter.program;
    this.loops = meter.loops;
    this.roots = meter.roots;
    this.progress = progress;
    this.sizes = sizes;
  }

  long size(int root) {
    return root == 0 ? 0 : sizes.applyAsLong(root);
  }

  /** How often an instruction outside a loop's own machinery has run. */
  long around(int address) {
    Loop loop = Loop.around(loops, address);
    return loop == null || isOnce(loop, address) ? 1 : of(loop);
  }

  private long entries(Loop loop) {
    Loop parent = loop.parent(loops);
    return parent == null || isOnce(parent, loop.header()) ? 1 : of(parent);
  }

  /**
   * Whether something in a loop runs in the first iteration only: for example, the creation of an
   * index.
   */
  private boolean isOnce(Loop loop, int address) {
    return program.stream()
        .anyMatch(
            each ->
                each.opcode().equals("Once")
                    && loop.contains(each.address())
                    && each.address() < address
                    && address < each.p2());
  }

  long of(Loop loop) {
    Long before = known.get(loop);
    if (before != null) {
      return before;
    }
    known.put(loop, 1L);
    long visits = compute(loop);
    known.put(loop, visits);
    return visits;
  }

  private long compute(Loop loop) {
    if (isCutByEmptyTable(loop)) {
      return 1;
    }
    boolean isResult = loop.equals(meter.results);
    boolean isKnown = !progress.hasRunOut() || (!loop.isFiltered() && !endsInOffset());
    if (meter.arms.size() > 1 && meter.arms.contains(loop) && isKnown) {
      return rowsOfArm(loop);
    }
    if (isResult && isKnown) {
      return progress.rows() == 0 ? 0 : progress.rows() + progress.limit().offset();
    }
    return switch (loop.kind()) {
      case FULL -> isPartial(loop) ? Math.max(1, passes(loop)) : entries(loop) * size(loop.root());
      case OWN ->
          isPartial(loop) && !progress.hasRunOut()
              ? 1
              : Math.max(own(loop), isResult ? progress.rows() : 0);
      case FIRST -> entries(loop);
      case RANGE, VIRTUAL, OTHER, QUEUE -> unknown(loop);
    };
  }

  /** How many of the rows one part of a UNION ALL has returned: the parts follow each other. */
  private long rowsOfArm(Loop arm) {
    long left = progress.rows() + progress.limit().offset();
    int open = 0;
    for (Loop each : meter.arms) {
      boolean isWhole = each.kind() == Loop.Kind.FULL && !each.isFiltered();
      long rows = isWhole ? Math.min(left, size(each.root())) : 0;
      left -= rows;
      open += isWhole ? 0 : 1;
      if (isWhole && each.equals(arm)) {
        return rows;
      }
    }
    // How the rows divide among several ranges is unknown, and does not affect the sum.
    return left / Math.max(1, open);
  }

  /** Whether a join ends at once because a table within the loop has no rows. */
  private boolean isCutByEmptyTable(Loop loop) {
    return loops.stream()
        .anyMatch(
            inner ->
                inner.kind() == Loop.Kind.FULL
                    && loop.equals(inner.parent(loops))
                    && program.get(inner.header()).p2() > loop.end()
                    && isEmpty(inner));
  }

  private boolean isEmpty(Loop loop) {
    boolean hasNoResult =
        loop.equals(meter.results) && !loop.isFiltered() && progress.hasRunOut() && !endsInOffset();
    return meter.fullRoots.contains(loop.root())
        ? size(loop.root()) == 0
        : hasNoResult && progress.rows() == 0;
  }

  /** Whether OFFSET has skipped all rows. */
  private boolean endsInOffset() {
    return progress.isDone() && progress.rows() == 0 && progress.limit().offset() > 0;
  }

  /** How many times a loop was begun that returns all its rows, and is directly in this one. */
  private long passes(Loop outer) {
    Loop inner = meter.results;
    if (inner == null
        || inner.kind() != Loop.Kind.FULL
        || inner.isFiltered()
        || !outer.equals(inner.parent(loops))) {
      return 0;
    }
    long size = size(inner.root());
    return size == 0 ? 0 : Math.ceilDiv(progress.rows() + progress.limit().offset(), size);
  }

  /** The number of iterations is unknown, except from their results. */
  private long unknown(Loop loop) {
    if (loop.equals(meter.results)) {
      return progress.rows();
    }
    boolean isSource = loop.parent(loops) == null && loop.kind() != Loop.Kind.RANGE;
    if (isSource && meter.writes && handedOver(loop) >= 0) {
      return handedOver(loop);
    }
    if (hasChange(loop) || (meter.writes && isSourceOfChanges(loop))) {
      return progress.changes();
    }
    if (isSourceOfResults(loop)) {
      return progress.rows();
    }
    return isSource ? (meter.writes ? progress.changes() : progress.rows()) : entries(loop);
  }

  /** Whether each row of a range is changed, or provides one to store, and no other row is. */
  private boolean isSourceOfChanges(Loop loop) {
    return isPlainRange(loop)
        && loops.stream()
            .anyMatch(
                sink ->
                    hasChange(sink)
                        && !sink.equals(loop)
                        && (isOnlySource(loop, sink) || isHandedOver(loop, sink)));
  }

  /** Whether each row of a range is put into the sorter that all results come from. */
  private boolean isSourceOfResults(Loop loop) {
    Loop sink = meter.results;
    return sink != null
        && !meter.writes
        && !meter.hasLimit
        && progress.hasRunOut()
        && sink.kind() == Loop.Kind.OWN
        && !sink.isFiltered()
        && isPlainRange(loop)
        && isOnlySource(loop, sink);
  }

  private boolean isPlainRange(Loop loop) {
    return loop.kind() == Loop.Kind.RANGE
        && loop.parent(loops) == null
        && !loop.isFiltered()
        && !loop.mayEndEarly();
  }

  private boolean isOnlySource(Loop loop, Loop sink) {
    return sink.kind() == Loop.Kind.OWN
        && program.stream().anyMatch(each -> fills(each, sink))
        && program.stream()
            .filter(each -> fills(each, sink))
            .allMatch(each -> loop.equals(Loop.around(loops, each.address())));
  }

  private boolean isHandedOver(Loop loop, Loop sink) {
    if (sink.kind() != Loop.Kind.OTHER || !opcodeAt(sink.header()).equals("Yield")) {
      return false;
    }
    int subprogram = program.get(sink.header()).p1();
    return program.stream()
        .filter(each -> each.opcode().equals("Yield") && each.p1() == subprogram)
        .filter(each -> each.address() != sink.header())
        .allMatch(each -> loop.equals(Loop.around(loops, each.address())));
  }

  /** How many rows a subprogram returns; -1 if a filter decides. */
  private long handedOver(Loop loop) {
    if (loop.kind() != Loop.Kind.OTHER || !opcodeAt(loop.header()).equals("Yield")) {
      return -1;
    }
    long rows = 0;
    int subprogram = program.get(loop.header()).p1();
    for (Instruction each : program) {
      boolean hands = each.opcode().equals("Yield") && each.p1() == subprogram;
      if (hands && each.address() != loop.header()) {
        Loop source = Loop.around(loops, each.address());
        if (source != null && (source.isFiltered() || source.kind() != Loop.Kind.FULL)) {
          return -1;
        }
        rows += source == null ? 1 : of(source);
      }
    }
    return rows;
  }

  private String opcodeAt(int address) {
    return program.get(address).opcode();
  }

  /** Before a join SQLite checks whether one of the inner tables is empty. */
  private boolean isPassedOver(Loop loop) {
    return program.stream()
        .anyMatch(
            each ->
                each.opcode().equals("IfEmpty")
                    && each.address() < loop.header()
                    && loop.end() < each.p2()
                    && meter.fullRoots.contains(roots.getOrDefault(each.p1(), 0))
                    && size(roots.getOrDefault(each.p1(), 0)) == 0);
  }

  /** An outer loop of the one that returns rows, before the end: it is not complete. */
  private boolean isPartial(Loop loop) {
    boolean mayBeCut = !progress.hasRunOut() || loop.mayEndEarly();
    Loop results = meter.results;
    return mayBeCut && results != null && !loop.equals(results) && loop.contains(results.header());
  }

  private boolean hasChange(Loop loop) {
    return program.stream()
        .anyMatch(each -> ProgramMeter.isCountedChange(each) && loop.contains(each.address()));
  }

  /**
   * A list of rows to change, chosen by a filter, is as long as there were changes. Changes of the
   * schema are not reported; the most frequent, a new column, changes one row.
   */
  private long own(Loop loop) {
    long filled = filled(loop);
    if (!meter.writes || !isChosen(loop)) {
      return filled;
    }
    return Math.min(filled, hasChange(loop) ? progress.changes() : 1);
  }

  private boolean isChosen(Loop loop) {
    return program.stream()
        .filter(each -> fills(each, loop))
        .map(each -> Loop.around(loops, each.address()))
        .anyMatch(source -> source != null && source.isFiltered() && handedOver(source) < 0);
  }

  private static boolean fills(Instruction each, Loop loop) {
    boolean isInto =
        switch (each.opcode()) {
          case "SorterInsert", "Insert", "IdxInsert" -> each.p1() == loop.cursor();
          default -> false;
        };
    return isInto && !loop.contains(each.address());
  }

  /** How many rows were put into the table or sorter that a loop iterates over. */
  private long filled(Loop loop) {
    long rows = 0;
    for (Instruction each : program) {
      if (fills(each, loop)) {
        rows += around(each.address());
      }
    }
    return rows;
  }

  long readsOf(Loop loop) {
    if (isPassedOver(loop)) {
      return 0;
    }
    long visits = of(loop);
    return switch (loop.kind()) {
      case FULL, OWN -> Math.max(visits, Math.min(entries(loop), 1));
      case RANGE -> visits > 0 ? visits + left(loop, visits) : loop.isEquality() ? 0 : 1;
      case FIRST -> visits;
      case VIRTUAL ->
          loop.equals(meter.results) && !progress.hasRunOut() ? Math.max(0, visits - 1) : visits;
      case QUEUE -> visits + (isEmptied() ? 1 : 0);
      case OTHER -> 0;
    };
  }

  /** Whether a recursive query has found its queue empty; a query with a limit usually has not. */
  private boolean isEmptied() {
    boolean isBounded = meter.hasLimit && progress.limit().equals(RowLimit.ABSENT);
    return progress.hasRunOut() && !isBounded;
  }

  /** How often the first entry after a range was read. */
  private long left(Loop loop, long visits) {
    boolean isOver = loop.equals(meter.results) ? progress.hasRunOut() : progress.isDone();
    if (!isOver || !loop.hasEnd()) {
      return 0;
    }
    // The range of a key that does not exist is empty and is not left.
    return loop.isEquality() ? Math.min(entries(loop), visits) : 1;
  }
}
