package dev.holdfast.operate.inspect;

import dev.holdfast.operate.Output;
import dev.holdfast.operator.OperatorRequest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The verb {@code inspect table}. Populated by the command line library. */
@Command(
    name = "table",
    description = {
      "Shows rows of a table of an object, in the order of its key or of a column.",
      "Pages follow the values of rows: --after continues behind the last row, also if others were"
          + " added or deleted meanwhile. Blobs are shown in base64."
    },
    footer = {
      "",
      "Example: ./holdfast inspect table accounts alice sent --sort amount --descending --data"
          + " data/demo"
    })
final class TableVerb extends InspectVerb {

  @Mixin private @Nullable ObjectArgument object;
  @Mixin private PastVerb.@Nullable Moment moment;

  @Parameters(index = "2", paramLabel = "TABLE", description = "The table.")
  private @Nullable String table;

  @Option(names = "--sort", paramLabel = "COLUMN", description = "Sorts by this column.")
  private @Nullable String sort;

  @Option(names = "--descending", description = "Shows the largest first.")
  private boolean descending;

  @Option(names = "--after", paramLabel = "END", description = "Continues behind this row.")
  private @Nullable String after;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "At most this many rows; default and maximum: 1000.")
  private @Nullable Long limit;

  @Option(names = "--schema", description = "Shows the columns and indexes instead of rows.")
  private boolean schema;

  @Override
  OperatorRequest request() {
    return set(object)
        .request("table")
        .with("table", table)
        .with("sort", sort)
        .with("descending", descending)
        .with("after", after)
        .with("limit", limit)
        .with("schema", schema)
        .with("at", set(moment).text());
  }

  @Override
  int print(List<Map<String, @Nullable Object>> answers, Output to) {
    Map<String, @Nullable Object> about = answers.getFirst();
    if (schema) {
      if (to.isJson()) {
        to.printJson(about);
      } else {
        to.printMembers(about);
      }
      return 0;
    }
    List<String> columns =
        ((List<?>) set(about.get("columns")))
            .stream().map(each -> String.valueOf(((Map<?, ?>) each).get("name"))).toList();
    SqlVerb.print(Map.of(), columns, answers.subList(1, answers.size()), to);
    if (about.get("next") != null) {
      to.note("There are more rows; continue with --after " + about.get("next"));
    } else if (about.get("more") != null) {
      to.note("There are more rows; sort by a column with shorter values to see them.");
    }
    return 0;
  }
}
