package dev.holdfast.operate.manual;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** A man page, in the macros of {@code man(7)}, made from the options of a verb. Immutable. */
final class ManPage {

  private static final String EXAMPLE = "Example: ";
  private static final String EXIT_CODE = "Exit code ";

  private final CommandSpec verb;

  ManPage(CommandSpec verb) {
    this.verb = verb;
  }

  /** {@return the name of the page, such as {@code holdfast-inspect-get}} */
  String name() {
    return nameOf(verb);
  }

  private static String nameOf(CommandSpec verb) {
    return verb.qualifiedName("-");
  }

  /** {@return the page} */
  String text() {
    StringBuilder page = new StringBuilder();
    List<String> sentences = new ArrayList<>(Arrays.asList(verb.usageMessage().description()));
    sentences.addAll(Arrays.asList(verb.usageMessage().footer()));
    List<String> examples = take(sentences, EXAMPLE);
    List<String> exitCodes = take(sentences, EXIT_CODE);
    sentences.removeIf(String::isEmpty);

    page.append(".TH ").append(name().toUpperCase(Locale.ROOT)).append(" 1 \"\" Holdfast\n");
    section(page, "NAME", name() + " - " + firstSentence(sentences.getFirst()));
    page.append(".SH SYNOPSIS\n.nf\n").append(escaped(synopsis())).append("\n.fi\n");
    section(page, "DESCRIPTION", String.join(" ", sentences));
    if (!verb.positionalParameters().isEmpty() || !verb.options().isEmpty()) {
      page.append(".SH OPTIONS\n");
      verb.positionalParameters().forEach(each -> parameter(page, each));
      verb.options().forEach(each -> option(page, each));
    }
    if (!verb.subcommands().isEmpty()) {
      page.append(".SH VERBS\n");
      verb.subcommands().values().forEach(each -> entry(page, each));
    }
    String codes =
        exitCodes.isEmpty()
            ? "0: all well; 1: a check or the run failed; 2: wrong usage."
            : exitCodes.getFirst();
    section(page, "EXIT STATUS", codes);
    if (!examples.isEmpty()) {
      page.append(".SH EXAMPLES\n.nf\n");
      examples.forEach(each -> page.append(escaped(each)).append('\n'));
      page.append(".fi\n");
    }
    return page.toString();
  }

  /** Removes the sentences that begin like this. */
  private static List<String> take(List<String> sentences, String beginning) {
    List<String> taken =
        sentences.stream()
            .filter(each -> each.startsWith(beginning))
            .map(each -> each.substring(beginning.length()))
            .toList();
    sentences.removeIf(each -> each.startsWith(beginning));
    return taken;
  }

  private static String firstSentence(String text) {
    int end = text.indexOf(". ");
    return end < 0 ? text : text.substring(0, end + 1);
  }

  private String synopsis() {
    CommandLine.Help help =
        new CommandLine.Help(verb, CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
    return help.synopsis(0).strip();
  }

  private static void section(StringBuilder page, String title, String text) {
    page.append(".SH \"").append(title).append("\"\n").append(escaped(text)).append('\n');
  }

  private static void parameter(StringBuilder page, PositionalParamSpec parameter) {
    item(page, parameter.paramLabel(), String.join(" ", parameter.description()));
  }

  private static void option(StringBuilder page, OptionSpec option) {
    String names = String.join(", ", option.names());
    boolean hasValue = option.arity().max() > 0;
    item(
        page,
        hasValue ? names + "=" + option.paramLabel() : names,
        String.join(" ", option.description()));
  }

  private static void entry(StringBuilder page, CommandLine verb) {
    CommandSpec spec = verb.getCommandSpec();
    item(page, nameOf(spec) + "(1)", firstSentence(spec.usageMessage().description()[0]));
  }

  private static void item(StringBuilder page, String term, String text) {
    page.append(".TP\n\\fB").append(escaped(term)).append("\\fR\n");
    page.append(escaped(text)).append('\n');
  }

  /** No text of ours is a command of the formatter, and a hyphen can be copied as one. */
  private static String escaped(String text) {
    return text.replace("\\", "\\e").replace("-", "\\-").replaceAll("(?m)^([.'])", "\\\\&$1");
  }
}
