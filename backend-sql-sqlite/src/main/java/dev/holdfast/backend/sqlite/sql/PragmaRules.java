package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.words.AsciiCase;
import dev.holdfast.backend.sqlite.words.HiddenNames;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import dev.holdfast.backend.sqlite.words.SqlToken;
import dev.holdfast.backend.sqlite.words.SwitchSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which pragmas may be used, with which arguments: the pragmas of the reference runtime. A pragma
 * takes effect while it is compiled, so these rules use the tokens alone.
 */
final class PragmaRules {

  private static final String MAIN = "main";
  private static final String DATA_VERSION = "data_version";
  private static final Set<String> WITHOUT_ARGUMENT = Set.of(DATA_VERSION, "page_size");
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
  private static final Pattern MASK = Pattern.compile("0x[0-9a-f]+|[0-9]+");
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

  /** SQLite resets it at the end of each transaction. */
  private static final String WITHIN_TRANSACTION = "defer_foreign_keys";

  /** Writes statistics. */
  private static final String OPTIMIZE = "optimize";

  private static final String FUNCTION_PREFIX = "pragma_";

  private PragmaRules() {}

  /**
   * A pragma as it is written.
   *
   * @param name in lower case
   * @param argument the argument, without a sign before it; null if there is none
   * @param isNegative whether a minus is before it, which SQLite takes as a part of it
   */
  private record Pragma(String name, @Nullable SqlToken argument, boolean isNegative) {

    /**
     * Reads a pragma of exactly the form that SQLite accepts.
     *
     * @throws SqlRefusedException if it has another form
     */
    static Pragma of(List<SqlToken> tokens, String sql) {
      int next = 1;
      boolean isQualified = next + 1 < tokens.size() && tokens.get(next + 1).isSign('.');
      if (isQualified && !name(tokens, next, sql).lowerCase().equals(MAIN)) {
        throw SqlRefusedException.notAuthorizedBecause("An object has one database, \"main\".");
      }
      int at = isQualified ? next + 2 : next;
      String name = name(tokens, at, sql).lowerCase();
      if (at + 1 >= tokens.size()) {
        return new Pragma(name, null, false);
      }
      SqlToken sign = tokens.get(at + 1);
      if (!sign.isEqualSign() && !sign.isSign('(')) {
        throw SqlRefusedException.unexpected(sign.written());
      }
      int value = at + 2;
      boolean isSigned =
          value < tokens.size() && (tokens.get(value).isSign('-') || tokens.get(value).isSign('+'));
      if (isSigned) {
        value++;
      }
      int end = sign.isSign('(') ? value + 1 : value;
      if (value >= tokens.size()) {
        throw SqlRefusedException.incomplete(sql);
      }
      SqlToken argument = tokens.get(value);
      boolean isNumber = argument.kind() == SqlToken.Kind.NUMBER;
      if (!isNumber && (isSigned || !argument.mayBeName())) {
        throw SqlRefusedException.unexpected(argument.written());
      }
      if (end >= tokens.size()) {
        throw SqlRefusedException.incomplete(sql);
      }
      if (end > value && !tokens.get(end).isSign(')')) {
        throw SqlRefusedException.unexpected(tokens.get(end).written());
      }
      if (end + 1 < tokens.size()) {
        throw SqlRefusedException.unexpected(tokens.get(end + 1).written());
      }
      boolean isNegative = isSigned && tokens.get(value - 1).isSign('-');
      return new Pragma(name, argument, isNegative);
    }

    private static SqlToken name(List<SqlToken> tokens, int at, String sql) {
      if (at >= tokens.size()) {
        throw SqlRefusedException.incomplete(sql);
      }
      SqlToken name = tokens.get(at);
      if (!name.mayBeName()) {
        throw SqlRefusedException.unexpected(name.written());
      }
      return name;
    }

    boolean hasArgument() {
      return argument != null;
    }

    boolean hasMask() {
      return argument != null
          && argument.kind() == SqlToken.Kind.NUMBER
          && MASK.matcher(argument.lowerCase()).matches();
    }

