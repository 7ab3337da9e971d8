package dev.holdfast.backend.sqlite.meter;

import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.program.Instruction;
import dev.holdfast.backend.sqlite.program.Program;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * How many rows a statement reads and writes, by the definition of the reference runtime: a row
 * read for each row that a loop visits and each search for a row; a row written for each entry of a
 * table or index that is stored, and each row deleted.
 *
 * <p>The library has no counters for that. It does report the program of a statement, how many rows
 * the statement returned and changed, and how large tables are. The numbers are computed from
 * these: exactly for searches by key, whole scans, joins by key, sorting, counting and writing.
 * Where the program decides row by row what it does next, the number is a bound. The documentation
 * of {@link dev.holdfast.sql.SqlResult#rowsRead} lists the cases. Immutable.
 */
public final class ProgramMeter {

  /** The row counts among SQLite's own changes. */
  private static final int COUNTS_AS_CHANGE = 1;

  private static final Set<String> SEARCHES =
      Set.of("SeekRowid", "NotExists", "SeekGE", "SeekGT", "SeekLE", "SeekLT", "Rewind", "Last");

  final List<Instruction> program;
  final List<Loop> loops;
  final Map<Integer, Integer> roots;
  final boolean writes;
  final boolean hasLimit;
  final @Nullable Loop results;

  /** All loops that return rows, one after the other: the parts of UNION ALL; usually one. */
  final List<Loop> arms;

  final Set<Integer> fullRoots = new HashSet<>();
  private final Set<Integer> earlyRoots;
  private final long fixedWrites;
  private final long writesPerChange;
  private final double writesPerTriggered;
  private final double readsPerTriggered;

  /** Whether anything but the statement itself may change rows for it. */
  final boolean mayTrigger;

  private final RowLimit.Source limit;
  private final boolean hasClear;
  private final boolean writesVirtual;

  /** Addresses where a list of values is checked for a NULL. */
  private final Set<Integer> listsSearched = new HashSet<>();

  private final boolean createsVirtual;
  private final boolean isKeySearch;
  private final @Nullable StepBounds bounds;

  private final boolean dropsVirtual;

  /** The loop that fills a whole index or a new table; null if there is none. */
  private final @Nullable Loop refill;

  /** What a program without loops reads, whatever it finds; -1 for any other. */
  private final long constantReads;

  /**
   * Reads a program.
   *
   * @param program the program
   * @param partialIndexes the root pages of indexes that need not have all rows of their table
   * @param writes whether it may change the database
   */
  public ProgramMeter(Program program, Set<Integer> partialIndexes, boolean writes) {
    this.program = LivePart.of(program.main());
    this.writes = writes;
    this.loops = LoopFinder.loops(this.program, partialIndexes);
    this.roots = LoopFinder.roots(this.program);
    this.arms = resultLoops();
    this.results = arms.isEmpty() ? null : arms.getFirst();
    this.hasLimit =
        has("DecrJumpZero")
            || this.program.stream().anyMatch(e -> RowLimit.isSorterOfFew(this.program, e));
    for (Loop loop : loops) {
      if (loop.kind() == Loop.Kind.FULL && needsCount(loop)) {
        fullRoots.add(loop.root());
      }
    }
    for (Instruction each : this.program) {
      if (each.opcode().equals("Count")) {
        fullRoots.add(roots.getOrDefault(each.p1(), 0));
      }
    }
    fullRoots.remove(0);
    this.earlyRoots = rootsBeforeEnd();
    this.mayTrigger = !program.triggers().isEmpty() || program.usesVirtual();
    this.limit = hasLimit ? RowLimit.source(this.program, results) : RowLimit.NO_SOURCE;
    this.hasClear = has("Clear");
    this.writesVirtual = has("VUpdate");
    boolean isConstant = loops.isEmpty() && fullRoots.isEmpty();
    this.refill = refill();
    findLists();
    this.constantReads = isConstant ? searches(this.program) + listsSearched.size() : -1;
    this.isKeySearch = findsByKey();
    this.bounds = isOpen() ? new StepBounds(this.program, loops, results) : null;
    this.createsVirtual = has("VCreate");
    this.dropsVirtual = has("VDestroy");
    long fixed = 0;
    long perChange = 0;
    boolean hasCounted = this.program.stream().anyMatch(ProgramMeter::isCountedChange);
    for (Instruction each : this.program) {
      if (isWrite(each, roots) && !isRefill(each)) {
        boolean isPerChange = hasCounted && (isCountedChange(each) || isBesideChange(each));
        perChange += isPerChange ? 1 : 0;
        fixed += isPerChange ? 0 : 1;
      }
    }
    // The writes of a drop are entries whose page has moved; see LivePart.
    this.fixedWrites = has("Destroy") ? 0 : fixed;
    // INSERT ... ON CONFLICT DO UPDATE does one or the other for a row.
    long ways = Math.max(1, this.program.stream().filter(ProgramMeter::isCountedChange).count());
    this.writesPerChange = (perChange + ways - 1) / ways;
    Map<Integer, Integer> triggerRoots = LoopFinder.roots(program.triggers());
    long changes = program.triggers().stream().filter(ProgramMeter::isCountedChange).count();
    long stored = program.triggers().stream().filter(e -> isWrite(e, triggerRoots)).count();
    long searches = program.triggers().stream().filter(e -> isSearch(e, triggerRoots)).count();
    this.writesPerTriggered = changes == 0 ? 1 : (double) stored / changes;
    this.readsPerTriggered = changes == 0 ? 0 : (double) searches / changes;
  }

  /** Whether the number of iterations of a loop is decided row by row. */
  private boolean isOpen() {
    return !writes && loops.stream().anyMatch(this::isOpen);
  }

  private boolean isOpen(Loop loop) {
    boolean isHidden = !loop.equals(results) || loop.isFiltered();
    return switch (loop.kind()) {
      case RANGE, QUEUE, VIRTUAL, OTHER -> isHidden || loop.mayEndEarly();
      case FULL, FIRST -> loop.mayEndEarly() || (hasLimit && isHidden);
      case OWN -> loop.mayEndEarly();
    };
  }

  private boolean needsCount(Loop loop) {
    return writes
        || !loop.equals(results)
        || arms.size() > 1
        || loop.isFiltered()
        || has("OffsetLimit");
  }

  /**
   * What is needed for a statement that has not gone through everything that returns rows: a LIMIT
   * that ends a scan early would otherwise cost a count of the whole table.
   */
  private Set<Integer> rootsBeforeEnd() {
    Loop last = results;
    if (writes || last == null || arms.size() > 1 || has("IfEmpty")) {
      return fullRoots;
    }
    Set<Integer> needed = new HashSet<>();
    for (Loop loop : loops) {
      boolean isPass = loop.equals(last) && !loop.isFiltered() && loop.parent(loops) != null;
      if (loop.kind() == Loop.Kind.FULL && (isPass || !loop.contains(last.header()))) {
        needed.add(loop.root());
      }
    }
    for (Instruction each : program) {
      if (each.opcode().equals("Count")) {
        needed.add(roots.getOrDefault(each.p1(), 0));
      }
    }
    needed.remove(0);
    return needed;
  }

  private List<Loop> resultLoops() {
    List<Loop> found = new ArrayList<>();
    for (Instruction each : program) {
      Loop around = each.opcode().equals("ResultRow") ? Loop.around(loops, each.address()) : null;
      if (around != null && !found.contains(around)) {
        found.add(around);
      }
    }
    boolean isUnion = found.stream().allMatch(each -> each.parent(loops) == null);
    return isUnion || found.isEmpty() ? List.copyOf(found) : List.of(found.getFirst());
  }

  private boolean has(String opcode) {
    return program.stream().anyMatch(each -> each.opcode().equals(opcode));
  }

  /** A new table has no root page yet, so writes to it are found by elimination. */
  private @Nullable Loop refill() {
    boolean creates = has("CreateBtree");
    for (Instruction each : program) {
      boolean isRow = creates && each.opcode().equals("Insert") && !roots.containsKey(each.p1());
      boolean isFilling = isRow || each.opcode().equals("SeekEnd");
      Loop around = isFilling ? Loop.around(loops, each.address()) : null;
      if (around != null) {
        return around;
      }
    }
    return null;
  }

  private void findLists() {
    Set<Integer> lists = new HashSet<>();
    for (Instruction each : program) {
      if (each.opcode().equals("OpenEphemeral")) {
        lists.add(each.p1());
      } else if (each.opcode().equals("Rewind") && lists.contains(each.p1())) {
        boolean isQuestion =
            each.p2() == each.address() + 2
                && program.get(each.address() + 1).opcode().equals("Column");
        if (isQuestion && lists.remove(each.p1())) {
          listsSearched.add(each.address());
        }
      }
    }
  }

  private boolean isRefill(Instruction each) {
    return refill != null && each.opcode().equals("IdxInsert") && refill.contains(each.address());
  }

  static boolean isCountedChange(Instruction each) {
    return switch (each.opcode()) {
      case "Insert", "IdxInsert" -> (each.p5() & COUNTS_AS_CHANGE) != 0;
      case "Delete" -> (each.p2() & COUNTS_AS_CHANGE) != 0;
      default -> false;
    };
  }

  private static boolean isWrite(Instruction each, Map<Integer, Integer> roots) {
    return switch (each.opcode()) {
      case "Insert", "IdxInsert" -> roots.containsKey(each.p1());
      case "Delete" -> isCountedChange(each);
      default -> false;
    };
  }

  /** Whether an index entry is stored together with the row that counts. */
  private boolean isBesideChange(Instruction each) {
    return each.opcode().equals("IdxInsert");
  }

  private static boolean isSearch(Instruction each, Map<Integer, Integer> roots) {
    return SEARCHES.contains(each.opcode()) && roots.containsKey(each.p1());
  }

  /** Whether it is one search for a whole key, which counts if there is a row. */
  private boolean findsByKey() {
    if (writes || !loops.isEmpty() || searches(program) != 1) {
      return false;
    }
    boolean isBehind = false;
    boolean hasKey = false;
    for (Instruction each : program) {
      if (each.opcode().equals("SeekGE")) {
        isBehind = true;
      } else if (isBehind && each.opcode().equals("ResultRow")) {
        return hasKey;
      } else if (isBehind && each.opcode().equals("IdxGT")) {
        hasKey = true;
      } else if (isBehind && LoopFinder.jumps(each)) {
        return false;
      }
    }
    return false;
  }

  private long searches(List<Instruction> instructions) {
    return instructions.stream().filter(each -> isSearch(each, roots)).count();
  }

  /**
   * {@return the root pages of tables and indexes whose size must be known}
   *
   * @param progress what the statement has done
   */
  Set<Integer> sizesNeeded(Progress progress) {
    return progress.hasRunOut() ? fullRoots : earlyRoots;
  }

  /**
   * What a statement has done so far.
   *
   * @param rows how many rows it has returned, including the one ahead of the reader
   * @param isDone whether it has ended
   * @param changes how many rows it has changed itself
   * @param triggered how many rows triggers and foreign keys have changed for it
   * @param limit its LIMIT and OFFSET
   */
  record Progress(long rows, boolean isDone, long changes, long triggered, RowLimit limit) {

    /** {@return whether it has ended because no rows were left} */
    boolean hasRunOut() {
      return isDone && limit.isBeyond(rows);
    }
  }

  /**
   * {@return a counter of one execution}
   *
   * @param execution the execution
   * @param bindings its parameters; null for none
   */
  public RowCounter counter(
      RowCounter.Execution execution, @Nullable Object @Nullable [] bindings) {
    return new ProgramCounter(this, execution, limit.of(bindings));
  }

  /**
   * {@return the longest interval between progress calls that the counts allow, in instructions}
   */
  public int stepsBetweenMax() {
    return countsSteps() ? SqliteBounds.STEPS_BETWEEN_COUNTS : Integer.MAX_VALUE;
  }

  /**
   * {@return whether the number of rows read depends on the number of instructions that have run}
   */
  boolean countsSteps() {
    return bounds != null;
  }

  /**
   * Corrects a number of rows read by how many instructions have run.
   *
   * @param reads the number computed without them
   * @param rows how many rows were returned
   * @param steps how many instructions have run, up to the last progress call
   * @return the rows read
   */
  long withinBounds(long reads, long rows, long steps) {
    StepBounds known = bounds;
    if (known == null) {
      return reads;
    }
    long atLeast =
        Math.max(reads, known.atLeast(steps - SqliteBounds.STEPS_BETWEEN_COUNTS + 1, rows));
    boolean counts = has("Count");
    return counts
        ? atLeast
        : Math.min(atLeast, known.atMost(steps + SqliteBounds.STEPS_BETWEEN_COUNTS - 1));
  }

  /**
   * {@return the rows written}
   *
   * @param progress what the statement has done
   * @param sizes returns the number of entries of a table or index by its root page
   */
  long rowsWritten(Progress progress, IntToLongFunction sizes) {
    if (dropsVirtual) {
      return 0;
    }
    if (writesVirtual || createsVirtual) {
      // Writes of a virtual table into its own tables do not count.
      return writesVirtual ? progress.changes() : fixedWrites;
    }
    if (refill != null) {
      return fixedWrites + new Visits(this, progress, sizes).of(refill);
    }
    long direct = hasClear ? progress.changes() : writesPerChange * progress.changes();
    return fixedWrites + direct + Math.round(writesPerTriggered * progress.triggered());
  }

  /**
   * {@return the rows read}
   *
   * @param progress what the statement has done
   * @param sizes returns the number of entries of a table or index by its root page
   */
  long rowsRead(Progress progress, IntToLongFunction sizes) {
    if (progress.limit().isZero() && !writes) {
      return 0;
    }
    if (constantReads >= 0 && progress.triggered() == 0) {
      return progress.rows() == 0 && progress.isDone() && isKeySearch ? 0 : constantReads;
    }
    Visits visits = new Visits(this, progress, sizes);
    long reads = 0;
    Set<Integer> headers = new HashSet<>();
    for (Loop loop : loops) {
      headers.add(loop.header());
      if (loop.kind() == Loop.Kind.FIRST) {
        // It has several start addresses, of which one is used.
        program.stream()
            .filter(each -> each.p1() == loop.cursor())
            .forEach(each -> headers.add(each.address()));
      }
      reads += visits.readsOf(loop);
    }
    for (Instruction each : program) {
      boolean isAlone = isSearch(each, roots) && !headers.contains(each.address());
      if (isAlone || listsSearched.contains(each.address())) {
        reads += visits.around(each.address());
      } else if (each.opcode().equals("Count")) {
        reads += visits.size(roots.getOrDefault(each.p1(), 0));
      } else if (RowLimit.isSorterOfFew(program, each)) {
        // A sorter for the first few rows reads its last row when it is full.
        long few = progress.limit().limit() + progress.limit().offset();
        reads += few > 0 ? Math.max(0, visits.around(each.address()) - few) : 0;
      }
    }
    if (refill != null && has("SeekEnd")) {
      // The end of the index is searched for until there is an entry to stand on.
      reads += Math.min(visits.of(refill), 2);
    }
    return reads + Math.round(readsPerTriggered * progress.triggered());
  }
}
