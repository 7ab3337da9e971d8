package dev.holdfast.backend.sqlite.program;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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

  /** For each address, where the instructions begin that have run before it in a row. */
  private final int[] begins;

  /** The addresses of the instructions that may write a register, in order. */
  private final Map<Integer, List<Integer>> writers = new HashMap<>();

  /** The addresses of the instructions whose operands are being found. */
  private final Set<Integer> open = new HashSet<>();

  private List<Text> found = new ArrayList<>();
  private int visits;

  /**
   * Reads a program.
   *
   * @param program a whole program, or the program of a trigger
   */
  KnownTexts(List<Instruction> program) {
    this.program = program;
    this.begins = begins(program);
    for (int at = 0; at < program.size(); at++) {
      readWritten(at);
    }
  }

  private static int[] begins(List<Instruction> program) {
    Set<Integer> targets = new HashSet<>();
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
    int[] begins = new int[program.size()];
    for (int at = 1; at < begins.length; at++) {
      boolean isFirst = targets.contains(at) || ENDS.contains(program.get(at - 1).opcode());
      begins[at] = isFirst ? at : begins[at - 1];
    }
    return begins;
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
   * @param register the register
   * @param at the address of the instruction that reads it
   */
  @Nullable List<Text> of(int register, int at) {
    found = new ArrayList<>();
    visits = 0;
    open.clear();
    return collect(register, at) ? found : null;
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
    List<Integer> all = writers.getOrDefault(register, List.of());
    int index = Collections.binarySearch(all, at);
    int before = index >= 0 ? index - 1 : -index - 2;
    return before >= 0 && all.get(before) >= begins[at] ? all.get(before) : -1;
  }

  private boolean areAllKnown(int register) {
    List<Integer> all = writers.getOrDefault(register, List.of());
    return !all.isEmpty() && all.stream().allMatch(this::isKnown);
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

  private void readWritten(int at) {
    Instruction each = program.get(at);
    String opcode = each.opcode();
    if (NONE.contains(opcode) || CostFinder.JUMPS.contains(opcode)) {
      return;
    }
    if (SECOND.contains(opcode)) {
      addWriter(at, each.p2());
    } else if (THIRD.contains(opcode)) {
      addWriter(at, each.p3());
    } else if (opcode.equals("Copy")) {
      addWriters(at, each.p2(), each.p2() + each.p3());
    } else if (opcode.equals("Null")) {
      addWriters(at, each.p2(), Math.max(each.p2(), each.p3()));
    } else {
      // Some of these are no registers, and may be any number.
      Set.copyOf(List.of(each.p1(), each.p2(), each.p3())).forEach(any -> addWriter(at, any));
    }
  }

  private void addWriters(int at, int first, int last) {
    for (int register = first; register <= last; register++) {
      addWriter(at, register);
    }
  }

  private void addWriter(int at, int register) {
    writers.computeIfAbsent(register, _ -> new ArrayList<>()).add(at);
  }
}
