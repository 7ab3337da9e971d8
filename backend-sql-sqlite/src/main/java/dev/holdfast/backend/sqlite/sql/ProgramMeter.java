package dev.holdfast.backend.sqlite.sql;

import java.util.HashMap;
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
 * <p>The library has no counters for that. What it does tell is the program of a statement, how
 * many rows it returned and changed, and how large tables are. From these the numbers are computed:
 * exactly for searches by key, whole scans, joins by key, sorting, counting and writing; where the
 * program decides row by row what it does next, the number is a bound. The documentation of {@link
 * dev.holdfast.sql.SqlResult#rowsRead} says which. Immutable.
 */
public final class ProgramMeter {

  /** Of statements that touch no row: pragmas, for example. */
  static final ProgramMeter NOTHING = new ProgramMeter(new Program(List.of(), List.of()), false);

  /** The row counts among SQLite's own changes. */
  private static final int COUNTS_AS_CHANGE = 1;

  private static final Set<String> SEARCHES =
      Set.of("SeekRowid", "NotExists", "SeekGE", "SeekGT", "SeekLE", "SeekLT", "Rewind", "Last");

  private final List<Instruction> program;
  private final List<Loop> loops;
  private final Map<Integer, Integer> roots;
  private final boolean writes;
  private final boolean hasLimit;
  private final @Nullable Loop results;
  private final Set<Integer> fullRoots = new HashSet<>();
  private final long fixedWrites;
  private final long writesPerChange;
  private final double writesPerTriggered;
  private final double readsPerTriggered;
  private final boolean hasClear;
  private final boolean writesVirtual;

  /** What a program without loops reads, whatever it finds; -1 for any other. */
  private final long constantReads;

  ProgramMeter(Program program, boolean writes) {
    this.program = program.main();
    this.writes = writes;
    this.loops = LoopFinder.loops(this.program);
    this.roots = LoopFinder.roots(this.program);
    this.hasLimit = this.program.stream().anyMatch(each -> each.opcode().equals("DecrJumpZero"));
    this.results = resultLoop();
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
    this.hasClear = this.program.stream().anyMatch(each -> each.opcode().equals("Clear"));
    this.writesVirtual = this.program.stream().anyMatch(each -> each.opcode().equals("VUpdate"));
    this.constantReads = loops.isEmpty() && fullRoots.isEmpty() ? searches(this.program) : -1;
    long fixed = 0;
    long perChange = 0;
    boolean hasCounted = this.program.stream().anyMatch(ProgramMeter::isCountedChange);
    for (Instruction each : this.program) {
      if (isWrite(each, roots)) {
        boolean isPerChange = hasCounted && (isCountedChange(each) || isBesideChange(each));
        perChange += isPerChange ? 1 : 0;
        fixed += isPerChange ? 0 : 1;
      }
    }
    this.fixedWrites = fixed;
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

  private boolean needsCount(Loop loop) {
    return writes || !loop.equals(results) || loop.isFiltered();
  }

  private @Nullable Loop resultLoop() {
    for (Instruction each : program) {
      if (each.opcode().equals("ResultRow")) {
        return Loop.around(loops, each.address());
      }
    }
    return null;
  }

  private static boolean isCountedChange(Instruction each) {
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

  private long searches(List<Instruction> instructions) {
    return instructions.stream().filter(each -> isSearch(each, roots)).count();
  }

  /** {@return the root pages of tables and indexes whose size must be known} */
  public Set<Integer> sizesNeeded() {
    return fullRoots;
  }

  /**
   * What a statement has done so far.
   *
   * @param rows how many rows it has returned, the one ahead of the reader included
   * @param isDone whether it has ended
   * @param changes how many rows it has changed itself
   * @param triggered how many rows triggers and foreign keys have changed for it
   */
  public record Progress(long rows, boolean isDone, long changes, long triggered) {}

  /** {@return the rows written} */
  public long rowsWritten(Progress progress) {
    if (writesVirtual) {
      // What a virtual table writes into tables of its own does not count.
      return progress.changes();
    }
    long direct = hasClear ? progress.changes() : writesPerChange * progress.changes();
    return fixedWrites + direct + Math.round(writesPerTriggered * progress.triggered());
  }

  /**
   * {@return the rows read}
   *
   * @param progress what the statement has done
   * @param sizes gives the number of entries of a table or index by its root page
   */
  public long rowsRead(Progress progress, IntToLongFunction sizes) {
    if (constantReads >= 0 && progress.triggered() == 0) {
      return constantReads;
    }
    Visits visits = new Visits(progress, sizes);
    long reads = 0;
    Set<Integer> headers = new HashSet<>();
    for (Loop loop : loops) {
      headers.add(loop.header());
      if (loop.kind() == Loop.Kind.FIRST) {
        // It has several beginnings, of which one is taken.
        program.stream()
            .filter(each -> each.p1() == loop.cursor())
            .forEach(each -> headers.add(each.address()));
      }
      reads += visits.readsOf(loop);
    }
    for (Instruction each : program) {
      boolean isAlone = isSearch(each, roots) && !headers.contains(each.address());
      if (isAlone) {
        reads += visits.around(each.address());
      } else if (each.opcode().equals("Count")) {
        reads += visits.size(roots.getOrDefault(each.p1(), 0));
      }
    }
    return reads + Math.round(readsPerTriggered * progress.triggered());
  }

  /** How often each loop has gone around. */
  private final class Visits {

    private final Progress progress;
    private final IntToLongFunction sizes;
    private final Map<Loop, Long> known = new HashMap<>();

    Visits(Progress progress, IntToLongFunction sizes) {
      this.progress = progress;
      this.sizes = sizes;
    }

    long size(int root) {
      return root == 0 ? 0 : sizes.applyAsLong(root);
    }

    /** How often an instruction outside of a loop's own machinery has run. */
    long around(int address) {
      Loop loop = Loop.around(loops, address);
      return loop == null ? 1 : of(loop);
    }

    private long entries(Loop loop) {
      Loop parent = loop.parent(loops);
      return parent == null ? 1 : of(parent);
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
      boolean isResult = loop.equals(results);
      boolean isCut = isResult && (!progress.isDone() || (hasLimit && progress.rows() > 0));
      if (isCut || (isResult && !loop.isFiltered())) {
        return progress.rows();
      }
      return switch (loop.kind()) {
        case FULL -> isPartial(loop) ? 1 : entries(loop) * size(loop.root());
        case OWN -> Math.max(filled(loop), isResult ? progress.rows() : 0);
        case FIRST -> entries(loop);
        case RANGE, VIRTUAL, OTHER, QUEUE -> unknown(loop);
      };
    }

    /** Nothing says how often it goes around, but for what comes of it. */
    private long unknown(Loop loop) {
      if (loop.equals(results)) {
        return progress.rows();
      }
      if (hasChange(loop)) {
        return progress.changes();
      }
      boolean isSource = loop.parent(loops) == null && loop.kind() != Loop.Kind.RANGE;
      return isSource ? (writes ? progress.changes() : progress.rows()) : entries(loop);
    }

    /** An outer loop of the one that returns rows, before the end: it has not gone through. */
    private boolean isPartial(Loop loop) {
      boolean mayBeCut = !progress.isDone() || hasLimit || loop.mayEndEarly();
      return mayBeCut && results != null && loop.contains(results.header());
    }

    private boolean hasChange(Loop loop) {
      return program.stream()
          .anyMatch(each -> isCountedChange(each) && loop.contains(each.address()));
    }

    /** How many rows were put into what a loop goes over. */
    private long filled(Loop loop) {
      long rows = 0;
      for (Instruction each : program) {
        boolean fills =
            each.p1() == loop.cursor()
                && (each.opcode().equals("SorterInsert")
                    || each.opcode().equals("Insert")
                    || each.opcode().equals("IdxInsert"));
        if (fills && !loop.contains(each.address())) {
          rows += around(each.address());
        }
      }
      return rows;
    }

    long readsOf(Loop loop) {
      long visits = of(loop);
      return switch (loop.kind()) {
        case FULL -> Math.max(visits, Math.min(entries(loop), 1));
        case RANGE -> visits > 0 ? visits + (isLeft(loop) ? 1 : 0) : loop.isEquality() ? 0 : 1;
        case FIRST, OWN -> visits;
        case VIRTUAL ->
            loop.equals(results) && !progress.isDone() ? Math.max(0, visits - 1) : visits;
        case QUEUE -> visits + (progress.isDone() ? 1 : 0);
        case OTHER -> 0;
      };
    }

    /** Whether the first entry behind a range was looked at. */
    private boolean isLeft(Loop loop) {
      return progress.isDone() && !(hasLimit && loop.equals(results));
    }
  }
}
