package dev.holdfast.benchmarks.all;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * {@code ./holdfast bench docs}: writes the tables of the newest results into the marked block of
 * {@code docs/benchmarks.md}.
 */
public final class DocsCommand {

  static final String BEGIN = "<!-- newest results: begin; written by ./holdfast bench docs -->";
  static final String END = "<!-- newest results: end -->";

  /** The figures that have targets; the page has their table. */
  private static final String JUDGED = "judged";

  /** Those whose tables are in their own pages, which the page links. */
  private static final List<String> LINKED = List.of("compare", "cluster", "soak");

  private DocsCommand() {}

  /**
   * Writes the block.
   *
   * @param root the root of the project
   */
  public static void run(Path root) throws IOException {
    Path page = root.resolve("docs/benchmarks.md");
    Files.writeString(
        page, replaced(Files.readString(page), block(root.resolve("benchmarks/results"))));
  }

  /** {@return the page with another block} */
  static String replaced(String page, String block) {
    int begin = page.indexOf(BEGIN);
    int end = page.indexOf(END);
    if (begin < 0 || end < begin) {
      throw new IllegalArgumentException("The page has no block between " + BEGIN + " and " + END);
    }
    return page.substring(0, begin + BEGIN.length()) + "\n" + block + page.substring(end);
  }

  /** {@return the table of the figures that have targets, and links to the newest other results} */
  static String block(Path results) throws IOException {
    StringBuilder block = new StringBuilder();
    Optional<Path> judged = newest(results, JUDGED);
    if (judged.isPresent()) {
      append(judged.get(), block);
    }
    for (String kind : LINKED) {
      newest(results, kind)
          .ifPresent(each -> block.append("\n- ").append(link(String.valueOf(each.getFileName()))));
    }
    return block.append("\n\n").toString();
  }

  private static Optional<Path> newest(Path results, String kind) throws IOException {
    try (Stream<Path> all = Files.list(results)) {
      return all.filter(each -> each.getFileName().toString().endsWith("-" + kind))
          .max(Path::compareTo);
    }
  }

  private static String link(String name) {
    return "[" + name + "](../benchmarks/results/" + name + "/README.md)";
  }

  /** What stays in a result's own page, and all that follows it. */
  private static final List<String> NOT_HERE =
      List.of(
          "| Rows | Side | Per second (least to most) | p50 us | p99 us | CPU us | Syncs |",
          "## What was measured",
          "## Plots");

  /** A result's page: its command, where it ran, and its tables. */
  private static void append(Path result, StringBuilder block) throws IOException {
    String name = String.valueOf(result.getFileName());
    block.append('\n').append(link(name)).append(":\n");
    boolean first = true;
    for (String line : Files.readAllLines(result.resolve("README.md"))) {
      if (NOT_HERE.contains(line)) {
        break;
      }
      if (!first) {
        // A section of this page's block.
        block.append(line.startsWith("#") ? "##" + line : line).append('\n');
      }
      first = false;
    }
  }
}
