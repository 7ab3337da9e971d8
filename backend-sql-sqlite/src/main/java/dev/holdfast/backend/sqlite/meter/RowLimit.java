package dev.holdfast.backend.sqlite.meter;

import dev.holdfast.backend.sqlite.sql.program.Instruction;
import dev.holdfast.backend.sqlite.sql.program.Loop;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * LIMIT and OFFSET of one execution of a statement.
 *
 * @param limit how many rows are returned at most; {@link #NONE} without a bound, {@link #UNKNOWN}
 *     if it is an expression
 * @param offset how many rows are skipped first
 */
public record RowLimit(long limit, long offset) {

  static final long NONE = -1;
  static final long UNKNOWN = -2;

  /** For statements without a limit. */
  static final RowLimit ABSENT = new RowLimit(NONE, 0);

  private static final RowLimit NOT_KNOWN = new RowLimit(UNKNOWN, 0);

  /**
   * Reads the limit of the loop that returns rows.
   *
   * @param bindings the parameters of the execution
   */
  static RowLimit of(
      List<Instruction> program, @Nullable Loop results, @Nullable Object[] bindings) {
    int register = register(program, results);
    if (register < 0) {
      return ABSENT;
    }
    Instruction passed = null;
    for (Instruction each : program) {
      if (each.opcode().equals("OffsetLimit") && (each.p1() == register || each.p2() == register)) {
        passed = each;
      }
    }
    Long limit = value(program, passed == null ? register : passed.p1(), bindings);
    Long offset = passed == null ? Long.valueOf(0) : value(program, passed.p3(), bindings);
    if (limit == null || offset == null) {
      return NOT_KNOWN;
    }
    return new RowLimit(limit < 0 ? NONE : limit, Math.max(0, offset));
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

  /** The value of a register that is set at one place only, as a number or from a parameter. */
  private static @Nullable Long value(
      List<Instruction> program, int register, @Nullable Object[] bindings) {
    Long value = null;
    int places = 0;
    for (Instruction each : program) {
      if (each.opcode().equals("Integer") && each.p2() == register) {
        value = (long) each.p1();
        places++;
      } else if (each.opcode().equals("Variable") && each.p2() == register) {
        Object bound = each.p1() <= bindings.length ? bindings[each.p1() - 1] : null;
        value =
            switch (bound) {
              case Long number -> number;
              case Double number when number == Math.rint(number) -> number.longValue();
              case null, default -> null;
            };
        places++;
      }
    }
    return places == 1 ? value : null;
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
