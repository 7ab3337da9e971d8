package dev.holdfast.benchmarks.compare;

import dev.holdfast.benchmarks.compare.Comparison.Row;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Spread;
import java.util.List;
import java.util.Locale;

/** A bar for each peer, on a logarithmic scale, with the least and the greatest round. */
final class Plot {

  private static final int WIDTH = 860;
  private static final int LEFT = 180;
  private static final int BAR = 18;
  private static final int STEP = 28;
  private static final int TOP = 40;
  private static final int RIGHT = 110;

  private Plot() {}

  static String of(Workload workload, List<Row> rows) {
    double least = rows.stream().mapToDouble(row -> rate(row).min()).min().orElse(1);
    double greatest = rows.stream().mapToDouble(row -> rate(row).max()).max().orElse(10);
    double from = Math.floor(Math.log10(Math.max(1, least)));
    double to = Math.max(from + 1, Math.ceil(Math.log10(Math.max(1, greatest))));
    int height = TOP + rows.size() * STEP + 30;
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">%n"
            .formatted(WIDTH, height));
    svg.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    svg.append(
        "<text x=\"10\" y=\"22\" font-size=\"14\">%s, operations a second</text>%n"
            .formatted(workload.title()));
    for (int power = (int) from; power <= to; power++) {
      double x = x(Math.pow(10, power), from, to);
      svg.append(
          String.format(
              Locale.ROOT,
              "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#ddd\"/>%n"
                  + "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" fill=\"#666\">%,.0f</text>%n",
              x,
              TOP - 8,
              x,
              height - 26,
              x,
              height - 10,
              Math.pow(10, power)));
    }
    for (int i = 0; i < rows.size(); i++) {
      svg.append(bar(rows.get(i), TOP + i * STEP, from, to));
    }
    return svg.append("</svg>\n").toString();
  }

  private static String bar(Row row, int y, double from, double to) {
    Spread rate = rate(row);
    double end = x(rate.median(), from, to);
    int middle = y + BAR / 2;
    return String.format(
        Locale.ROOT,
        "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>%n"
            + "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n"
            + "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"black\"/>%n"
            + "<text x=\"%.1f\" y=\"%d\">%s</text>%n",
        LEFT - 8,
        y + BAR - 4,
        row.peer() + (row.isDurable() ? "" : " (syncs less)"),
        LEFT,
        y,
        Math.max(1, end - LEFT),
        BAR,
        row.peer().startsWith("Holdfast") ? "#2b6cb0" : "#a0aec0",
        x(rate.min(), from, to),
        middle,
        x(rate.max(), from, to),
        middle,
        Math.max(end, x(rate.max(), from, to)) + 6,
        y + BAR - 4,
        Results.rounded(rate.median()));
  }

  private static Spread rate(Row row) {
    return row.series().of(Measured::perSecond);
  }

  private static double x(double value, double from, double to) {
    double share = (Math.log10(Math.max(1, value)) - from) / (to - from);
    return LEFT + Math.max(0, share) * (WIDTH - LEFT - RIGHT);
  }
}
