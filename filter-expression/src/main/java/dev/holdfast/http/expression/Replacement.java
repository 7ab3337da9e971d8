package dev.holdfast.http.expression;

import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The replacement text of the replace functions: {@code ${1}} to {@code ${8}} are groups and {@code
 * $$} is a dollar sign. Stateless.
 */
final class Replacement {

  private static final int GROUP_LENGTH = "${1}".length();

  private Replacement() {}

  /**
   * Appends a replacement in one pass: the text of a group comes from a visitor, and is not
   * expanded again. Ends early when the result exceeds the maximum length of a value.
   *
   * @param group the text of a group by its number; null if there is none, and the text stays
   */
  static void append(StringBuilder out, String template, IntFunction<@Nullable String> group) {
    int at = 0;
    while (at < template.length() && out.length() <= ExpressionBounds.VALUE_LENGTH_MAX) {
      String value = isGroup(template, at) ? group.apply(template.charAt(at + 2) - '0') : null;
      if (value != null) {
        out.append(value);
        at += GROUP_LENGTH;
      } else {
        out.append(template.charAt(at));
        at += template.startsWith("$$", at) ? 2 : 1;
      }
    }
  }

  private static boolean isGroup(String template, int at) {
    return template.startsWith("${", at)
        && at + GROUP_LENGTH <= template.length()
        && template.charAt(at + 2) >= '1'
        && template.charAt(at + 2) <= '8'
        && template.charAt(at + 3) == '}';
  }
}
