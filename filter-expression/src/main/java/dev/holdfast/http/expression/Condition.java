package dev.holdfast.http.expression;

import java.util.List;
import java.util.stream.IntStream;

/** A part of an expression that is true or false for a request. */
sealed interface Condition {

  boolean test(FilterRequest request, FilterWork work);

  void print(StringBuilder out);

  /** {@code true} or {@code false}. */
  record Constant(boolean value) implements Condition {
    @Override
    public boolean test(FilterRequest request, FilterWork work) {
      return value;
    }

    @Override
    public void print(StringBuilder out) {
      out.append(value);
    }
  }

  /** {@code or}, {@code xor} and {@code and}. */
  record Joined(Joint joint, List<Condition> parts) implements Condition {
    @Override
    public boolean test(FilterRequest request, FilterWork work) {
      return joint.of(parts, part -> part.test(request, work));
    }

    @Override
    public void print(StringBuilder out) {
      joint.print(parts, Condition::printPart, out);
    }
  }

  /** {@code not}. */
  record Not(Condition part) implements Condition {
    @Override
    public boolean test(FilterRequest request, FilterWork work) {
      return !part.test(request, work);
    }

    @Override
    public void print(StringBuilder out) {
      out.append("not ");
      printPart(part, out);
    }
  }

  /** A value that is true or false by itself. */
  record IsTrue(Operand operand) implements Condition {
    @Override
    public boolean test(FilterRequest request, FilterWork work) {
      return Boolean.TRUE.equals(operand.value(request, work));
    }

    @Override
    public void print(StringBuilder out) {
      operand.print(out);
    }
  }

  /** A comparison. Every comparison of a missing value is false. */
  record Compared(Operand operand, Comparison comparison) implements Condition {
    @Override
    public boolean test(FilterRequest request, FilterWork work) {
      Object value = operand.value(request, work);
      return value != null && comparison.test(value, work);
    }

    @Override
    public void print(StringBuilder out) {
      operand.print(out);
      out.append(' ');
      comparison.print(out);
    }
  }

  /** {@code any} or {@code all}. */
  record Quantified(boolean all, Rows rows) implements Condition {
    @Override
    public boolean test(FilterRequest request, FilterWork work) {
      Rows.Row row = rows.of(request, work);
      if (row == null) {
        return false;
      }
      IntStream items = IntStream.range(0, row.size());
      return all ? items.allMatch(row.flags()) : items.anyMatch(row.flags());
    }

    @Override
    public void print(StringBuilder out) {
      out.append(all ? "all(" : "any(");
      rows.print(out);
      out.append(')');
    }
  }

  private static void printPart(Condition part, StringBuilder out) {
    boolean isJoined = part instanceof Joined;
    out.append(isJoined ? "(" : "");
    part.print(out);
    out.append(isJoined ? ")" : "");
  }
}
