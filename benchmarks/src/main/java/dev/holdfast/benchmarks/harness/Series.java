package dev.holdfast.benchmarks.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The rounds of one side of a comparison, in the order in which they ran.
 *
 * @param name the side
 * @param rounds without the warm-up; at least one
 */
public record Series(String name, List<Measured> rounds) {

  /** {@return the spread of one number over the rounds} */
  public Spread of(ToDoubleFunction<Measured> number) {
    return Spread.of(rounds.stream().map(number::applyAsDouble).toList());
  }

  /**
   * Returns how many times faster this side was, round by round: rounds of the same number ran next
   * to each other, so what slows the machine for seconds slows both.
   *
   * @param peer measured in the same run
   * @return the spread of the ratios
   */
  public Spread rateRatio(Series peer) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < rounds.size(); i++) {
      ratios.add(rounds.get(i).perSecond() / peer.rounds().get(i).perSecond());
    }
    return Spread.of(ratios);
  }

  /** {@return this side's median latency divided by another's, round by round} */
  public Spread latencyRatio(Series peer) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < rounds.size(); i++) {
      ratios.add((double) rounds.get(i).p50Nanos() / peer.rounds().get(i).p50Nanos());
    }
    return Spread.of(ratios);
  }

  /** {@return this side's 99th percentile divided by another's, round by round} */
  public Spread tailRatio(Series peer) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < rounds.size(); i++) {
      ratios.add((double) rounds.get(i).p99Nanos() / peer.rounds().get(i).p99Nanos());
    }
    return Spread.of(ratios);
  }

  /** {@return this side's processor time of an operation divided by another's, round by round} */
  public Spread cpuRatio(Series peer) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < rounds.size(); i++) {
      ratios.add(
          rounds.get(i).cpuMicrosPerOperation() / peer.rounds().get(i).cpuMicrosPerOperation());
    }
    return Spread.of(ratios);
  }
}
