package dev.holdfast.backend.sqlite.program;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds what a program may cost. Unknown instructions count as long. Confined to one thread. */
public final class CostFinder {

  /**
   * The time of each is bounded by the length of a value, and each continues with the next
   * instruction.
   */
  private static final Set<String> PLAIN =
      words(
          "Add Affinity AggFinal AggInverse AggStep AggValue And BeginSubrtn BitAnd BitNot BitOr",
          "Blob Cast ClrSubtype Close CollSeq ColumnsUsed Column Compare Concat Copy",
          "CursorHint DeferredSeek Delete Divide Explain FinishSeek FkCheck FkCounter Function",
          "GetSubtype IdxDelete IdxInsert IdxRowid Insert Int64 IntCopy Integer IsType",
          "MakeRecord MaxPgcnt MemMax Move Multiply NewRowid Noop Not Null NullRow",
          "OffsetLimit OpenAutoindex OpenDup OpenEphemeral OpenPseudo OpenRead OpenWrite Or",
          "Pagecount Param Permutation PureFunc ReadCookie Real RealAffinity ReleaseReg",
          "Remainder ReopenIdx ResultRow RowCell RowData Rowid RowSetAdd SCopy Sequence",
          "SetSubtype ShiftLeft ShiftRight SoftNull SorterData SorterInsert SorterOpen String",
          "String8 Subtract TableLock Trace Transaction TypeCheck Variable ZeroOrNull");

  /** The same, but may jump to the address in their second operand. */
  static final Set<String> JUMPS =
      words(
          "Init DecrJumpZero ElseEq Eq FkIfZero Found Ge Gt IdxGE IdxGT IdxLE IdxLT If IfNoHope",
          "IfNot IfNotOpen IfNotZero IfNullRow IfPos IfSizeBetween IsNull IsTrue Last Le Lt",
          "MustBeInt Ne Next NoConflict NotExists NotFound NotNull Once Prev Rewind RowSetRead",
          "RowSetTest SeekEnd SeekGE SeekGT SeekLE SeekLT SeekRowid SeekScan SequenceTest",
          "SorterCompare SorterNext Filter");

  /** Their result is no longer than a number. */
  private static final Set<String> SHORT_RESULTS =
      words(
          "abs avg bm25 changes count cume_dist dense_rank glob instr json_array_length json_type",
          "json_valid julianday last_insert_rowid length like match ntile octet_length",
          "percent_rank random rank round row_number sign soundex sum total total_changes typeof",
          "unicode unixepoch acos acosh asin asinh atan atan2 atanh ceil cos cosh degrees exp"
              + " floor",
          "ln log log2 mod pi pow radians sin sinh sqrt tan tanh trunc date time datetime",
          "timediff current_date current_time current_timestamp");

  /** Of {@code instr} and {@code replace}, at a fiftieth of the cost of the others. */
  private static final double LESS_SLOW_CALLS = 0.02;

  /** Of {@code unhex} with characters to ignore: 4 ns for each byte squared. */
  private static final double UNHEX_CALLS = 10;

  /** A sorter: its list, and a block of each of the files that it merges. */
  private static final long SORTER_BYTES = 1_280 * 1_024;

  /** How many files a sorter merges at once; it holds a row of each. */
  private static final int SORTER_ROWS = 16;

  /** The page cache of a table that SQLite creates for one statement. */
  private static final long TABLE_BYTES = 2_048 * 1_024;

  /** SQLite keeps the last four texts that it has parsed as JSON, with their parsed form. */
  private static final int JSON_VALUES = 8;

  /** A virtual table holds its argument, and what it made of it. */
  private static final int VIRTUAL_TABLE_VALUES = 4;

  /** For the running instruction: its growing result, and a converted argument. */
  private static final int RUNNING_VALUES = 3;

  /** Triggers that call triggers may call themselves, to the depth that limits usually allow. */
  private static final int NESTED_TRIGGERS = 10;

