package dev.holdfast.backend.sqlite.program;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The texts in the registers of a program that are known when it starts: literals, parameters, and
 * what is concatenated of them. If a register is written more than once, all of it counts. Confined
 * to one thread.
 */
final class KnownTexts {

  /** They write no text into a register, as do the jumps. */
  private static final Set<String> NONE =
      CostFinder.words(
          "Goto Gosub Return Yield InitCoroutine EndCoroutine BeginSubrtn Halt Transaction Noop",
          "ResultRow VOpen VFilter VNext OpenRead OpenWrite OpenEphemeral OpenPseudo SorterOpen",
          "SorterInsert SorterSort IdxInsert Insert Compare Jump NullRow DeferredSeek Explain");

  /** They write the register that is their second operand. */
  private static final Set<String> SECOND =
      CostFinder.words("String8 Integer Int64 Real Variable SCopy IntCopy Rowid SorterData");

  /** They write the register that is their third operand. */
  private static final Set<String> THIRD =
      CostFinder.words("Function PureFunc Concat Column VColumn MakeRecord");

  /** A text of more parts is not known. */
  private static final int PARTS_MAX = 64;

  private final List<Instruction> program;
  private final Set<Integer> open = new HashSet<>();
  private final List<Text> found = new ArrayList<>();
  private int visits;

  private KnownTexts(List<Instruction> program) {
    this.program = program;
  }

  /**
   * A text, or a parameter.
   *
   * @param literal the text; null for a parameter
   * @param parameter the number of the parameter, from 1
   */
  record Text(@Nullable String literal, int parameter) {

    /** {@return the text, or the value of the parameter} */
    String value(@Nullable Object @Nullable [] bindings) {
      if (literal != null) {
        return literal;
      }
      Object value =
          bindings == null || parameter > bindings.length ? null : bindings[parameter - 1];
      return value == null
          ? ""
          : value instanceof byte[] blob
              ? new String(blob, StandardCharsets.UTF_8)
              : value.toString();
    }
  }

  /** {@return the texts that a register may have, in parts; null if it may have others} */
  static @Nullable List<Text> of(List<Instruction> program, int register) {
    KnownTexts texts = new KnownTexts(program);
    return texts.collect(register) ? texts.found : null;
  }

  private boolean collect(int register) {
    if (++visits > PARTS_MAX || !open.add(register)) {
      return false;
    }
    boolean isKnown = true;
    boolean isWritten = false;
    for (Instruction each : program) {
      if (mayWrite(each, register)) {
        isWritten = true;
        isKnown = isKnown && isKnown(each);
      }
    }
    open.remove(register);
    return isKnown && isWritten;
  }

  private boolean isKnown(Instruction each) {
    return switch (each.opcode()) {
      case "String8" -> found.add(new Text(String.valueOf(each.p4()), 0));
      case "Integer" -> found.add(new Text(String.valueOf(each.p1()), 0));
      case "Null" -> true;
      case "Variable" -> found.add(new Text(null, each.p1()));
      case "SCopy" -> collect(each.p1());
      case "Concat" -> collect(each.p1()) && collect(each.p2());
      default -> false;
    };
  }

  private static boolean mayWrite(Instruction each, int register) {
    String opcode = each.opcode();
    if (NONE.contains(opcode) || CostFinder.JUMPS.contains(opcode)) {
      return false;
    }
    if (SECOND.contains(opcode)) {
      return each.p2() == register;
    }
    if (THIRD.contains(opcode)) {
      return each.p3() == register;
    }
    return switch (opcode) {
      case "Copy" -> each.p2() <= register && register <= each.p2() + each.p3();
      case "Null" -> each.p2() <= register && register <= Math.max(each.p2(), each.p3());
      default -> each.p1() == register || each.p2() == register || each.p3() == register;
    };
  }
}
