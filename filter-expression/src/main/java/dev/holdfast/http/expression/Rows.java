package dev.holdfast.http.expression;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** What {@code any} and {@code all} quantify: a boolean for each item of an array. */
sealed interface Rows {

  /** Returns the booleans for a request; null if the request lacks the array. */
  @Nullable Row of(FilterRequest request, FilterWork work);

  void print(StringBuilder out);

  /** The booleans, each computed when it is asked for. */
  record Row(int size, IntPredicate flags) {}

  /** A comparison of each item, or an array of booleans. */
  record Of(Operand operand, @Nullable Comparison comparison) implements Rows {
    @Override
    public @Nullable Row of(FilterRequest request, FilterWork work) {
      Object value = operand.value(request, work);
      if (value == null) {
        return null;
      }
      List<?> items = (List<?>) value;
      return new Row(items.size(), index -> holds(items.get(index), work));
    }

    private boolean holds(Object item, FilterWork work) {
      work.charge(1);
      return comparison == null ? Boolean.TRUE.equals(item) : comparison.test(item, work);
    }

    @Override
    public void print(StringBuilder out) {
      operand.print(out);
      if (comparison != null) {
        out.append(' ');
        comparison.print(out);
      }
    }
  }

  /** {@code not}. */
  record Not(Rows part) implements Rows {
    @Override
    public @Nullable Row of(FilterRequest request, FilterWork work) {
      Row row = part.of(request, work);
      return row == null ? null : new Row(row.size(), row.flags().negate());
    }

    @Override
    public void print(StringBuilder out) {
      out.append("not ");
      printPart(part, out);
    }
  }

  /** {@code or}, {@code xor} and {@code and}, item by item, up to the end of the shortest array. */
  record Joined(Joint joint, List<Rows> parts) implements Rows {
    @Override
    public @Nullable Row of(FilterRequest request, FilterWork work) {
      List<Row> rows = new ArrayList<>(parts.size());
      for (Rows part : parts) {
        Row row = part.of(request, work);
        if (row == null) {
          return null;
        }
        rows.add(row);
      }
      return new Row(
          rows.stream().mapToInt(Row::size).min().orElse(0),
          index -> joint.of(rows, row -> row.flags().test(index)));
    }

    @Override
    public void print(StringBuilder out) {
      joint.print(parts, Rows::printPart, out);
    }
  }

  private static void printPart(Rows part, StringBuilder out) {
    boolean isJoined = part instanceof Joined;
    out.append(isJoined ? "(" : "");
    part.print(out);
    out.append(isJoined ? ")" : "");
  }
}
