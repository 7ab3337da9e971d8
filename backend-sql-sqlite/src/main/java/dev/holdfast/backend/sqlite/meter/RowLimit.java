package dev.holdfast.backend.sqlite.meter;

import dev.holdfast.backend.sqlite.program.Instruction;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * LIMIT and OFFSET of one execution of a statement.
 *
 * @param limit how many rows are returned at most; {@link #NONE} without a bound, {@link #UNKNOWN}
 *     if it is an expression
 * @param offset how many rows are skipped first
 */
record RowLimit(long limit, long offset) {

  static final long NONE = -1;
  static final long UNKNOWN = -2;

  /** For statements without a limit. */
  static final RowLimit ABSENT = new RowLimit(NONE, 0);

  private static final RowLimit NOT_KNOWN = new RowLimit(UNKNOWN, 0);

  /** For statements without a limit. */
  static final Source NO_SOURCE = _ -> ABSENT;

  /** Where the limits of executions come from. */
  @FunctionalInterface
  interface Source {

    /** {@return the limit of the execution with some parameters; null for none} */
    RowLimit of(@Nullable Object @Nullable [] bindings);
  }

  /** A number of the program. */
  @FunctionalInterface
  private interface Term {

    /** {@return its value; null if an expression sets it} */
    @Nullable Long of(@Nullable Object @Nullable [] bindings);
  }

  /** {@return the source of the limit of the loop that returns rows} */
  static Source source(List<Instruction> program, @Nullable Loop results) {
    int register = register(program, results);
    if (register < 0) {
      return NO_SOURCE;
    }
    Instruction passed = null;
    for (Instruction each : program) {
      if (each.opcode().equals("OffsetLimit") && (each.p1() == register || each.p2() == register)) {
        passed = each;
      }
    }
    Term limit = term(program, passed == null ? register : passed.p1());
    Term offset = passed == null ? _ -> 0L : term(program, passed.p3());
    return bindings -> of(limit.of(bindings), offset.of(bindings));
  }

  private static RowLimit of(@Nullable Long limit, @Nullable Long offset) {
    return limit == null || offset == null
        ? NOT_KNOWN
        : new RowLimit(limit < 0 ? NONE : limit, Math.max(0, offset));
  }

  /** The register that counts the remaining rows; -1 if there is no bound. */
  private static int register(List<Instruction> program, @Nullable Loop results) {
    int register = -1;
    for (Instruction each : program) {
      boolean isHere = results == null || results.contains(each.address());
      if (isSorterOfFew(program, each)) {
        register = program.get(each.address() - 1).p1();
      } else if (each.opcode().equals("DecrJumpZero") && isHere) {
        return each.p1();
      }
    }
    return register;
  }

  /** {@return whether the last row of a sorter is read, because the sorter is full} */
  static boolean isSorterOfFew(List<Instruction> program, Instruction each) {
    return each.opcode().equals("Last")
        && each.address() > 0
        && program.get(each.address() - 1).opcode().equals("IfNotZero");
  }

  /** A register that is set at one place only, to a number or a parameter. */
  private static Term term(List<Instruction> program, int register) {
    List<Instruction> places =
        program.stream()
            .filter(each -> each.opcode().equals("Integer") || each.opcode().equals("Variable"))
            .filter(each -> each.p2() == register)
            .toList();
    if (places.size() != 1) {
      return _ -> null;
    }
    Instruction place = places.getFirst();
    long number = place.p1();
    return place.opcode().equals("Integer") ? _ -> number : bindings -> bound(bindings, place.p1());
  }

  private static @Nullable Long bound(@Nullable Object @Nullable [] bindings, int parameter) {
    Object value =
        bindings != null && parameter <= bindings.length ? bindings[parameter - 1] : null;
    return switch (value) {
      case Long number -> number;
      case Double number when number == Math.rint(number) -> number.longValue();
      case null, default -> null;
    };
  }

  /** {@return whether a statement that has ended ran out of rows before it reached the limit} */
  boolean isBeyond(long rows) {
    return limit == NONE || (limit == UNKNOWN ? rows == 0 : rows < limit);
  }

  /** {@return whether no row is read} */
  boolean isZero() {
    return limit == 0;
  }
}
