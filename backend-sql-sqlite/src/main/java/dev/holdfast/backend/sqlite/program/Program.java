package dev.holdfast.backend.sqlite.program;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The program that SQLite compiles from a statement.
 *
 * @param main the program itself
 * @param triggers the programs of triggers and foreign key actions that it may call
 */
public record Program(List<Instruction> main, List<Instruction> triggers) {

  /** Makes SQLite show the program of a statement, without running it. */
  public static Program of(SqliteConnection connection, String sql) throws SqliteException {
    return of(connection, sql, new Object[0]);
  }

  /**
   * Makes SQLite show the program of a statement with parameters. SQLite compiles a statement again
   * for values on which its program depends.
   */
  public static Program of(SqliteConnection connection, String sql, @Nullable Object[] bindings)
      throws SqliteException {
    try (SqliteStatement explain = connection.prepare("EXPLAIN " + sql)) {
      List<Instruction> main = new ArrayList<>();
      List<Instruction> triggers = new ArrayList<>();
      boolean hasRow = explain.start(Arrays.copyOf(bindings, explain.parameterCount()));
      while (hasRow) {
        Instruction next = instruction(explain);
        // Each program counts its addresses from 0; the first one is the statement's own.
        boolean isMain = triggers.isEmpty() && next.address() == main.size();
        (isMain ? main : triggers).add(next);
        hasRow = explain.step();
      }
      return new Program(List.copyOf(main), List.copyOf(triggers));
    }
  }

  private static Instruction instruction(SqliteStatement explain) throws SqliteException {
    Object p4 = explain.value(5);
    return new Instruction(
        (int) explain.integer(0),
        String.valueOf(explain.value(1)),
        (int) explain.integer(2),
        (int) explain.integer(3),
        (int) explain.integer(4),
        p4 == null ? null : p4.toString(),
        (int) explain.integer(6));
  }

  /** {@return whether it begins a write transaction} */
  public boolean writes() {
    return main.stream().anyMatch(each -> each.opcode().equals("Transaction") && each.p2() != 0);
  }

  /** {@return whether it uses a virtual table, itself or through a trigger} */
  public boolean usesVirtual() {
    return Stream.concat(main.stream(), triggers.stream())
        .anyMatch(each -> each.opcode().equals("VOpen") || each.opcode().equals("VUpdate"));
  }

  /** {@return whether it ends after the only place where it returns a row} */
  public boolean returnsOneRowAtMost() {
    int places = 0;
    boolean endsBehind = false;
    for (int at = 0; at + 1 < main.size(); at++) {
      if (main.get(at).opcode().equals("ResultRow")) {
        places++;
        endsBehind = main.get(at + 1).opcode().equals("Halt");
      }
    }
    return places == 1 && endsBehind;
  }
}
