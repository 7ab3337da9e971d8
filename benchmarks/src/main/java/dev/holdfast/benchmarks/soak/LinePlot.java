package dev.holdfast.benchmarks.soak;

import java.util.List;
import java.util.Locale;

/** A value over time. */
final class LinePlot {

  private static final int WIDTH = 860;
  private static final int HEIGHT = 240;
  private static final int LEFT = 80;
  private static final int RIGHT = 20;
  private static final int TOP = 40;
  private static final int BOTTOM = 30;

  private LinePlot() {}

  static String of(Gauge gauge, List<Sample> samples) {
    double end = samples.getLast().seconds();
    double greatest = samples.stream().mapToDouble(gauge::of).max().orElse(1);
    double top = greatest > 0 ? greatest * 1.1 : 1;
    StringBuilder points = new StringBuilder();
    for (Sample each : samples) {
      points.append(
          String.format(
              Locale.ROOT,
              "%.1f,%.1f ",
              LEFT + each.seconds() / end * (WIDTH - LEFT - RIGHT),
              y(gauge.of(each), top)));
    }
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">%n"
            .formatted(WIDTH, HEIGHT));
    svg.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    svg.append("<text x=\"10\" y=\"22\" font-size=\"14\">%s</text>%n".formatted(gauge.title()));
    for (double mark : new double[] {0, top / 2, top}) {
      svg.append(
          String.format(
              Locale.ROOT,
              "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/>%n"
                  + "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"#666\">%,.0f</text>%n",
              LEFT,
              y(mark, top),
              WIDTH - RIGHT,
              y(mark, top),
              LEFT - 6,
              y(mark, top) + 4,
              mark));
    }
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#666\">%,.0f s</text>%n",
            WIDTH - RIGHT,
            HEIGHT - 10,
            end));
    svg.append(
        "<polyline points=\"%s\" fill=\"none\" stroke=\"#2b6cb0\" stroke-width=\"1.5\"/>%n"
            .formatted(points.toString().strip()));
    return svg.append("</svg>\n").toString();
  }

  private static double y(double value, double top) {
    return HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM);
  }
}