  private static final Set<String> INSERTS = words("IdxInsert Insert SorterInsert");

  private static final int FRESH = 0;
  private static final int ENTERED = 1;
  private static final int LEFT = 2;

  private final List<Instruction> main;
  private final Set<Integer> holders = new HashSet<>();
  private final Map<List<Integer>, Set<Integer>> columns = new HashMap<>();
  private int longValues = RUNNING_VALUES;
  private int computedValues;
  private long fixedBytes;
  private double slowCalls;
  private boolean hasLong;
  private boolean mayWriteFiles;
  private boolean collectsRows;
  private boolean parsesJson;

  private CostFinder(List<Instruction> main) {
    this.main = main;
  }

  public static StatementCost of(Program program) {
    CostFinder finder = new CostFinder(program.main());
    finder.add(program.triggers());
    if (program.triggers().stream().anyMatch(each -> each.opcode().equals("Program"))) {
      finder.repeat(NESTED_TRIGGERS);
    }
    finder.add(program.main());
    List<Integer> afterRows = new ArrayList<>();
    for (int at = 0; at + 1 < program.main().size(); at++) {
      if (program.main().get(at).opcode().equals("ResultRow")) {
        afterRows.add(at + 1);
      }
    }
    return new StatementCost(
        finder.isShortFrom(List.of(0)),
        finder.isShortFrom(afterRows),
        finder.hasLong,
        finder.mayWriteFiles,
        finder.mayWriteFiles && finder.insertsFrom(afterRows),
        finder.collectsRows,
        finder.longValues + (finder.parsesJson ? JSON_VALUES : 0),
        finder.computedValues + (finder.parsesJson ? JSON_VALUES : 0),
        finder.fixedBytes,
        finder.slowCalls);
  }

  private void repeat(int times) {
    longValues *= times;
    computedValues *= times;
    fixedBytes *= times;
    slowCalls *= times;
  }

  private void add(List<Instruction> program) {
    holders.clear();
    columns.clear();
    program.forEach(this::add);
    longValues += holders.size();
    // The columns of a row are in total no longer than a row may be, times how often each is read.
    Map<Integer, Integer> rows = new HashMap<>();
    columns.forEach(
        (column, registers) -> rows.merge(column.getFirst(), registers.size(), Math::max));
    longValues += rows.values().stream().mapToInt(Integer::intValue).sum();
  }

  private void add(Instruction each) {
    switch (each.opcode()) {
      case "Function", "PureFunc" -> addFunction(each, each.p3());
      case "AggStep", "AggStep1", "AggValue", "AggInverse" -> addFunction(each, each.p3());
      case "AggFinal" -> addFunction(each, each.p1());
      case "Concat", "MakeRecord", "VColumn" -> holders.add(each.p3());
      case "RowData", "SorterData" -> holders.add(each.p2());
      case "Copy" -> {
        for (int register = each.p2(); register <= each.p2() + each.p3(); register++) {
          holders.add(register);
        }
      }
      case "Column" ->
          columns
              .computeIfAbsent(List.of(each.p1(), each.p2()), _ -> new HashSet<>())
              .add(each.p3());
      case "Blob" -> fixedBytes += Math.max(0, each.p1());
      case "SorterOpen" -> {
        fixedBytes += SORTER_BYTES;
        longValues += SORTER_ROWS;
        mayWriteFiles = true;
      }
      case "OpenEphemeral", "OpenAutoindex" -> {
        fixedBytes += TABLE_BYTES;
        mayWriteFiles = true;
      }
      case "VOpen" -> {
        longValues += VIRTUAL_TABLE_VALUES;
        hasLong = true;
      }
      case "VUpdate" -> hasLong = true;
      case "RowSetAdd", "RowSetTest" -> collectsRows = true;
      default -> {}
    }
  }

