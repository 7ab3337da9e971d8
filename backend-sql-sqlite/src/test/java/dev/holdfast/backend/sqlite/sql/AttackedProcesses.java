package dev.holdfast.backend.sqlite.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.TestProcess;
import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Runs attacks in processes of their own; a process that dies is replaced by another. */
final class AttackedProcesses {

  static final String DIED = "the process died";
  private static final int DEATHS_MAX = 20;

  private final Path root;

  AttackedProcesses(Path root) {
    this.root = root;
  }

  /**
   * Runs attacks.
   *
   * @param isGuarded whether as statements of an object, or without anything between them and
   *     SQLite
   * @return their results, by their numbers; attacks without any effect are left out
   */
  Map<Integer, String> run(boolean isGuarded, List<Attack> attacks)
      throws IOException, InterruptedException {
    Path file = Files.createTempFile(root, "attacks", ".bin");
    try (DataOutputStream out =
        new DataOutputStream(new java.io.BufferedOutputStream(Files.newOutputStream(file)))) {
      Attack.write(attacks, out);
    }
    Map<Integer, String> effects = new TreeMap<>();
    int from = 0;
    for (int deaths = 0; from < attacks.size(); deaths++) {
      assertThat(deaths).as("deaths; the last of %s", effects).isLessThan(DEATHS_MAX);
      from = runFrom(from, isGuarded, file, effects);
    }
    return effects;
  }

  /** {@return the attack to continue with; after the last one at the end} */
  private int runFrom(int from, boolean isGuarded, Path attacks, Map<Integer, String> effects)
      throws IOException, InterruptedException {
    Process process = start(isGuarded, attacks, from);
    int at = from - 1;
    boolean isDone = false;
    StringBuilder output = new StringBuilder();
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (line.startsWith(AttackedProcess.AT)) {
          at = Integer.parseInt(line.substring(AttackedProcess.AT.length()));
        } else if (line.startsWith(AttackedProcess.EFFECT)) {
          effects.merge(
              at,
              line.substring(line.indexOf(' ', AttackedProcess.EFFECT.length()) + 1),
              (one, more) -> one + "; " + more);
        } else if (line.equals(AttackedProcess.DONE)) {
          isDone = true;
        } else {
          output.append(line).append('\n');
        }
      }
    }
    int code = process.waitFor();
    if (isDone) {
      return Integer.MAX_VALUE;
    }
    assertThat(at).as("%d: %s", code, output).isGreaterThanOrEqualTo(from);
    // An exception of the child is shown, and not mistaken for a death by a signal.
    effects.merge(at, DIED + " with " + code + first(output), (one, more) -> one + "; " + more);
    return at + 1;
  }

  private static String first(StringBuilder output) {
    return output.isEmpty() ? "" : ": " + output.toString().lines().limit(4).toList();
  }

  private Process start(boolean isGuarded, Path attacks, int from) throws IOException {
    // A report of the death would only cost time: the JVM waits up to 30 s for each of its parts,
    // as
    // the attack may have overwritten the memory that the report reads.
    return TestProcess.of(
            AttackedProcess.class,
            isGuarded ? "guarded" : "bare",
            attacks.toString(),
            root.toString(),
            String.valueOf(from))
        .options("-Xmx128m", "-XX:-CreateCoredumpOnCrash", "-XX:+SuppressFatalErrorMessage")
        .directory(Files.createTempDirectory(root, "empty"))
        .start();
  }
}
