package dev.holdfast.backend.sqlite.sql;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which pragmas may be used, with which arguments: those of the reference runtime. A pragma takes
 * effect while it is compiled, so these rules look at the words alone.
 */
final class PragmaRules {

  private static final Set<String> WITHOUT_ARGUMENT = Set.of("data_version", "page_size");
  private static final Set<String> SWITCHES =
      Set.of(
          "case_sensitive_like",
          "foreign_keys",
          "defer_foreign_keys",
          "ignore_check_constraints",
          "legacy_alter_table",
          "recursive_triggers",
          "reverse_unordered_selects");
  private static final Set<String> POSITIONS =
      Set.of("true", "false", "yes", "no", "on", "off", "1", "0");
  private static final Set<String> WORDS_FOR_ON = Set.of("true", "yes", "on");
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");
  private static final Set<String> WITH_NAME =
      Set.of(
          "foreign_key_list",
          "index_info",
          "index_list",
          "index_xinfo",
          "table_info",
          "table_xinfo");
  private static final Set<String> WITH_NAME_OR_NONE =
      Set.of("foreign_key_check", "table_list", "quick_check");

  /** SQLite takes it back at the end of each transaction. */
  private static final String WITHIN_TRANSACTION = "defer_foreign_keys";

  /** Writes statistics. */
  private static final String OPTIMIZE = "optimize";

  private static final String FUNCTION_PREFIX = "pragma_";

  private PragmaRules() {}

  /**
   * A pragma as it is written.
   *
   * @param name in lower case; empty if there is none, of which SQLite says what is wrong
   * @param arguments the tokens behind the name, without equal sign and brackets
   * @param hasArgument whether anything is behind the name
   */
  private record Pragma(String name, List<SqlToken> arguments, boolean hasArgument) {

    static Pragma of(List<SqlToken> tokens, int next) {
      boolean isQualified = next + 1 < tokens.size() && tokens.get(next + 1).isSign('.');
      int at = isQualified ? next + 2 : next;
      if (at >= tokens.size()) {
        return new Pragma("", List.of(), false);
      }
      List<SqlToken> arguments =
          tokens.subList(at + 1, tokens.size()).stream()
              .filter(token -> !token.isSign('=') && !token.isSign('(') && !token.isSign(')'))
              .toList();
      String name = tokens.get(at).text().toLowerCase(Locale.ROOT);
      return new Pragma(name, arguments, at + 1 < tokens.size());
    }

    /** The argument, where it is one word or number; empty otherwise. */
    String argument() {
      return arguments.size() == 1 ? arguments.getFirst().text() : "";
    }
  }

  /** Checks the pragma whose name, or whose schema's name, is at an index. */
  static void check(List<SqlToken> tokens, int next) {
    Pragma pragma = Pragma.of(tokens, next);
    if (!isAllowed(pragma)) {
      throw SqlRefusedException.notAuthorized("not authorized");
    }
  }

  private static boolean isAllowed(Pragma pragma) {
    String name = pragma.name();
    String argument = pragma.argument();
    if (name.isEmpty()) {
      return true;
    }
    if (WITHOUT_ARGUMENT.contains(name)) {
      return !pragma.hasArgument();
    }
    if (SWITCHES.contains(name)) {
      return !pragma.hasArgument() || isPosition(argument.toLowerCase(Locale.ROOT));
    }
    if (name.equals(OPTIMIZE)) {
      return !pragma.hasArgument() || isNumber(pragma.arguments());
    }
    boolean isName = !argument.isEmpty() && !HiddenNames.isHidden(argument);
    return (WITH_NAME.contains(name) && isName)
        || (WITH_NAME_OR_NONE.contains(name) && (isName || !pragma.hasArgument()));
  }

  /** As the reference looks at it: by its beginning. SQLite takes for off what it does not know. */
  private static boolean isPosition(String argument) {
    return POSITIONS.stream().anyMatch(argument::startsWith);
  }

  private static boolean isNumber(List<SqlToken> tokens) {
    boolean isNegative = tokens.size() == 2 && tokens.getFirst().isSign('-');
    if (tokens.size() != 1 && !isNegative) {
      return false;
    }
    SqlToken last = tokens.getLast();
    return last.kind() == SqlToken.Kind.OTHER && Character.isDigit(last.text().charAt(0));
  }

  /**
   * {@return whether a pragma needs a transaction: it writes, or what it switches ends with one, be
   * it that of a read} The others must not begin one, for within it that of foreign keys does
   * nothing.
   */
  static boolean mayWrite(List<SqlToken> tokens, int next) {
    Pragma pragma = Pragma.of(tokens, next);
    return pragma.name().equals(OPTIMIZE)
        || (pragma.name().equals(WITHIN_TRANSACTION) && pragma.hasArgument());
  }

  /** {@return the switch that a pragma sets; null if it sets none} */
  static @Nullable SwitchSet switchSet(List<SqlToken> tokens, int next) {
    Pragma pragma = Pragma.of(tokens, next);
    return pragma.hasArgument() && SWITCHES.contains(pragma.name())
        ? new SwitchSet(pragma.name(), !isOn(pragma.argument().toLowerCase(Locale.ROOT)))
        : null;
  }

  /** As SQLite reads it: a number in its lowest byte, and what is no word for on is off. */
  private static boolean isOn(String argument) {
    return NUMBER.matcher(argument).matches()
        ? (byte) Integer.parseInt(argument) != 0
        : WORDS_FOR_ON.contains(argument);
  }

  /** {@return whether a name is that of a pragma as a table} */
  static boolean isFunction(String name) {
    return name.regionMatches(true, 0, FUNCTION_PREFIX, 0, FUNCTION_PREFIX.length());
  }

  /** Checks the name of a pragma as a table. */
  static void checkFunction(String function) {
    String name = function.substring(FUNCTION_PREFIX.length()).toLowerCase(Locale.ROOT);
    // "optimize" would write from within a SELECT, for which no transaction is begun: SQLite would
    // commit behind the turn's back, and the journal would not have it.
    boolean isAllowed =
        WITHOUT_ARGUMENT.contains(name)
            || SWITCHES.contains(name)
            || WITH_NAME.contains(name)
            || WITH_NAME_OR_NONE.contains(name);
    if (!isAllowed) {
      throw SqlRefusedException.notAuthorized("not authorized");
    }
  }
}
