package dev.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BenchmarkMainTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "-h",
        "figures --help",
        "compare --help",
        "cluster -h",
        "soak -h",
        "http --help"
      })
  @ResourceLock(Resources.SYSTEM_OUT)
  void everyVerbHasHelp(String words) throws Exception {
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      BenchmarkMain.main(words.split(" ", -1));
    } finally {
      System.setOut(before);
    }

    assertThat(printed.toString(StandardCharsets.UTF_8)).startsWith("Usage: holdfast bench ");
  }
}
