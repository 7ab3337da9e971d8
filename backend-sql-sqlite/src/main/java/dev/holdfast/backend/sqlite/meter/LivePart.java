package dev.holdfast.backend.sqlite.meter;

import dev.holdfast.backend.sqlite.program.Instruction;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The part of a program that runs. SQLite compiles some parts that it then jumps over: always, or
 * unless something has happened that does not happen in our databases.
 */
final class LivePart {

  private static final String NOTHING = "Noop";

  private LivePart() {}

  /** {@return the program, with no-ops in place of instructions that never run} */
  static List<Instruction> of(List<Instruction> program) {
    List<Instruction> live = new ArrayList<>(program);
    BitSet mentioned = new BitSet(program.size());
    Set<Integer> moved = new HashSet<>();
    for (Instruction each : program) {
      IntStream.of(each.p1(), each.p2(), each.p3())
          .filter(number -> number >= 0 && number < program.size())
          .forEach(mentioned::set);
      if (each.opcode().equals("Destroy")) {
        moved.add(each.p2());
      }
    }
    boolean createsTable = has(program, "CreateBtree") && !has(program, "InitCoroutine");
    for (Instruction each : program) {
      boolean skips =
          switch (each.opcode()) {
            // Rows that repair a broken foreign key are searched for only while one is broken.
            case "FkIfZero" -> true;
            // Another page moves into the place of a dropped one only with automatic vacuuming.
            case "IfNot" -> moved.contains(each.p1());
            // A table WITHOUT ROWID has no index of its primary key: a jump skips it.
            case "Goto" -> createsTable;
            default -> false;
          };
      for (int at = each.address() + 1; skips && at < each.p2() && at < live.size(); at++) {
        live.set(at, new Instruction(at, NOTHING, 0, 0, 0, null, 0));
      }
      for (int at = each.address() + 1; isGoto(each) && isDead(program, mentioned, at); at++) {
        live.set(at, new Instruction(at, NOTHING, 0, 0, 0, null, 0));
      }
    }
    return List.copyOf(live);
  }

  private static boolean isGoto(Instruction each) {
    return each.opcode().equals("Goto");
  }

  /** Whether no instruction leads to the code after a jump; any number might be an address. */
  private static boolean isDead(List<Instruction> program, BitSet mentioned, int at) {
    return at < program.size()
        // The end of a loop shows what it iterates over, even if it never repeats.
        && !program.get(at).opcode().endsWith("Next")
        && !program.get(at).opcode().equals("Prev")
        && !mentioned.get(at);
  }

  private static boolean has(List<Instruction> program, String opcode) {
    return program.stream().anyMatch(each -> each.opcode().equals(opcode));
  }
}
