package dev.holdfast.benchmarks.harness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The number and duration of measured rounds.
 *
 * @param count rounds of each side; the median of three survives one disturbed round
 * @param duration of a round: over a second, so that many groups, checkpoints and collections fall
 *     into each
 */
public record Rounds(int count, Duration duration) {

  /** The rounds of the recorded figures. */
  public static final Rounds RECORDED = new Rounds(3, Duration.ofMillis(1_200));

  /** One side of a comparison. */
  public interface Side {

    /** {@return the name in the table} */
    String name();

    /** Measures for a time. */
    Measured measure(Duration duration) throws Exception;

    /** Runs the discarded round. */
    default void warmUp(Duration round) throws Exception {
      measure(round);
    }
  }

  /** {@return these rounds with another duration} */
  public Rounds lasting(Duration other) {
    return new Rounds(count, other.compareTo(duration) < 0 ? other : duration);
  }

  /**
   * Measures all sides alternately, A B A B, after one discarded round of each, which compiles the
   * code and touches all files.
   */
  public List<Series> interleave(List<? extends Side> sides) throws Exception {
    List<List<Measured>> measured = new ArrayList<>();
    for (Side side : sides) {
      side.warmUp(duration);
      measured.add(new ArrayList<>());
    }
    for (int round = 0; round < count; round++) {
      for (int i = 0; i < sides.size(); i++) {
        measured.get(i).add(sides.get(i).measure(duration));
      }
    }
    List<Series> series = new ArrayList<>();
    for (int i = 0; i < sides.size(); i++) {
      series.add(new Series(sides.get(i).name(), List.copyOf(measured.get(i))));
    }
    return series;
  }
}
