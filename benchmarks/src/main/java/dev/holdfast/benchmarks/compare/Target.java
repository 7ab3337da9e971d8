package dev.holdfast.benchmarks.compare;

import dev.holdfast.benchmarks.harness.Outcome;

/**
 * What a row of the comparison has to show: how many times the rate of a peer a side of ours has at
 * the least.
 *
 * @param workload the title of the workload
 * @param side ours
 * @param peer the peer
 * @param atLeast the wanted ratio
 * @param bound the ratio that is accepted instead; 0 for none
 * @param reason why the bound is accepted; empty without one
 */
public record Target(
    String workload, String side, String peer, double atLeast, double bound, String reason) {

  Outcome judge(double ratio) {
    if (ratio >= atLeast) {
      return Outcome.MET;
    }
    return bound > 0 && ratio >= bound ? Outcome.AT_BOUND : Outcome.MISSED;
  }
}
