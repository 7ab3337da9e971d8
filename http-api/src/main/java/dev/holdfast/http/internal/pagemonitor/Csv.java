package dev.holdfast.http.internal.pagemonitor;

import de.siegmar.fastcsv.writer.CsvWriter;
import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.object.ZoneReply;
import java.io.StringWriter;
import java.util.List;

/** A list as CSV (RFC 4180): a line for the columns, then one line for each item. */
final class Csv {

  /**
   * A spreadsheet would interpret such a cell as a formula; the sender of a report chooses the
   * names.
   */
  private static final String FORMULA_SIGNS = "=+-@\t";

  private final StringWriter out = new StringWriter();
  private final CsvWriter writer = CsvWriter.builder().bufferSize(0).build(out);

  Csv(List<String> columns) {
    writer.writeRecord(columns);
  }

  /** {@return whether the whole list is requested as CSV} */
  static boolean isWanted(Query query) {
    String export = query.text("export");
    if (export == null) {
      return false;
    }
    if (!export.equals("csv")) {
      throw ApiException.badParameter("export", "csv");
    }
    if (query.text("page") != null || query.text("per_page") != null) {
      throw ApiException.badParameter("export", "without page and per_page");
    }
    return true;
  }

  void row(List<String> cells) {
    writer.writeRecord(
        cells.stream()
            .map(c -> !c.isEmpty() && FORMULA_SIGNS.indexOf(c.charAt(0)) >= 0 ? "'" + c : c)
            .toList());
  }

  ZoneReply reply() {
    return new ZoneReply(200, "text/csv; charset=utf-8", out.toString());
  }
}
