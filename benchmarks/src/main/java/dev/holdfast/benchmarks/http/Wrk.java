package dev.holdfast.benchmarks.http;

import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.Measured;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The load generator {@code wrk}, a separate process: its processor time is not counted, but on a
 * machine with few processors it takes an equal share from every side.
 */
final class Wrk {

  /** Two threads generate more load than a small machine can answer. */
  private static final int THREADS = 2;

  private static final Pattern RESULT =
      Pattern.compile("RESULT (\\d+) (\\d+) (\\d+) (\\d+) (\\d+)");

  /** The end of each script: prints the figures in one line, times in microseconds. */
  private static final String DONE =
      """

      function done(summary, latency, requests)
        local e = summary.errors
        print(string.format("RESULT %d %d %d %d %d", summary.requests, summary.duration,
          latency:percentile(50), latency:percentile(99),
          e.connect + e.read + e.write + e.status + e.timeout))
      end
      """;

  private final int connections;

  Wrk(int connections) {
    this.connections = connections;
  }

  static boolean isInstalled() {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, "wrk")));
  }

  /**
   * Runs one round.
   *
   * @param base scheme, host and port
   * @param script in Lua, with a function {@code request}
   * @param duration at least a second
   * @param argument the first argument of the script
   * @return the measurements; processor time is measured for this process
   * @throws IllegalStateException if an answer was not a success
   */
  Measured run(String base, Path script, Duration duration, String argument)
      throws IOException, InterruptedException {
    List<String> command =
        List.of(
            "wrk",
            "-t" + THREADS,
            "-c" + connections,
            "-d" + Math.max(1, duration.toSeconds()) + "s",
            "-s",
            script.toString(),
            base,
            "--",
            argument);
    long cpuBefore = ClosedLoop.processCpuNanos();
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int exitCode = process.waitFor();
    long cpuNanos = ClosedLoop.processCpuNanos() - cpuBefore;
    Matcher result = RESULT.matcher(said);
    if (exitCode != 0 || !result.find() || !result.group(5).equals("0")) {
      throw new IllegalStateException("wrk failed, or some of its requests failed:\n" + said);
    }
    return new Measured(
        Long.parseLong(result.group(1)),
        Long.parseLong(result.group(2)) * 1_000,
        cpuNanos,
        0,
        Long.parseLong(result.group(3)) * 1_000,
        Long.parseLong(result.group(4)) * 1_000);
  }

  /** Writes a script. */
  static Path script(Path file, String lua) throws IOException {
    return Files.writeString(file, lua + DONE);
  }
}
