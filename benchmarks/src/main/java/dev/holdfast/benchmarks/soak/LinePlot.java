package dev.holdfast.benchmarks.soak;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A value over time, or over the size of the data. */
final class LinePlot {

  /** Where a value is, from 0 to 1, and what it is. */
  private record Point(double at, double value) {}

  private static final int WIDTH = 860;
  private static final int HEIGHT = 240;
  private static final int LEFT = 80;
  private static final int RIGHT = 20;
  private static final int TOP = 40;
  private static final int BOTTOM = 30;

  private LinePlot() {}

  static String of(Gauge gauge, List<Sample> samples) {
    double end = samples.getLast().seconds();
    return of(
        gauge.title(),
        samples.stream().map(each -> new Point(each.seconds() / end, gauge.of(each))).toList(),
        String.format(Locale.ROOT, "%,.0f s", end));
  }

  /**
   * {@return how a gauge depends on the data} {@code times} says how large it is beside the caches.
   */
  static String ofGrowth(Gauge gauge, int[] times, List<Sample> samples) {
    List<Point> points = new ArrayList<>();
    for (Sample each : samples) {
      points.add(new Point((double) points.size() / (samples.size() - 1), gauge.of(each)));
    }
    String end =
        Arrays.stream(times)
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(", ", "", " times the caches"));
    return of(gauge.title() + ", by the data", points, end);
  }

  private static String of(String title, List<Point> line, String end) {
    double greatest = line.stream().mapToDouble(Point::value).max().orElse(1);
    double top = greatest > 0 ? greatest * 1.1 : 1;
    StringBuilder points = new StringBuilder();
    for (Point each : line) {
      points.append(
          String.format(
              Locale.ROOT,
              "%.1f,%.1f ",
              LEFT + each.at() * (WIDTH - LEFT - RIGHT),
              y(each.value(), top)));
    }
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">%n"
            .formatted(WIDTH, HEIGHT));
    svg.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    svg.append("<text x=\"10\" y=\"22\" font-size=\"14\">%s</text>%n".formatted(title));
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
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#666\">%s</text>%n",
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