    /** The argument in lower case; empty if there is none. */
    String position() {
      return argument == null ? "" : argument.lowerCase();
    }
  }

  /**
   * {@return whether a pragma that was accepted asks for the version of the data, which changes
   * when another connection has written}
   */
  static boolean asksDataVersion(List<SqlToken> tokens) {
    boolean hasArgument = tokens.size() != (tokens.size() > 2 && tokens.get(2).isSign('.') ? 4 : 2);
    return !hasArgument && tokens.getLast().lowerCase().equals(DATA_VERSION);
  }

  /** Checks a pragma; its text is used in the refusal. */
  static void check(List<SqlToken> tokens, String sql) {
    Pragma pragma = Pragma.of(tokens, sql);
    if (!isAllowed(pragma)) {
      throw SqlRefusedException.notAuthorizedBecause(
          "The pragma "
              + pragma.name()
              + " is not available: the runtime sets up the database of an object.");
    }
  }

  private static boolean isAllowed(Pragma pragma) {
    String name = pragma.name();
    if (WITHOUT_ARGUMENT.contains(name)) {
      return !pragma.hasArgument();
    }
    if (SWITCHES.contains(name)) {
      return !pragma.hasArgument() || (!pragma.isNegative() && isPosition(pragma.position()));
    }
    if (name.equals(OPTIMIZE)) {
      return !pragma.hasArgument() || pragma.hasMask();
    }
    boolean isName = pragma.hasArgument() && !HiddenNames.isHidden(pragma.position());
    return (WITH_NAME.contains(name) && isName)
        || (WITH_NAME_OR_NONE.contains(name) && (isName || !pragma.hasArgument()));
  }

  /** As the reference reads it: by its beginning. SQLite treats unknown values as off. */
  private static boolean isPosition(String argument) {
    return POSITIONS.stream().anyMatch(argument::startsWith);
  }

  /**
   * {@return whether a pragma needs a transaction: it writes, or its switch ends with a
   * transaction, even one that only reads} The others must not begin one, because within it the
   * pragma of foreign keys does nothing.
   */
  static boolean mayWrite(List<SqlToken> tokens) {
    Pragma pragma = Pragma.of(tokens, "");
    return pragma.name().equals(OPTIMIZE)
        || (pragma.name().equals(WITHIN_TRANSACTION) && pragma.hasArgument());
  }

  /** {@return the switch that a pragma sets; null if it sets none} */
  static @Nullable SwitchSet switchSet(List<SqlToken> tokens) {
    Pragma pragma = Pragma.of(tokens, "");
    return pragma.hasArgument() && SWITCHES.contains(pragma.name())
        ? new SwitchSet(pragma.name(), !isOn(pragma.position()))
        : null;
  }

  /** As SQLite reads it: a number by its lowest byte; any text that does not mean on is off. */
  private static boolean isOn(String argument) {
    return NUMBER.matcher(argument).matches()
        ? (byte) Integer.parseInt(argument) != 0
        : WORDS_FOR_ON.contains(argument);
  }

  /** {@return whether a name belongs to a pragma as a table} */
  static boolean isFunction(String name) {
    return AsciiCase.startsWith(name, FUNCTION_PREFIX, 0);
  }

  /** Checks the name of a pragma as a table. */
  static void checkFunction(String function) {
    String name = AsciiCase.lower(function.substring(FUNCTION_PREFIX.length()));
    // "optimize" would write from within a SELECT, for which no transaction is begun: SQLite would
    // commit unnoticed by the turn, and the journal would not have the commit.
    boolean isAllowed =
        WITHOUT_ARGUMENT.contains(name)
            || SWITCHES.contains(name)
            || WITH_NAME.contains(name)
            || WITH_NAME_OR_NONE.contains(name);
    if (!isAllowed) {
      throw SqlRefusedException.notAuthorizedBecause(
          "The pragma " + name + " is not available as a table.");
    }
  }
}
