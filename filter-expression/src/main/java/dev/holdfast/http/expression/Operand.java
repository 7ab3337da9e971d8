package dev.holdfast.http.expression;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The left side of a comparison, or an argument. Its value is null if the request lacks it. An
 * operand <em>of each</em> has gone through {@code [*]}: its value is a list, and {@link #type} is
 * the type of an item.
 */
sealed interface Operand {

  FieldType type();

  boolean ofEach();

  @Nullable Object value(FilterRequest request, FilterWork work);

  void print(StringBuilder out);

  /** A field. */
  record Field(String name, FieldType type) implements Operand {
    @Override
    public boolean ofEach() {
      return false;
    }

    @Override
    public @Nullable Object value(FilterRequest request, FilterWork work) {
      return request.value(name);
    }

    @Override
    public void print(StringBuilder out) {
      out.append(name);
    }
  }

  /** A literal; only as an argument. */
  record Literal(Object literal, FieldType type) implements Operand {
    @Override
    public boolean ofEach() {
      return false;
    }

    @Override
    public Object value(FilterRequest request, FilterWork work) {
      return literal;
    }

    @Override
    public void print(StringBuilder out) {
      Comparison.printLiteral(literal, out);
    }
  }

  /**
   * A pattern as an argument, compiled once.
   *
   * @param text the pattern as written
   * @param compiled the value that the function receives
   */
  record Pattern(String text, Object compiled) implements Operand {
    @Override
    public FieldType type() {
      return FieldType.Scalar.BYTES;
    }

    @Override
    public boolean ofEach() {
      return false;
    }

    @Override
    public Object value(FilterRequest request, FilterWork work) {
      return compiled;
    }

    @Override
    public void print(StringBuilder out) {
      Comparison.printLiteral(text, out);
    }
  }

  /** An item of an array or of a map. */
  record Item(Operand of, Object key, FieldType type) implements Operand {
    @Override
    public boolean ofEach() {
      return of.ofEach();
    }

    @Override
    public @Nullable Object value(FilterRequest request, FilterWork work) {
      Object whole = of.value(request, work);
      return ofEach() && whole != null
          ? each(whole, item -> item(item), work)
          : whole == null ? null : item(whole);
    }

    private @Nullable Object item(Object whole) {
      if (key instanceof Long index) {
        List<?> list = (List<?>) whole;
        return index < list.size() ? list.get(index.intValue()) : null;
      }
      return ((Map<?, ?>) whole).get(key);
    }

    @Override
    public void print(StringBuilder out) {
      of.print(out);
      out.append('[');
      Comparison.printLiteral(key, out);
      out.append(']');
    }
  }

  /** All items of an array or of a map. */
  record Each(Operand of, FieldType type) implements Operand {
    @Override
    public boolean ofEach() {
      return true;
    }

    @Override
    public @Nullable Object value(FilterRequest request, FilterWork work) {
      Object whole = of.value(request, work);
      if (whole == null) {
        return null;
      }
      List<Object> all = new ArrayList<>();
      for (Object part : of.ofEach() ? (List<?>) whole : List.of(whole)) {
        Collection<?> items = items(part);
        work.charge(1L + items.size());
        all.addAll(items);
      }
      return all;
    }

    private static Collection<?> items(Object whole) {
      return whole instanceof Map<?, ?> map ? map.values() : (List<?>) whole;
    }

    @Override
    public void print(StringBuilder out) {
      of.print(out);
      out.append("[*]");
    }
  }

  /** The value of a function. With a first argument of each, it is called for each. */
  record Call(Function function, List<Operand> arguments, FieldType type) implements Operand {
    @Override
    public boolean ofEach() {
      return false;
    }

    @Override
    public @Nullable Object value(FilterRequest request, FilterWork work) {
      Object[] values = new Object[arguments.size()];
      for (int i = 0; i < values.length; i++) {
        Operand argument = arguments.get(i);
        Object value = argument.value(request, work);
        if (value == null && (argument.ofEach() || !function.readsMissing())) {
          // A function of a missing value is missing.
          return null;
        }
        values[i] = value == null ? "" : value;
      }
      if (!arguments.isEmpty() && arguments.getFirst().ofEach()) {
        return each(
            values[0],
            item -> {
              values[0] = item;
              return function.apply(values, work);
            },
            work);
      }
      return function.apply(values, work);
    }

    @Override
    public void print(StringBuilder out) {
      out.append(function.name()).append('(');
      for (int i = 0; i < arguments.size(); i++) {
        out.append(i == 0 ? "" : ", ");
        arguments.get(i).print(out);
      }
      out.append(')');
    }
  }

  /** Returns the results of a function for each item; items without a result are omitted. */
  private static List<Object> each(
      Object list,
      java.util.function.Function<Object, @Nullable Object> function,
      FilterWork work) {
    work.charge(((List<?>) list).size());
    List<Object> results = new ArrayList<>();
    for (Object item : (List<?>) list) {
      Object result = function.apply(item);
      if (result != null) {
        results.add(result);
      }
    }
    return results;
  }
}
