package dev.holdfast.verify;

import dev.holdfast.spi.verify.Finding;
import java.nio.file.Path;
import java.util.List;

/**
 * The result of a repair. Immutable.
 *
 * @param directory the directory that was repaired: the copy, or the original if it was asked for
 * @param steps what was done, as sentences, in order
 * @param losses what the repaired directory lacks, as sentences
 * @param left what a check of the repaired directory finds
 */
public record RepairReport(
    Path directory, List<String> steps, List<String> losses, List<Finding> left) {

  /**
   * Creates a report.
   *
   * @param steps what was done; copied
   * @param losses what is lacking; copied
   * @param left what is found; copied
   */
  public RepairReport {
    steps = List.copyOf(steps);
    losses = List.copyOf(losses);
    left = List.copyOf(left);
  }

  /** {@return whether nothing is lost and nothing is left to repair} */
  public boolean isComplete() {
    return losses.isEmpty() && left.stream().noneMatch(Finding::counts);
  }
}
