package dev.holdfast.http.expression;

import dev.holdfast.http.expression.Comparison.Order;
import dev.holdfast.http.expression.FieldType.Scalar;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A recursive descent parser that also checks types: the type of the other operand determines how a
 * literal is read.
 */
final class Parser {

  private final Scanner in;
  private final Literals literals;
  private final OperandParser operands;
  private final boolean bareHosts;
  private int depth;
  private final int statesMax;
  private int regexes;
  private int states;

  Parser(String text, boolean bareHosts, int statesMax) {
    this.in = new Scanner(text);
    this.literals = new Literals(in);
    this.operands = new OperandParser(in, literals, this);
    this.bareHosts = bareHosts;
    this.statesMax = statesMax;
  }

  boolean usesRegex() {
    return regexes > 0;
  }

  /** Whether the expression was accepted when less was refused. */
  boolean isStored() {
    return statesMax == Integer.MAX_VALUE;
  }

  int states() {
    return states;
  }

  Condition parse() throws FilterSyntaxException {
    Condition condition = joined(conditions, 0);
    in.skipSpace();
    if (!in.atEnd()) {
      throw in.errorHere("unrecognised input");
    }
    return condition;
  }

  /** What logical operators join: conditions, or, in a quantifier, rows of booleans. */
  private interface Form<T> {
    T leaf() throws FilterSyntaxException;

    T not(T part);

    T joined(Joint joint, List<T> parts);
  }

  private final Form<Condition> conditions =
      new Form<>() {
        @Override
        public Condition leaf() throws FilterSyntaxException {
          if (in.takeWord("true")) {
            return new Condition.Constant(true);
          }
          return in.takeWord("false") ? new Condition.Constant(false) : comparison();
        }

        @Override
        public Condition not(Condition part) {
          return new Condition.Not(part);
        }

        @Override
        public Condition joined(Joint joint, List<Condition> parts) {
          return new Condition.Joined(joint, parts);
        }
      };

  private final Form<Rows> rows =
      new Form<>() {
        @Override
        public Rows leaf() throws FilterSyntaxException {
          return row();
        }

        @Override
        public Rows not(Rows part) {
          return new Rows.Not(part);
        }

        @Override
        public Rows joined(Joint joint, List<Rows> parts) {
          return new Rows.Joined(joint, parts);
        }
      };

  /** Reads what an operator joins, and the operators that bind tighter. */
  private <T> T joined(Form<T> form, int looseness) throws FilterSyntaxException {
    if (looseness == Joint.LOOSEST_FIRST.size()) {
      return unary(form);
    }
    Joint joint = Joint.LOOSEST_FIRST.get(looseness);
    List<T> parts = new ArrayList<>();
    do {
      parts.add(joined(form, looseness + 1));
    } while (takes(joint));
    return parts.size() == 1 ? parts.getFirst() : form.joined(joint, List.copyOf(parts));
  }

  private boolean takes(Joint joint) {
    int before = in.at();
    in.skipSpace();
    if (in.takeWord(joint.word()) || in.take(joint.sign())) {
      return true;
    }
    in.back(before);
    return false;
  }

  private <T> T unary(Form<T> form) throws FilterSyntaxException {
    in.skipSpace();
    int start = in.at();
    if (in.takeWord("not") || in.take("!")) {
      enter(start);
      T part = unary(form);
      leave();
      return form.not(part);
    }
    if (in.take("(")) {
      enter(start);
      T inner = joined(form, 0);
      requireEnd();
      leave();
      return inner;
    }
    return form.leaf();
  }

  private void requireEnd() throws FilterSyntaxException {
    in.skipSpace();
    if (!in.take(")")) {
      throw in.errorHere("expected literal \")\"");
    }
  }

  /** Records one more level of nesting. */
  void enter(int start) throws FilterSyntaxException {
    if (++depth > ExpressionBounds.NESTING_MAX) {
      throw in.error(
          start,
          in.at(),
          "maximum nesting depth exceeded (limit: " + ExpressionBounds.NESTING_MAX + ")");
    }
  }

