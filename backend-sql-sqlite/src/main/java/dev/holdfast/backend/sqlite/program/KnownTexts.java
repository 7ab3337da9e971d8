package dev.holdfast.backend.sqlite.program;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The texts in the registers of a program that are known when it starts: literals, parameters, and
 * what is concatenated of them. If a register may have been written in more than one place, all of
 * it counts. Confined to one thread.
 */
final class KnownTexts {

  /** They write no text into a register, as do the jumps. */
  private static final Set<String> NONE =
      CostFinder.words(
          "Goto Gosub Return Yield InitCoroutine EndCoroutine BeginSubrtn Halt Transaction Noop",
          "ResultRow VOpen VFilter VNext OpenRead OpenWrite OpenEphemeral OpenPseudo SorterOpen",
          "SorterInsert SorterSort IdxInsert Insert Compare Jump NullRow DeferredSeek Explain");

  /** What precedes the next instruction is not what ran before it. */
  private static final Set<String> ENDS =
      CostFinder.words("Goto Gosub Return Yield InitCoroutine EndCoroutine BeginSubrtn Halt Jump");

  /** They write the register that is their second operand. */
  private static final Set<String> SECOND =
      CostFinder.words("String8 Integer Int64 Real Variable SCopy IntCopy Rowid SorterData");

  /** They write the register that is their third operand. */
  private static final Set<String> THIRD =
      CostFinder.words("Function PureFunc Concat Column VColumn MakeRecord");

  /** A text of more parts is not known. */
  private static final int PARTS_MAX = 64;

  private final List<Instruction> program;
  private final Set<Integer> targets = new HashSet<>();

  /** The addresses of the instructions whose operands are being found. */
  private final Set<Integer> open = new HashSet<>();

  private final List<Text> found = new ArrayList<>();
  private int visits;

  private KnownTexts(List<Instruction> program) {
    this.program = program;
    for (Instruction each : program) {
      String opcode = each.opcode();
      if (!SECOND.contains(opcode) && !THIRD.contains(opcode)) {
        targets.add(each.p2());
      }
      if (opcode.equals("Jump") || opcode.equals("InitCoroutine")) {
        targets.add(each.p1());
        targets.add(each.p3());
      }
    }
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

  /**
   * {@return the texts that a register may have, in parts; null if it may have others}
   *
   * @param program a whole program, or the program of a trigger
   * @param register the register
   * @param at the address of the instruction that reads it
   */
  static @Nullable List<Text> of(List<Instruction> program, int register, int at) {
    KnownTexts texts = new KnownTexts(program);
    return texts.collect(register, at) ? texts.found : null;
  }

  private boolean collect(int register, int at) {
    if (++visits > PARTS_MAX) {
      return false;
    }
    int writer = lastWriter(register, at);
    return writer >= 0 ? isKnown(writer) : areAllKnown(register);
  }

  /** {@return the only address where it can have been written last; -1 if there may be others} */
  private int lastWriter(int register, int at) {
    for (int before = at - 1; before >= 0 && !targets.contains(before + 1); before--) {
      if (mayWrite(program.get(before), register)) {
        return before;
      }
      if (ENDS.contains(program.get(before).opcode())) {
        return -1;
      }
    }
    return -1;
  }

  private boolean areAllKnown(int register) {
    boolean isWritten = false;
    for (int at = 0; at < program.size(); at++) {
      if (mayWrite(program.get(at), register)) {
        isWritten = true;
        if (!isKnown(at)) {
          return false;
        }
      }
    }
    return isWritten;
  }

  private boolean isKnown(int at) {
    if (!open.add(at)) {
      return false;
    }
    Instruction each = program.get(at);
    boolean isKnown =
        switch (each.opcode()) {
          case "String8" -> found.add(new Text(String.valueOf(each.p4()), 0));
          case "Integer" -> found.add(new Text(String.valueOf(each.p1()), 0));
          case "Null" -> true;
          case "Variable" -> found.add(new Text(null, each.p1()));
          case "SCopy" -> collect(each.p1(), at);
          case "Concat" -> collect(each.p1(), at) && collect(each.p2(), at);
          default -> false;
        };
    open.remove(at);
    return isKnown;
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
