package dev.holdfast.benchmarks.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.benchmarks.harness.Report.Goal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The targets of {@code benchmarks/targets.json}: targets of topics, by the name of the figure.
 * Targets of the comparison with peers are in the same file.
 */
public final class Targets {

  /** The file, from the root of the project. */
  public static final Path FILE = Path.of("benchmarks/targets.json");

  private final List<Target> all;

  private Targets(List<Target> all) {
    this.all = all;
  }

  /**
   * What a figure has to be.
   *
   * @param figure its name
   * @param goal the direction
   * @param target the wanted value
   * @param bound the value that is accepted instead; 0 for none
   * @param reason why the bound is accepted; empty without one
   */
  public record Target(String figure, Goal goal, double target, double bound, String reason) {

    Outcome judge(double value) {
      if (goal.isMet(value, target)) {
        return Outcome.MET;
      }
      return bound > 0 && goal.isMet(value, bound) ? Outcome.AT_BOUND : Outcome.MISSED;
    }
  }

  /** Reads the file. */
  public static Targets read(Path file) throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    JsonNode figures = mapper.readTree(Files.readString(file)).required("figures");
    return new Targets(List.of(mapper.treeToValue(figures, Target[].class)));
  }

  /** {@return all of them} */
  public List<Target> all() {
    return all;
  }

  /**
   * {@return the target of a figure}
   *
   * @throws IllegalArgumentException if the file has none
   */
  public Target of(String figure) {
    return all.stream()
        .filter(each -> each.figure().equals(figure))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException(FILE + " has no figure \"" + figure + "\""));
  }
}
