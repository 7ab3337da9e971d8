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

  @Option(
      names = "--foreign",
      description =
          "Runs it within SqlLimits.FOREIGN, and shows the query plan and the rows read, too.")
  private boolean foreign;

  @Override
  OperatorRequest request() {
    OperatorRequest request = set(object).request("sql").with("sql", sql).with("limit", limit);
    return foreign ? request.with("foreign", true) : request;
  }

  @Override
  int print(List<Map<String, @Nullable Object>> answers, Output to) {
    Map<String, @Nullable Object> first = answers.getFirst();
    List<String> columns =
        ((List<?>) set(first.get("columns"))).stream().map(String::valueOf).toList();
    Map<String, @Nullable Object> more = new LinkedHashMap<>(first);
    more.remove("columns");
    print(more, columns, answers.subList(1, answers.size()), to);
    if (!to.isJson() && foreign) {
      to.printMembers(more);
    }
    return 0;
  }

  /** Prints rows. */
  static void print(
      Map<String, ? extends @Nullable Object> more,
      List<String> columns,
      List<Map<String, @Nullable Object>> answers,
      Output to) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (Map<String, @Nullable Object> answer : answers) {
      List<@Nullable Object> row = new ArrayList<>();
      for (Object value : (List<?>) set(answer.get("row"))) {
        row.add(plain(value));
      }
      rows.add(row);
    }
    if (to.isJson()) {
      Map<String, @Nullable Object> document = new LinkedHashMap<>(more);
      document.put("columns", columns);
      document.put("rows", rows);
      to.printJson(document);
    } else {
      to.printTable(columns, rows);
    }
  }
}
