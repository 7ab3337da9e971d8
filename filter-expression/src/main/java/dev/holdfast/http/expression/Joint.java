package dev.holdfast.http.expression;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/** The operators that join booleans. */
enum Joint {
  OR("or", "||"),
  XOR("xor", "^^"),
  AND("and", "&&");

  static final List<Joint> LOOSEST_FIRST = List.of(values());

  private final String word;
  private final String sign;

  Joint(String word, String sign) {
    this.word = word;
    this.sign = sign;
  }

  String word() {
    return word;
  }

  String sign() {
    return sign;
  }

  /** Asks for no more parts than the result depends on. */
  <T> boolean of(List<T> parts, Predicate<T> test) {
    boolean result = this == AND;
    for (T part : parts) {
      boolean holds = test.test(part);
      if (this == XOR) {
        result ^= holds;
      } else if (holds != result) {
        return holds;
      }
    }
    return result;
  }

  <T> void print(List<T> parts, BiConsumer<T, StringBuilder> part, StringBuilder out) {
    for (int i = 0; i < parts.size(); i++) {
      out.append(i == 0 ? "" : " " + word + " ");
      part.accept(parts.get(i), out);
    }
  }
}
