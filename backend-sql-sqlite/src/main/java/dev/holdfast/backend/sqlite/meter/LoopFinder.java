package dev.holdfast.backend.sqlite.meter;

import dev.holdfast.backend.sqlite.meter.Loop.Kind;
import dev.holdfast.backend.sqlite.program.Instruction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds the loops of a program. Confined to one thread. */
final class LoopFinder {

  private static final Set<String> OPENS = Set.of("OpenRead", "OpenWrite", "ReopenIdx");
  private static final Set<String> STEPS = Set.of("Next", "Prev", "SorterNext", "VNext");
  private static final Set<String> FULL_HEADERS = Set.of("Rewind", "Last", "Sort", "SorterSort");
  private static final Set<String> SEEKS = Set.of("SeekGE", "SeekGT", "SeekLE", "SeekLT");

  /** Instructions that compare a key with the end of a range. */
  private static final Set<String> RANGE_ENDS =
      Set.of("IdxGT", "IdxGE", "IdxLT", "IdxLE", "Gt", "Ge", "Lt", "Le");

  private static final Set<String> NO_JUMP =
      Set.of("Integer", "Column", "Copy", "SCopy", "Null", "ResultRow", "Insert", "IdxInsert");

  private final List<Instruction> program;

  /** Their number of entries is not known: a scan of one is one of a range. */
  private final Set<Integer> partialIndexes;

  private final Map<Integer, Integer> roots = new HashMap<>();
  private final List<Loop> loops = new ArrayList<>();

  private LoopFinder(List<Instruction> program, Set<Integer> partialIndexes) {
    this.program = program;
    this.partialIndexes = partialIndexes;
    for (Instruction each : program) {
      boolean opens = OPENS.contains(each.opcode());
      if (opens && (each.p5() & 0x10) == 0) {
        // Page numbers of temporary tables, another database of the connection, have no meaning
        // here.
        roots.put(each.p1(), each.p3() == 0 ? each.p2() : 0);
      }
    }
  }

  static List<Loop> loops(List<Instruction> program, Set<Integer> partialIndexes) {
    LoopFinder finder = new LoopFinder(program, partialIndexes);
    for (Instruction each : program) {
      if (STEPS.contains(each.opcode()) && each.p2() < each.address()) {
        finder.addCursorLoop(each);
      } else if (each.opcode().equals("Goto") && each.p2() < each.address()) {
        finder.addOtherLoop(each);
      }
    }
    return List.copyOf(finder.loops);
  }

  /** {@return the root page that a cursor was opened on; 0 if it is on something else} */
  static Map<Integer, Integer> roots(List<Instruction> program) {
    return Map.copyOf(new LoopFinder(program, Set.of()).roots);
  }

  private void addCursorLoop(Instruction step) {
    for (int at = Math.min(step.p2(), step.address() - 1); at >= 0; at--) {
      Instruction header = program.get(at);
      if (header.p1() != step.p1()) {
        continue;
      }
      if (header.opcode().equals("VFilter")) {
        add(Kind.VIRTUAL, header, step);
        return;
      }
      boolean isFull = FULL_HEADERS.contains(header.opcode());
      if (isFull || SEEKS.contains(header.opcode())) {
        boolean isOwn = !roots.containsKey(step.p1());
        // A search in a table of this statement is one in an index that it created for itself.
        add(!isFull ? Kind.RANGE : isOwn ? Kind.OWN : Kind.FULL, header, step);
        return;
      }
    }
  }

  private void add(Kind kind, Instruction header, Instruction step) {
    boolean endsEarly = false;
    boolean filtered = false;
    boolean hasRangeEnd = false;
    boolean isEquality = false;
    for (int at = step.p2(); at < step.address(); at++) {
      Instruction each = program.get(at);
      if (NO_JUMP.contains(each.opcode()) || each.p2() <= at) {
        continue;
      }
      boolean leaves = each.p2() > step.address() && jumps(each);
      boolean isRangeEnd = leaves && RANGE_ENDS.contains(each.opcode());
      hasRangeEnd |= isRangeEnd;
      // LIMIT and OFFSET are handled separately.
      endsEarly |= leaves && !isRangeEnd && !each.opcode().equals("DecrJumpZero");
      filtered |= each.p2() == step.address() && jumps(each) && !each.opcode().equals("IfPos");
      isEquality |=
          each.opcode().equals("IdxGT")
              && each.p1() == header.p1()
              && each.p3() == header.p3()
              && String.valueOf(each.p4()).equals(String.valueOf(header.p4()));
    }
    int root = roots.getOrDefault(step.p1(), 0);
    boolean isPart = hasRangeEnd || partialIndexes.contains(root);
    Kind seen = kind == Kind.FULL && isPart ? Kind.RANGE : kind;
    Instruction last = program.get(step.address() - 1);
    if (last.opcode().equals("Goto") && last.p2() > step.address()) {
      seen = Kind.FIRST;
    }
    loops.add(
        new Loop(
            seen,
            header.address(),
            step.address(),
            step.p1(),
            root,
            isEquality,
            endsEarly,
            filtered,
            hasRangeEnd));
  }

  static boolean jumps(Instruction each) {
    return switch (each.opcode()) {
      case "Eq", "Ne", "Lt", "Le", "Gt", "Ge" -> true;
      case "If", "IfNot", "IsNull", "NotNull", "IfPos", "IfNotZero", "DecrJumpZero", "IsTrue" ->
          true;
      case "Goto", "IdxGT", "IdxGE", "IdxLT", "IdxLE" -> true;
      case "SeekRowid", "NotExists", "Found", "NotFound", "NoConflict", "SeekGE", "SeekGT" -> true;
      default -> false;
    };
  }

  private void addOtherLoop(Instruction jump) {
    boolean isStart = jump.p2() <= 1 && jump.address() == program.size() - 1;
    if (!isStart) {
      Instruction target = program.get(jump.p2());
      boolean isQueue = target.opcode().equals("Rewind") && !roots.containsKey(target.p1());
      Kind kind = isQueue ? Kind.QUEUE : Kind.OTHER;
      loops.add(new Loop(kind, jump.p2(), jump.address(), -1, 0, false, false, true, false));
    }
  }
}
