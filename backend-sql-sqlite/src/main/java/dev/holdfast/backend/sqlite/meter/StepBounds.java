package dev.holdfast.backend.sqlite.meter;

import dev.holdfast.backend.sqlite.program.Instruction;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Bounds of the rows read, from how many instructions have run. Where a range, a filter or an early
 * end decides how often a loop iterates, neither the rows returned nor the sizes of tables give the
 * number. But each iteration is a row read, and takes a minimum and a maximum number of
 * instructions. Immutable.
 */
final class StepBounds {

  /**
   * Instructions whose second operand is a register, a column or a number, and not a jump target.
   */
  private static final Set<String> NO_JUMP =
      Set.of(
          "Column",
          "Integer",
          "Int64",
          "Real",
          "String8",
          "Blob",
          "Null",
          "Variable",
          "Copy",
          "SCopy",
          "IntCopy",
          "Move",
          "ResultRow",
          "MakeRecord",
          "Insert",
          "IdxInsert",
          "SorterInsert",
          "SorterData",
          "Rowid",
          "IdxRowid",
          "DeferredSeek",
          "AggStep",
          "AggFinal",
          "AggValue",
          "AggInverse",
          "Function",
          "PureFunc",
          "Affinity",
          "Cast",
          "Add",
          "Subtract",
          "Multiply",
          "Divide",
          "Remainder",
          "Concat",
          "And",
          "Or",
          "Not",
          "BitAnd",
          "BitOr",
          "ShiftLeft",
          "ShiftRight",
          "BitNot",
          "VColumn",
          "RowData",
          "Compare",
          "FilterAdd");

  private static final Set<String> SEARCHES =
      Set.of(
          "SeekRowid",
          "NotExists",
          "SeekGE",
          "SeekGT",
          "SeekLE",
          "SeekLT",
          "Rewind",
          "Last",
          "Sort",
          "SorterSort",
          "VFilter");

  private static final int NO_WAY = -1_000_000;

  private final List<Instruction> program;
  private final List<Loop> loops;

  /** Instructions of one iteration at most, if no row is returned. */
  private final int longest;

  /** The same, if one is returned. */
  private final int returning;

  /** Rows read per instruction at most. */
  private final double densest;

  private final int searchesOnce;

  /** Whether each returned row was read. */
  private final boolean resultsAreRead;

  StepBounds(List<Instruction> program, List<Loop> loops, @Nullable Loop results) {
    this.program = program;
    this.loops = loops;
    this.resultsAreRead = results != null && results.kind() != Loop.Kind.OTHER;
    int longestCounted = 1;
    int others = 0;
    int longestReturning = 0;
    double density = 0;
    for (Loop loop : loops) {
      int length = Math.max(1, longest(loop, false));
      longestReturning = Math.max(longestReturning, longest(loop, true));
      if (loop.kind() == Loop.Kind.OTHER) {
        // It receives the rows of another loop: both iterate together.
        others += length;
      } else {
        longestCounted = Math.max(longestCounted, length);
        density = Math.max(density, (double) readsOf(loop) / shortest(loop));
      }
    }
    this.longest = longestCounted + others;
    this.returning = longestReturning + others;
    this.densest = Math.min(1, density);
    this.searchesOnce =
        (int)
            program.stream()
                .filter(
                    each ->
                        SEARCHES.contains(each.opcode())
                            && Loop.around(loops, each.address()) == null)
                .count();
  }

  /**
   * {@return how many rows were read at least}
   *
   * @param steps how many instructions have run at least
   * @param rows how many rows were returned
   */
  long atLeast(long steps, long rows) {
    long left = steps - program.size() - rows * returning;
    return Math.max(0, left / longest) + (resultsAreRead ? rows : 0);
  }

  /**
   * {@return how many rows were read at most, except those that are counted without being visited}
   *
   * @param steps how many instructions have run at most
   */
  long atMost(long steps) {
    return searchesOnce + (long) Math.ceil(steps * densest);
  }

  private int start(Loop loop) {
    return loop.kind() == Loop.Kind.OTHER ? loop.header() : program.get(loop.end()).p2();
  }

  private int longest(Loop loop, boolean withRow) {
    int start = start(loop);
    int[] ways = new int[loop.end() - start + 1];
    for (int at = loop.end(); at >= start; at--) {
      Instruction each = program.get(at);
      if (!withRow && each.opcode().equals("ResultRow")) {
        ways[at - start] = NO_WAY;
      } else if (at == loop.end()) {
        ways[at - start] = 1;
      } else {
        int next = fallsThrough(each) ? ways[at + 1 - start] : NO_WAY;
        if (isWithin(each, loop) && !NO_JUMP.contains(each.opcode())) {
          next = Math.max(next, ways[each.p2() - start]);
        }
        ways[at - start] = next < 0 ? NO_WAY : next + 1 + subroutine(each);
      }
    }
    return ways[0];
  }

  private int shortest(Loop loop) {
    int start = start(loop);
    int[] ways = new int[loop.end() - start + 1];
    for (int at = loop.end() - 1; at >= start; at--) {
      Instruction each = program.get(at);
      int next = fallsThrough(each) ? ways[at + 1 - start] : loop.end() - at;
      if (isWithin(each, loop) && !NO_JUMP.contains(each.opcode())) {
        next = Math.min(next, ways[each.p2() - start]);
      }
      ways[at - start] = next + 1;
    }
    return Math.max(1, ways[0]);
  }

  private static boolean fallsThrough(Instruction each) {
    return !each.opcode().equals("Goto");
  }

  private static boolean isWithin(Instruction each, Loop loop) {
    return each.p2() > each.address() && each.p2() <= loop.end();
  }

  /** The length of a subroutine that is called. */
  private int subroutine(Instruction each) {
    if (!each.opcode().equals("Gosub")) {
      return 0;
    }
    int at = each.p2();
    while (at < program.size() && !program.get(at).opcode().equals("Return")) {
      at++;
    }
    return at - each.p2() + 1;
  }

  /** Rows read in one iteration, excluding rows of inner loops. */
  private int readsOf(Loop loop) {
    int reads = 1;
    for (int at = start(loop); at < loop.end(); at++) {
      // First what is rare: a long program has many loops.
      if (SEARCHES.contains(program.get(at).opcode())) {
        Loop around = Loop.around(loops, at);
        boolean isOwn = loop.equals(around) || (around != null && around.header() == at);
        reads += isOwn ? 1 : 0;
      }
    }
    return reads;
  }
}