  void leave() {
    depth--;
  }

  private Condition comparison() throws FilterSyntaxException {
    int start = in.at();
    Boolean all = in.takeWord("any") ? Boolean.FALSE : in.takeWord("all") ? Boolean.TRUE : null;
    if (all != null) {
      in.skipSpace();
      if (in.take("(")) {
        return quantified(all);
      }
      in.back(start);
    }
    Operand operand = operands.parse();
    int end = in.at();
    if (operand.ofEach()) {
      throw in.error(start, end, "invalid use of map each access operator");
    }
    if (operand.type() == Scalar.BOOL) {
      return new Condition.IsTrue(operand);
    }
    if (!(operand.type() instanceof Scalar)) {
      throw notComparable(start, end, operand);
    }
    in.skipSpace();
    if (in.atEnd() || in.peek() == ')') {
      throw notComparable(start, end, operand);
    }
    return new Condition.Compared(operand, comparisonWith(operand.type()));
  }

  private FilterSyntaxException notComparable(int start, int end, Operand operand) {
    in.skipSpace();
    return in.atEnd() || in.peek() == ')'
        ? in.error(start, end, "expected value of type Bool, but got " + operand.type())
        : in.error(start, end, "cannot perform this operation on type " + operand.type());
  }

  private Condition quantified(boolean all) throws FilterSyntaxException {
    in.skipSpace();
    enter(in.at());
    Rows condition = joined(rows, 0);
    requireEnd();
    leave();
    return new Condition.Quantified(all, condition);
  }

  private Rows row() throws FilterSyntaxException {
    int start = in.at();
    Operand operand = operands.parse();
    int end = in.at();
    if (!operand.ofEach()) {
      if (!operand.type().equals(new FieldType.ArrayOf(Scalar.BOOL))) {
        throw in.error(start, end, "expected value of type Array(Bool), but got " + operand.type());
      }
      return new Rows.Of(operand, null);
    }
    if (operand.type() == Scalar.BOOL) {
      return new Rows.Of(operand, null);
    }
    if (!(operand.type() instanceof Scalar)) {
      throw in.error(start, end, "cannot perform this operation on type " + operand.type());
    }
    return new Rows.Of(operand, comparisonWith(operand.type()));
  }

  private Comparison comparisonWith(FieldType type) throws FilterSyntaxException {
    in.skipSpace();
    int start = in.at();
    if (in.takeWord("in")) {
      in.skipSpace();
      return in(type);
    }
    Order order = order();
    if (order != null) {
      in.skipSpace();
      return new Comparison.Ordered(order, literal(type, order));
    }
    if (in.takeWord("contains")) {
      require(Scalar.BYTES, type, start);
      return new Comparison.Contains(literals.bytes());
    }
    if (in.takeWord("matches") || in.take("~")) {
      require(Scalar.BYTES, type, start);
      return new Comparison.Matches(regex());
    }
    if (in.takeWord("wildcard")) {
      require(Scalar.BYTES, type, start);
      return new Comparison.Like(wildcard(false));
    }
    if (in.takeWord("strict")) {
      in.skipSpace();
      if (in.takeWord("wildcard")) {
        require(Scalar.BYTES, type, start);
        return new Comparison.Like(wildcard(true));
      }
      in.back(start);
    }
    if (in.takeWord("bitwise_and") || (in.peek(1) != '&' && in.take("&"))) {
      require(Scalar.INT, type, start);
      return new Comparison.HasBits(literals.integer());
    }
    throw in.errorHere("expected ComparisonOp");
  }

  private void require(Scalar needed, FieldType type, int start) throws FilterSyntaxException {
    if (type != needed) {
      throw in.error(start, in.at(), "cannot perform this operation on type " + type);
    }
    in.skipSpace();
  }

