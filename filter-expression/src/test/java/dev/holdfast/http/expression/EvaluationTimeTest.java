package dev.holdfast.http.expression;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/**
 * A search for the expression and the request that take the most processor time. Short always,
 * where it finds only crashes and what is beyond the budget; with {@code holdfast.tests=long} it
 * runs for {@code evaluation.tries}, and prints the worst that it has found.
 */
class EvaluationTimeTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final long SEED = Long.getLong("evaluation.seed", 20_261_122);
  private static final int TRIES = LONG ? Integer.getInteger("evaluation.tries", 40_000) : 150;

  private static final long SLOW_NANOS = 5_000_000;

  /** The longest string that a body may have. */
  private static final int TEXT_MAX = LONG ? 262_144 : 20_000;

  private static final List<String> ATOMS =
      List.of(
          "x",
          "[a-z]",
          ".",
          "(x?)",
          "(x*)",
          "\\pL",
          "\\w",
          "\\b",
          "^",
          "$",
          "(?i)x",
          "[^y]",
          "(x|xx|xxx)",
          "(?:x?)",
          "(|x)",
          "\\x{80}",
          "[\\pL\\pN]",
          "(?s).",
          "\\B",
          "(a|b|c|x)",
          "[\\x{0}-\\x{10FFFF}]",
          "(?i)[\\pL]",
          "\\C",
          "\\Q**\\E");
  private static final List<String> PARTS =
      List.of(
          "x", "xx", "y", "%25", "%78", "&", "a=b&", "${1}", "/", "[", "[1,", "{\"a\":", "é", "=",
          "-", "1", ".", " ", "*", "\u0000", "xy");

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final Random random = new Random(SEED);

  /** An expression and what it is asked about. */
  private record Case(String expression, FilterRequest request) {}

  private record Timed(long nanos, String what) {}

  @Test
  void noExpressionTakesMoreThanItsWork() {
    List<Timed> parsing = new ArrayList<>();
    List<Timed> matching = new ArrayList<>();
    int refused = 0;
    int stopped = 0;
    for (int i = 0; i < TRIES; i++) {
      Case tried = new Case(expression(), request());
      Boolean parsed = timed(parsing, tried.expression(), () -> parses(tried.expression()));
      if (!parsed) {
        refused++;
        continue;
      }
      Boolean ended = timed(matching, tried.expression(), () -> ends(tried));
      stopped += ended ? 0 : 1;
    }
    assertThat(refused + stopped).isLessThan(TRIES);
    if (!LONG) {
      return;
    }
    System.out.println(
        "seed " + SEED + ": " + TRIES + " tried, " + refused + " refused, " + stopped + " stopped");
    print("parsing", parsing);
    print("matching", matching);
  }

  private static boolean parses(String expression) {
    try {
      FilterExpression.parse(expression);
      return true;
    } catch (FilterSyntaxException e) {
      return false;
    }
  }

  private static boolean ends(Case tried) {
    try {
      FilterExpression.parse(tried.expression()).matches(tried.request());
      return true;
    } catch (FilterWorkException e) {
      return false;
    } catch (FilterSyntaxException e) {
      throw new AssertionError(e);
    }
  }

  /** Again where it took long, since the first time may be that of code not yet compiled. */
  private boolean timed(List<Timed> worst, String expression, BooleanSupplier work) {
    boolean result = false;
    long least = Long.MAX_VALUE;
    for (int runs = 0; runs == 0 || (LONG && least > SLOW_NANOS && runs < 4); runs++) {
      long start = threads.getCurrentThreadCpuTime();
      result = work.getAsBoolean();
      least = Math.min(least, threads.getCurrentThreadCpuTime() - start);
    }
    note(worst, least, expression);
    return result;
  }

  private static void note(List<Timed> worst, long nanos, String expression) {
    worst.add(new Timed(nanos, expression));
    if (worst.size() > 1_000) {
      keepWorst(worst);
    }
  }

  private static void keepWorst(List<Timed> worst) {
    worst.sort((a, b) -> Long.compare(b.nanos(), a.nanos()));
    worst.subList(Math.min(5, worst.size()), worst.size()).clear();
  }

  private static void print(String name, List<Timed> worst) {
    keepWorst(worst);
    for (Timed timed : worst) {
      String what = timed.what();
      System.out.println(
          name
              + " "
              + timed.nanos() / 1_000
              + " us: "
              + (what.length() > 300 ? what.substring(0, 300) + "... " + what.length() : what));
    }
  }

  private <T> T of(List<T> items) {
    return items.get(random.nextInt(items.size()));
  }

  private FilterRequest request() {
    FilterRequest request = FilterRequest.EMPTY;
    for (String field : List.of("http.user_agent", "http.cookie", "http.host")) {
      request = request.with(field, text(1 + random.nextInt(TEXT_MAX)));
    }
    List<String> items = Collections.nCopies(1 + random.nextInt(LONG ? 200_000 : 2_000), text(4));
    return request
        .with("http.request.headers.names", items)
        .with("http.request.headers.values", List.of(text(TEXT_MAX), text(TEXT_MAX)))
        .with("http.request.headers", Map.of("x", items, "y", List.of(text(TEXT_MAX))));
  }

  private String text(int length) {
    StringBuilder text = new StringBuilder();
    String part = of(PARTS);
    String other = random.nextBoolean() ? part : of(PARTS);
    while (text.length() < length) {
      text.append(random.nextInt(20) > 0 ? part : other);
    }
    return text.substring(0, length);
  }

  private String expression() {
    StringBuilder out = new StringBuilder(condition());
    int length = 1 + random.nextInt(4_000);
    String again = condition();
    while (out.length() + again.length() + 4 < length) {
      out.append(random.nextInt(4) > 0 ? " or " : " xor ").append(again);
      again = random.nextInt(4) > 0 ? again : condition();
    }
    return out.toString();
  }

  private String condition() {
    String operand = operand(random.nextInt(60));
    String each = "http.request.headers." + of(List.of("names", "values")) + "[*]";
    return switch (random.nextInt(12)) {
      case 0 -> operand + " contains \"" + literal() + "\"";
      case 1 -> operand + " wildcard \"*" + literal() + "*" + literal() + "*\"";
      case 2 -> operand + " in {\"" + literal() + "\" \"" + literal() + "\"}";
      case 3 -> "any(" + each + " matches \"" + regex() + "\")";
      case 4 -> "all(" + each + " contains \"" + literal() + "\")";
      case 5 -> "any(lower(" + each + ")[*] eq \"" + literal() + "\")";
      case 6 -> "len(join(http.request.headers.names, http.host)) eq 1";
      case 7 -> "any(split(" + operand + ", \"" + literal() + "\", 128)[*] eq \"x\")";
      case 8 -> "any(http.request.headers[*][*] contains \"" + literal() + "\")";
      default -> operand + " matches \"" + regex() + "\"";
    };
  }

  private String literal() {
    return "x".repeat(random.nextInt(random.nextInt(8) == 0 ? 1_500 : 12)) + "y";
  }

  private String regex() {
    StringBuilder out = new StringBuilder();
    for (int atoms = 1 + random.nextInt(4); atoms > 0; atoms--) {
      String atom = of(ATOMS).repeat(1 + random.nextInt(6));
      out.append('(').append(atom).append(')');
      out.append(
          switch (random.nextInt(6)) {
            case 0 -> "*";
            case 1 -> "+";
            case 2 -> "";
            default -> "{" + random.nextInt(3) + "," + (3 + random.nextInt(200)) + "}";
          });
    }
    return out.append(random.nextBoolean() ? "y1" : "").toString();
  }

  private String operand(int depth) {
    String operand = of(List.of("http.user_agent", "http.cookie", "http.host"));
    String same = random.nextBoolean() ? call(operand) : null;
    for (int i = 0; i < depth && operand.length() < 1_500; i++) {
      operand = same == null ? call(operand) : same.replace("http.user_agent", operand);
    }
    return operand;
  }

  private String call(String operand) {
    return switch (random.nextInt(15)) {
      case 0 -> "lower(" + operand + ")";
      case 1 -> "url_decode(" + operand + ", \"ru\")";
      case 2 -> "concat(" + operand + ", http.user_agent)";
      case 3 -> "remove_bytes(" + operand + ", http.cookie)";
      case 4 -> "regex_replace(" + operand + ", \"" + regex() + "\", \"${1}${1}\")";
      case 5 -> "wildcard_replace(" + operand + ", \"*/*\", \"${1}${1}/${2}\")";
      case 6 -> "remove_query_args(" + operand + ", \"a\", \"b\")";
      case 7 -> "lookup_json_string(" + operand + ", \"a\", 0)";
      case 8 -> "encode_base64(" + operand + ", \"up\")";
      case 9 -> "decode_base64(" + operand + ")";
      case 10 -> "sha256(" + operand + ")";
      case 11 -> "substring(" + operand + ", 1, -1)";
      case 12 -> "to_string(bit_slice(" + operand + ", 8, 63))";
      case 13 -> "uuidv4(" + operand + ")";
      default -> "upper(" + operand + ")";
    };
  }
}
