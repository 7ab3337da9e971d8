package dev.holdfast.http.expression;

import dev.holdfast.http.expression.FieldType.ArrayOf;
import dev.holdfast.http.expression.FieldType.MapOf;
import dev.holdfast.http.expression.FieldType.Scalar;
import dev.holdfast.http.expression.Function.Form;
import dev.holdfast.http.expression.Function.Parameter;
import java.util.ArrayList;
import java.util.List;

/** Parses fields, functions and their arguments, and access to items. */
final class OperandParser {

  private final Scanner in;
  private final Literals literals;
  private final Parser parser;

  OperandParser(Scanner in, Literals literals, Parser parser) {
    this.in = in;
    this.literals = literals;
    this.parser = parser;
  }

  Operand parse() throws FilterSyntaxException {
    int start = in.at();
    String name = name();
    Operand operand;
    if (in.peek() == '(') {
      Function function = Functions.find(name);
      if (function == null) {
        throw in.error(start, in.at(), "unknown identifier");
      }
      operand = call(function, start);
    } else {
      FieldType type = FieldTypes.type(name);
      if (type == null) {
        throw in.error(start, in.at(), "unknown identifier");
      }
      operand = new Operand.Field(name, type);
    }
    return indexed(operand);
  }

  private String name() throws FilterSyntaxException {
    int start = in.at();
    do {
      String part = in.takeWhile(c -> Scanner.isNameCharacter((char) c));
      if (part.isEmpty()) {
        throw start == in.at()
            ? in.errorHere("expected identifier")
            : in.error(start, in.at(), "unknown identifier");
      }
    } while (in.take("."));
    return in.from(start);
  }

  private Operand indexed(Operand of) throws FilterSyntaxException {
    Operand operand = of;
    while (in.peek() == '[') {
      int bracket = in.at();
      in.next();
      in.skipSpace();
      operand = item(operand, bracket);
      in.skipSpace();
      if (!in.take("]")) {
        throw in.errorHere("expected literal \"]\"");
      }
    }
    return operand;
  }

  private Operand item(Operand of, int bracket) throws FilterSyntaxException {
    if (in.take("*")) {
      return switch (of.type()) {
        case ArrayOf(FieldType item) -> new Operand.Each(of, item);
        case MapOf(FieldType item) -> new Operand.Each(of, item);
        case Scalar scalar ->
            throw in.error(bracket, in.at() + 1, "cannot access index [*] for type " + scalar);
      };
    }
    if (in.peek() == '"' || literals.startsRaw()) {
      String key = literals.bytes();
      if (of.type() instanceof MapOf(FieldType item)) {
        return new Operand.Item(of, key, item);
      }
      throw in.error(
          bracket, in.at() + 1, "cannot access index [\"" + key + "\"] for type " + of.type());
    }
    long index = literals.integer();
    if (of.type() instanceof ArrayOf(FieldType item) && index >= 0 && index <= Integer.MAX_VALUE) {
      return new Operand.Item(of, index, item);
    }
    throw in.error(
        bracket, in.at() + 1, "cannot access index [" + index + "] for type " + of.type());
  }

  private Operand call(Function function, int start) throws FilterSyntaxException {
    in.next();
    parser.enter(start);
    List<Operand> arguments = new ArrayList<>();
    in.skipSpace();
    while (!in.take(")")) {
      if (!arguments.isEmpty()) {
        if (!in.take(",")) {
          throw in.errorHere("expected literal \",\"");
        }
        in.skipSpace();
      }
      arguments.add(argument(function, arguments.size(), start));
      in.skipSpace();
    }
    parser.leave();
    if (arguments.size() < function.required()) {
      throw in.error(start, in.at(), "invalid number of arguments");
    }
    boolean each = arguments.getFirst().ofEach();
    FieldType type = each ? new ArrayOf(function.result()) : function.result();
    return new Operand.Call(function, List.copyOf(arguments), type);
  }

  private Operand argument(Function function, int index, int start) throws FilterSyntaxException {
    if (index >= function.most()) {
      throw in.error(start, in.at(), "invalid number of arguments");
    }
    Parameter parameter = function.parameter(index);
    int from = in.at();
    Operand operand = argument();
    if (operand.ofEach() && index > 0) {
      throw in.error(from, in.at(), "invalid use of map each access operator");
    }
    if (!parameter.types().contains(operand.type())) {
      throw in.error(
          from,
          in.at(),
          "invalid type of argument #%d: expected value of type %s, but got %s"
              .formatted(index + 1, expected(parameter), operand.type()));
    }
    boolean literal = operand instanceof Operand.Literal;
    if (parameter.form() != Form.EITHER && literal != (parameter.form() == Form.LITERAL)) {
      throw in.error(
          from,
          in.at(),
          "invalid kind of argument #%d: expected %s"
              .formatted(index + 1, literal ? "a field" : "a literal"));
    }
    if (operand instanceof Operand.Literal given && !parser.isStored()) {
      String mistake = parameter.mistake(given.literal());
      if (mistake != null) {
        throw in.error(
            from, in.at(), "invalid value of argument #%d: %s".formatted(index + 1, mistake));
      }
      if (function.name().equals("wildcard_replace") && index == 1) {
        parser.wildcard((String) given.literal(), false, from);
      }
    }
    if (function.name().equals("regex_replace") && index == 1) {
      String pattern = (String) ((Operand.Literal) operand).literal();
      return new Operand.Pattern(pattern, parser.compiled(Bytes.toText(pattern), from));
    }
    return operand;
  }

  private static String expected(Parameter parameter) {
    return String.join(" or ", parameter.types().stream().map(FieldType::toString).toList());
  }

  private Operand argument() throws FilterSyntaxException {
    char c = in.peek();
    if (c == '"' || literals.startsRaw()) {
      return new Operand.Literal(literals.bytes(), Scalar.BYTES);
    }
    if (c == '-' || (c >= '0' && c <= '9')) {
      return new Operand.Literal(literals.integer(), Scalar.INT);
    }
    return parse();
  }
}
