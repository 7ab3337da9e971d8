package dev.holdfast.benchmarks.harness;

import java.util.List;

/**
 * Several measurements of one number.
 *
 * @param median the middle one, or the mean of the two middle ones
 * @param min the minimum
 * @param max the maximum
 */
public record Spread(double median, double min, double max) {

  public static Spread of(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    double median =
        sorted.size() % 2 == 1
            ? sorted.get(middle)
            : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    return new Spread(median, sorted.getFirst(), sorted.getLast());
  }
}
