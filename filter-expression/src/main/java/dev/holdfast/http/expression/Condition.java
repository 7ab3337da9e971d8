package dev.holdfast.http.expression;

import java.util.List;
import org.jspecify.annotations.Nullable;

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

  /** {@code or}. */
  record AnyOf(List<Condition> parts) implements Condition {
    @Override
    public boolean test(FilterRequest request, FilterWork work) {
      for (Condition part : parts) {
        if (part.test(request, work)) {
          return true;
        }
      }
      return false;
    }

    @Override
    public void print(StringBuilder out) {
      printJoined(parts, " or ", out);
    }
  }

  /** {@code xor}. */
  record OddOf(List<Condition> parts) implements Condition {
    @Override
    public boolean test(FilterRequest request, FilterWork work) {
      boolean odd = false;
      for (Condition part : parts) {
        odd ^= part.test(request, work);
      }
      return odd;
    }

    @Override
    public void print(StringBuilder out) {
      printJoined(parts, " xor ", out);
    }
  }

  /** {@code and}. */
  record AllOf(List<Condition> parts) implements Condition {
    @Override
    public boolean test(FilterRequest request, FilterWork work) {
      for (Condition part : parts) {
        if (!part.test(request, work)) {
          return false;
        }
      }
      return true;
    }

    @Override
    public void print(StringBuilder out) {
      printJoined(parts, " and ", out);
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

  /** {@code any} or {@code all} of a comparison of each, or of an array of booleans. */
  record Quantified(boolean all, Operand operand, @Nullable Comparison comparison)
      implements Condition {
    @Override
    public boolean test(FilterRequest request, FilterWork work) {
      Object value = operand.value(request, work);
      if (value == null) {
        return false;
      }
      List<?> items = (List<?>) value;
      return all
          ? items.stream().allMatch(item -> holds(item, work))
          : items.stream().anyMatch(item -> holds(item, work));
    }

    private boolean holds(Object item, FilterWork work) {
      work.charge(1);
      return comparison == null ? Boolean.TRUE.equals(item) : comparison.test(item, work);
    }

    @Override
    public void print(StringBuilder out) {
      out.append(all ? "all(" : "any(");
      operand.print(out);
      if (comparison != null) {
        out.append(' ');
        comparison.print(out);
      }
      out.append(')');
    }
  }

  private static void printJoined(List<Condition> parts, String operator, StringBuilder out) {
    for (int i = 0; i < parts.size(); i++) {
      out.append(i == 0 ? "" : operator);
      printPart(parts.get(i), out);
    }
  }

  private static void printPart(Condition part, StringBuilder out) {
    boolean joined = part instanceof AnyOf || part instanceof OddOf || part instanceof AllOf;
    out.append(joined ? "(" : "");
    part.print(out);
    out.append(joined ? ")" : "");
  }
}
