package dev.holdfast.operate.inspect;

import dev.holdfast.operate.Output;
import dev.holdfast.operator.OperatorRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The verb {@code inspect sql}. Populated by the command line library. */
@Command(
    name = "sql",
    description = "Runs a SQL statement that reads. Blobs are shown in base64.",
    footer = {
      "",
      "Example: ./holdfast inspect sql accounts alice \"SELECT count(*) FROM entry\" --data"
          + " data/demo"
    })
final class SqlVerb extends InspectVerb {

  @Mixin private @Nullable ObjectArgument object;

  @Parameters(index = "2", paramLabel = "SQL", description = "The statement.")
  private @Nullable String sql;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "At most this many rows; default: 1000.")
  private @Nullable Long limit;

  @Override
  OperatorRequest request() {
    return set(object).request("sql").with("sql", sql).with("limit", limit);
  }

  @Override
  int print(List<Map<String, @Nullable Object>> answers, Output to) {
    printRows(answers, to);
    return 0;
  }

  /** Prints the columns of the first answer and the rows of the others. */
  static void printRows(List<Map<String, @Nullable Object>> answers, Output to) {
    List<?> columns = (List<?>) set(answers.getFirst().get("columns"));
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (Map<String, @Nullable Object> answer : answers.subList(1, answers.size())) {
      List<@Nullable Object> row = new ArrayList<>();
      for (Object value : (List<?>) set(answer.get("row"))) {
        row.add(plain(value));
      }
      rows.add(row);
    }
    if (to.isJson()) {
      Map<String, @Nullable Object> document = new LinkedHashMap<>();
      document.put("columns", columns);
      document.put("rows", rows);
      to.printJson(document);
    } else {
      to.printTable(columns.stream().map(String::valueOf).toList(), rows);
    }
  }
}