  private @Nullable Order order() {
    if (in.takeWord("eq") || in.take("==")) {
      return Order.EQ;
    }
    if (in.takeWord("ne") || in.take("!=")) {
      return Order.NE;
    }
    if (in.takeWord("ge") || in.take(">=")) {
      return Order.GE;
    }
    if (in.takeWord("le") || in.take("<=")) {
      return Order.LE;
    }
    if (in.takeWord("gt") || in.take(">")) {
      return Order.GT;
    }
    return in.takeWord("lt") || in.take("<") ? Order.LT : null;
  }

  private Object literal(FieldType type, Order order) throws FilterSyntaxException {
    if (type == Scalar.INT) {
      return literals.integer();
    }
    if (type == Scalar.IP) {
      return literals.ip();
    }
    boolean bare = bareHosts && (order == Order.EQ || order == Order.NE);
    if (bare && in.peek() != '"' && !literals.startsRaw()) {
      String host = in.takeWhile(Parser::isHostCharacter);
      if (!host.isEmpty()) {
        return host;
      }
    }
    return literals.bytes();
  }

  private static boolean isHostCharacter(int c) {
    return c == '.' || c == '-' || c == '*' || (c != '_' && Scanner.isNameCharacter((char) c));
  }

  private Comparison in(FieldType type) throws FilterSyntaxException {
    if (in.take("$")) {
      int start = in.at() - 1;
      String name = in.takeWhile(c -> c == '_' || c == '.' || isLowerOrDigit(c));
      if (name.isEmpty()) {
        throw in.error(start, in.at() + 1, "invalid list name \"" + name + "\"");
      }
      return new Comparison.InList(name);
    }
    if (!in.take("{")) {
      throw in.errorHere("expected literal \"{\"");
    }
    return switch ((Scalar) type) {
      case INT -> new Comparison.InRanges(items(literals::range));
      case IP -> new Comparison.InNetworks(items(literals::network));
      default ->
          new Comparison.OneOf(
              Collections.unmodifiableSet(new LinkedHashSet<>(items(literals::bytes))));
    };
  }

  private static boolean isLowerOrDigit(int c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  }

  private <T> List<T> items(Item<T> item) throws FilterSyntaxException {
    List<T> items = new ArrayList<>();
    in.skipSpace();
    while (!in.take("}")) {
      items.add(item.parse());
      int before = in.at();
      in.skipSpace();
      // Items are separated by space and nothing else.
      if (in.at() == before && in.peek() != '}') {
        throw in.errorHere("expected literal \"}\"");
      }
    }
    if (items.isEmpty()) {
      throw in.error(in.at() - 1, in.at(), "expected a value in the set");
    }
    return List.copyOf(items);
  }

  private interface Item<T> {
    T parse() throws FilterSyntaxException;
  }

  private Regex regex() throws FilterSyntaxException {
    int start = in.at();
    return compiled(literals.regex(), start);
  }

  /** Also used for the literal second argument of {@code regex_replace}. */
  Regex compiled(String source, int start) throws FilterSyntaxException {
    if (++regexes > ExpressionBounds.REGEXES_MAX) {
      throw in.error(
          start,
          in.at(),
          "too many regular expressions (limit: " + ExpressionBounds.REGEXES_MAX + ")");
    }
    Regex regex;
    try {
      regex = Regex.compile(source);
    } catch (IllegalArgumentException e) {
      throw in.error(start, in.at(), "failed to parse regex: " + e.getMessage());
    }
    states += regex.states();
    if (states > statesMax) {
      throw in.error(
          start,
          in.at(),
          "regular expressions too large: %d states up to here, the limit is %d for an expression"
              .formatted(states, statesMax));
    }
    return regex;
  }

  private Wildcard wildcard(boolean strict) throws FilterSyntaxException {
    int start = in.at();
    return wildcard(literals.bytes(), strict, start);
  }

  /** Also used for the literal second argument of {@code wildcard_replace}. */
  Wildcard wildcard(String pattern, boolean strict, int start) throws FilterSyntaxException {
    try {
      return Wildcard.compile(pattern, strict);
    } catch (IllegalArgumentException e) {
      throw in.error(start, in.at(), String.valueOf(e.getMessage()));
    }
  }
}
