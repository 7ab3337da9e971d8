package dev.holdfast.backend.sqlite.program;

import org.jspecify.annotations.Nullable;

/**
 * One instruction of a program of SQLite, as EXPLAIN shows it.
 *
 * @param address its address in its program
 * @param opcode what it does
 * @param p1 first operand, often a cursor
 * @param p2 second operand, often a jump target
 * @param p3 third operand
 * @param p4 fourth operand as text: a name, a function; null if there is none
 * @param p5 flags
 */
public record Instruction(
    int address, String opcode, int p1, int p2, int p3, @Nullable String p4, int p5) {

  /** {@return the name of the function that is called here, without its number of arguments} */
  public String function() {
    String name = String.valueOf(p4);
    int bracket = name.lastIndexOf('(');
    return bracket < 0 ? name : name.substring(0, bracket);
  }
}
