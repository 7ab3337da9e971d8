package dev.holdfast.system.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.crash.CrashTestCommand;
import dev.holdfast.launcher.Verb;
import dev.holdfast.ledger.demo.DemoCommand;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@ResourceLock(Resources.SYSTEM_OUT)
final class DemoTest {

  @TempDir private Path directory;

  @Test
  void everyTransferOfAFileSurvivesTheKill() throws IOException {
    String lines =
        IntStream.range(0, 600)
            .mapToObj(
                n -> "t%d,acc-%d,acc-%d,%d.%02d".formatted(n, n % 7, n % 5 + 7, n + 1, n % 100))
            .collect(Collectors.joining("\n"));
    Path file = Files.writeString(directory.resolve("mine.csv"), lines + "\nnonsense\n");

    Run run = run(new DemoCommand(), "--file", file.toString(), "--data", data());

    assertThat(run.output())
        .contains("line 601 skipped: expected 4 fields")
        .contains("600 transfers between 12 accounts")
        .contains("SIGKILL for process")
        .containsIgnoringNewLines("All promises were kept.")
        .doesNotContain("BROKEN");
    assertThat(run.exitCode()).isZero();
  }

  @Test
  void fileThatIsDoneBeforeTheKillWorksToo() throws IOException {
    Path file = Files.writeString(directory.resolve("mine.csv"), "t1,a,b,1.00\n");

    Run run = run(new DemoCommand(), "--file", file.toString(), "--data", data());

    assertThat(run.output()).contains("All promises were kept.");
    assertThat(run.exitCode()).isZero();
  }

  @Test
  void wrongFileIsReportedWithoutTouchingTheData() throws IOException {
    Path earlier = Files.createDirectories(Path.of(data()));
    Files.writeString(earlier.resolve("holdfast-demo"), "");
    Path ledger = Files.createDirectories(earlier.resolve("ledger"));

    Run run =
        run(
            new DemoCommand(),
            "--file",
            directory.resolve("none.csv").toString(),
            "--data",
            data());

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.errors()).contains("There is no file").doesNotContain("\tat ");
    assertThat(ledger).exists();
  }

  @Test
  void wrongOptionsEndWithExitCodeTwo() {
    assertThat(run(new DemoCommand(), "--seed", "x").exitCode()).isEqualTo(2);
    assertThat(run(new DemoCommand(), "--speed", "9").exitCode()).isEqualTo(2);
    assertThat(run(new CrashTestCommand(), "--seconds", "0").exitCode()).isEqualTo(2);
  }

  private String data() {
    return directory.resolve("demo").toString();
  }

  private record Run(int exitCode, String output, String errors) {}

  private static Run run(Object verb, String... options) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
    try {
      int exitCode = Verb.run(verb, options);
      return new Run(
          exitCode,
          output.toString(StandardCharsets.UTF_8),
          errors.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }
}