  private void addFunction(Instruction each, int register) {
    String name = each.function().toLowerCase(Locale.ROOT);
    if (!SHORT_RESULTS.contains(name) && holders.add(register)) {
      computedValues++;
    }
    parsesJson |= name.startsWith("json") || name.startsWith("->");
    double slow = slowness(each);
    if (slow > 0) {
      hasLong = true;
      slowCalls += slow;
    }
  }

  /** How many of the slow calls it counts as; 0 if its time is no longer than its values. */
  private static double slowness(Instruction each) {
    String name = each.function().toLowerCase(Locale.ROOT);
    boolean hasCharacters = !String.valueOf(each.p4()).endsWith("(1)");
    return switch (name) {
      case "trim", "ltrim", "rtrim" -> hasCharacters ? 1 : 0;
      case "unhex" -> hasCharacters ? UNHEX_CALLS : 0;
      case "json_patch", "jsonb_patch" -> 1;
      case "instr", "replace" -> LESS_SLOW_CALLS;
      default -> 0;
    };
  }

  /**
   * Whether every path from some addresses to the next row, or the end, is known and has no loop.
   */
  private boolean isShortFrom(Collection<Integer> starts) {
    int[] states = new int[main.size() + 1];
    for (int start : starts) {
      if (!isShortFrom(start, states)) {
        return false;
      }
    }
    return true;
  }

  /** Whether anything is inserted into a table or sorter on a path from a row to the next one. */
  private boolean insertsFrom(Collection<Integer> starts) {
    Set<Integer> seen = new HashSet<>(starts);
    Deque<Integer> open = new ArrayDeque<>(starts);
    while (!open.isEmpty()) {
      int at = open.pop();
      List<Integer> next = next(at);
      if (next == null || INSERTS.contains(main.get(Math.min(at, main.size() - 1)).opcode())) {
        return true; // or it is unknown
      }
      next.stream().filter(each -> each < main.size() && seen.add(each)).forEach(open::push);
    }
    return false;
  }

  private boolean isShortFrom(int start, int[] states) {
    Deque<Integer> open = new ArrayDeque<>();
    open.push(start);
    while (!open.isEmpty()) {
      int at = open.peek();
      if (states[at] != FRESH) {
        // Everything after it was visited, or it was pushed twice.
        states[at] = LEFT;
        open.pop();
        continue;
      }
      states[at] = ENTERED;
      List<Integer> next = next(at);
      if (next == null) {
        return false;
      }
      for (int each : next) {
        if (each < 0 || each > main.size() || states[each] == ENTERED) {
          return false;
        }
        if (states[each] == FRESH) {
          open.push(each);
        }
      }
    }
    return true;
  }

  /** The addresses that may follow an instruction; null if unknown, or if it may run long. */
  private @Nullable List<Integer> next(int at) {
    if (at == main.size()) {
      return List.of();
    }
    Instruction each = main.get(at);
    return switch (each.opcode()) {
      case "ResultRow", "Halt" -> List.of();
      case "Goto" -> List.of(each.p2());
      case "Jump" -> List.of(each.p1(), each.p2(), each.p3());
      case "Gosub" -> List.of(each.p2(), at + 1);
      // The return address follows each call; without a call, execution continues.
      case "Return" -> each.p3() == 1 ? List.of(at + 1) : List.of();
      case "HaltIfNull" -> List.of(at + 1);
      case "Function", "PureFunc" -> slowness(each) > 0 ? null : List.of(at + 1);
      default -> {
        boolean jumps = JUMPS.contains(each.opcode());
        if (!jumps && !PLAIN.contains(each.opcode())) {
          yield null;
        }
        // No path leads back to the first instruction.
        yield jumps && each.p2() > 0 ? List.of(at + 1, each.p2()) : List.of(at + 1);
      }
    };
  }

  static Set<String> words(String... lines) {
    return Stream.of(lines)
        .flatMap(line -> Stream.of(line.split(" ")))
        .collect(Collectors.toUnmodifiableSet());
  }
}
