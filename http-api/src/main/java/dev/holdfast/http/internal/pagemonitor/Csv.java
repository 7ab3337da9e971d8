package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.object.ZoneReply;
import java.util.List;

/** A list as CSV (RFC 4180): a line for the columns, then one line for each item. */
final class Csv {

  /**
   * A spreadsheet would interpret such a cell as a formula; the sender of a report chooses the
   * names.
   */
  private static final String FORMULA_SIGNS = "=+-@\t";

  private final StringBuilder out = new StringBuilder();

  Csv(List<String> columns) {
    row(columns);
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
    for (int i = 0; i < cells.size(); i++) {
      out.append(i == 0 ? "" : ",").append(cell(cells.get(i)));
    }
    out.append("\r\n");
  }

  private static String cell(String text) {
    if (!text.isEmpty() && FORMULA_SIGNS.indexOf(text.charAt(0)) >= 0) {
      return cell("'" + text);
    }
    boolean plain = text.chars().noneMatch(c -> c == '"' || c == ',' || c < ' ');
    return plain ? text : "\"" + text.replace("\"", "\"\"") + "\"";
  }

  ZoneReply reply() {
    return new ZoneReply(200, "text/csv; charset=utf-8", out.toString());
  }
}
