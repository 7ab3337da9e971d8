package dev.holdfast.operate;

import dev.holdfast.launcher.PlainText;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * How an answer is printed: for people, or as one JSON document for programs. Populated by the
 * command line library.
 */
public final class Output {

  private static final JsonMapper LINE = JsonMapper.builder().build();
  private static final JsonMapper DOCUMENT =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  /** A table is as wide as its longest cell, so that one value could fill the memory. */
  private static final int SHOWN_CHARS_MAX = 4_096;

  @Option(names = "--json", description = "Prints one JSON document, for programs.")
  private boolean json;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec spec;

  /** Creates the option; called by the command line library. */
  public Output() {}

  /** {@return whether the answer is for programs} */
  public boolean isJson() {
    return json;
  }

  /** {@return where the verb prints} */
  public PrintWriter out() {
    return verb().commandLine().getOut();
  }

  private CommandSpec verb() {
    if (spec == null) {
      throw new IllegalStateException("The command line library has not set the verb.");
    }
    return spec;
  }

  /**
   * Prints a sentence for a person, beside the answer.
   *
   * @param sentence the sentence
   */
  public void note(String sentence) {
    verb().commandLine().getErr().println("holdfast: " + PlainText.lines(sentence));
  }

  /**
   * Prints the JSON document.
   *
   * @param document maps, lists, texts, numbers, booleans and null
   */
  public void printJson(@Nullable Object document) {
    out().println(PlainText.lines(DOCUMENT.writeValueAsString(document)));
    out().flush();
  }

  /**
   * Prints a table for people: the members of the first row are its columns.
   *
   * @param rows the rows
   */
  public void printTable(List<Map<String, @Nullable Object>> rows) {
    if (rows.isEmpty()) {
      return;
    }
    List<String> columns = List.copyOf(rows.getFirst().keySet());
    List<List<@Nullable Object>> cells = new ArrayList<>();
    rows.forEach(row -> cells.add(new ArrayList<>(columns.stream().map(row::get).toList())));
    printTable(columns, cells);
  }

  /**
   * Prints a table for people.
   *
   * @param columns the names of the columns
   * @param rows a value for each column
   */
  public void printTable(List<String> columns, List<List<@Nullable Object>> rows) {
    List<List<String>> lines = new ArrayList<>();
    lines.add(columns.stream().map(Output::text).toList());
    rows.forEach(row -> lines.add(row.stream().map(Output::text).toList()));
    int[] widths = new int[columns.size()];
    for (List<String> line : lines) {
      for (int column = 0; column < widths.length; column++) {
        widths[column] = Math.max(widths[column], line.get(column).length());
      }
    }
    for (List<String> line : lines) {
      StringBuilder padded = new StringBuilder();
      for (int column = 0; column < widths.length; column++) {
        String cell = line.get(column);
        padded.append(cell).append(" ".repeat(widths[column] - cell.length() + 2));
      }
      out().println(padded.toString().stripTrailing());
    }
    out().flush();
  }

  /**
   * Prints members for people, one a line; members of members are indented.
   *
   * @param members the members
   */
  public void printMembers(Map<String, ? extends @Nullable Object> members) {
    printMembers("", members);
    out().flush();
  }

  private void printMembers(String indent, Map<?, ? extends @Nullable Object> members) {
    members.forEach(
        (name, value) -> {
          switch (value) {
            case Map<?, ?> more -> {
              out().println(indent + text(name) + ":");
              printMembers(indent + "  ", more);
            }
            case List<?> list when !list.isEmpty() -> {
              out().println(indent + text(name) + ":");
              list.forEach(each -> out().println(indent + "  " + text(each)));
            }
            case null, default -> out().println(indent + text(name) + ": " + text(value));
          }
        });
  }

  /**
   * {@return a value in one line that shows nothing to the terminal but text, and not all of a long
   * one}
   */
  static String text(@Nullable Object value) {
    String text =
        switch (value) {
          case null -> "-";
          case String plain -> plain;
          case List<?> list when list.isEmpty() -> "-";
          case Map<?, ?> map -> LINE.writeValueAsString(map);
          case List<?> list -> LINE.writeValueAsString(list);
          default -> value.toString();
        };
    return text.length() <= SHOWN_CHARS_MAX
        ? PlainText.line(text)
        : PlainText.line(text.substring(0, SHOWN_CHARS_MAX))
            + "... ("
            + text.length()
            + " characters; --json prints all)";
  }
}
