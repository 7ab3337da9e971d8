package dev.holdfast.http.expression;

import java.util.List;
import java.util.Set;

/** The right side of a comparison with its operator. The value is never missing. */
sealed interface Comparison {

  boolean test(Object value, FilterWork work);

  void print(StringBuilder out);

  /** The operators that compare with one literal. */
  enum Order {
    EQ("eq"),
    NE("ne"),
    GE("ge"),
    LE("le"),
    GT("gt"),
    LT("lt");

    private final String word;

    Order(String word) {
      this.word = word;
    }

    boolean holds(int comparison) {
      return switch (this) {
        case EQ -> comparison == 0;
        case NE -> comparison != 0;
        case GE -> comparison >= 0;
        case LE -> comparison <= 0;
        case GT -> comparison > 0;
        case LT -> comparison < 0;
      };
    }
  }

  /** {@code eq}, {@code lt} and the like. */
  record Ordered(Order order, Object literal) implements Comparison {
    @Override
    public boolean test(Object value, FilterWork work) {
      work.read(value instanceof String text ? text.length() : 1);
      return switch (value) {
        case IpAddress ip -> {
          IpAddress other = (IpAddress) literal;
          // For two families only "not equal" is true.
          yield ip.v6() == other.v6() ? order.holds(ip.compare(other)) : order == Order.NE;
        }
        case Long number -> order.holds(number.compareTo((Long) literal));
        default -> order.holds(((String) value).compareTo((String) literal));
      };
    }

    @Override
    public void print(StringBuilder out) {
      out.append(order.word).append(' ');
      printLiteral(literal, out);
    }
  }

  /** {@code in} a set of byte strings. */
  record OneOf(Set<String> literals) implements Comparison {
    @Override
    public boolean test(Object value, FilterWork work) {
      work.read(((String) value).length());
      return literals.contains(value);
    }

    @Override
    public void print(StringBuilder out) {
      out.append("in {");
      literals.forEach(
          literal -> {
            out.append(' ');
            Bytes.quote(literal, out);
          });
      out.append(" }");
    }
  }

  /** {@code in} ranges of numbers; both ends belong to a range. */
  record InRanges(List<Range> ranges) implements Comparison {
    record Range(long first, long last) {}

    @Override
    public boolean test(Object value, FilterWork work) {
      work.charge(ranges.size());
      long number = (Long) value;
      return ranges.stream().anyMatch(r -> r.first() <= number && number <= r.last());
    }

    @Override
    public void print(StringBuilder out) {
      out.append("in {");
      ranges.forEach(r -> out.append(' ').append(r.first()).append("..").append(r.last()));
      out.append(" }");
    }
  }

  /** {@code in} ranges of addresses; both ends belong to a range. */
  record InNetworks(List<Network> networks) implements Comparison {
    record Network(IpAddress first, IpAddress last) {}

    @Override
    public boolean test(Object value, FilterWork work) {
      work.charge(2L * networks.size());
      IpAddress ip = (IpAddress) value;
      return networks.stream()
          .anyMatch(
              n ->
                  ip.v6() == n.first().v6()
                      && n.first().compare(ip) <= 0
                      && ip.compare(n.last()) <= 0);
    }

    @Override
    public void print(StringBuilder out) {
      out.append("in {");
      networks.forEach(n -> out.append(' ').append(n.first()).append("..").append(n.last()));
      out.append(" }");
    }
  }

  /** {@code in} a named list. This implementation has no lists, so the result is always false. */
  record InList(String name) implements Comparison {
    @Override
    public boolean test(Object value, FilterWork work) {
      return false;
    }

    @Override
    public void print(StringBuilder out) {
      out.append("in $").append(name);
    }
  }

  /** {@code contains}. */
  record Contains(String literal) implements Comparison {
    @Override
    public boolean test(Object value, FilterWork work) {
      work.search(((String) value).length(), literal.length());
      return ((String) value).contains(literal);
    }

    @Override
    public void print(StringBuilder out) {
      out.append("contains ");
      Bytes.quote(literal, out);
    }
  }

  /** {@code matches}. */
  record Matches(Regex regex) implements Comparison {
    @Override
    public boolean test(Object value, FilterWork work) {
      return regex.find((String) value, work);
    }

    @Override
    public void print(StringBuilder out) {
      out.append("matches ");
      printRaw(regex.source(), out);
    }
  }

  /** {@code wildcard} and {@code strict wildcard}. */
  record Like(Wildcard wildcard) implements Comparison {
    @Override
    public boolean test(Object value, FilterWork work) {
      return wildcard.match((String) value, work) != null;
    }

    @Override
    public void print(StringBuilder out) {
      out.append(wildcard.strict() ? "strict wildcard " : "wildcard ");
      Bytes.quote(wildcard.pattern(), out);
    }
  }

  /** {@code &}: whether they have a bit in common. */
  record HasBits(long bits) implements Comparison {
    @Override
    public boolean test(Object value, FilterWork work) {
      return ((Long) value & bits) != 0;
    }

    @Override
    public void print(StringBuilder out) {
      out.append("bitwise_and ").append(bits);
    }
  }

  static void printLiteral(Object literal, StringBuilder out) {
    if (literal instanceof String bytes) {
      Bytes.quote(bytes, out);
    } else {
      out.append(literal);
    }
  }

  /** A raw string with as many number signs as its content needs. */
  private static void printRaw(String text, StringBuilder out) {
    String signs = "";
    while (text.contains("\"" + signs)) {
      signs += "#";
    }
    out.append('r').append(signs).append('"').append(text).append('"').append(signs);
  }
}
