package dev.holdfast.runtime.planted;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.runtime.ChildJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plants each fault in a copy of the engine and runs the engine's tests on it, in a JVM of its own:
 * one must fail, or the run must hang. The score is kept in {@code docs/planted-faults.md}.
 *
 * <p>{@code -Dplanted=text} tries only the faults whose description has the text.
 */
final class PlantedFaultsTest {

  /** Quick ones first: most faults end with the first failure. */
  private static final List<String> TESTS =
      Stream.of(
              "CallsTest",
              "InterleavingTest",
              "CriticalSectionTest",
              "OutputGateTest",
              "CallsBetweenObjectsTest",
              "ResetTest",
              "DeadlockTest",
              "LoadTest",
              "LifecycleTest",
              "ClosingTest",
              "EngineInterleavingTest",
              "ResetInterleavingTest",
              "RandomProgramsTest")
          .map(name -> "dev.holdfast.runtime." + name)
          .toList();

  /** Several times what all tests take on a busy machine. */
  private static final long LIMIT_SECONDS = 120;

  @TempDir private Path directory;

  @Test
  void everyOriginalIsInTheSourcesOnce() throws IOException {
    for (PlantedFault fault : PlantedFaults.ALL) {
      assertThat(fault.source()).as(fault.what()).isNotEmpty();
    }
    assertThat(PlantedFaults.ALL).hasSizeGreaterThanOrEqualTo(15);
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void everyPlantedFaultMakesATestFail() throws Exception {
    String only = System.getProperty("planted", "");
    List<String> survivors = new ArrayList<>();
    int number = 0;
    for (PlantedFault fault : PlantedFaults.ALL) {
      if (!fault.what().contains(only)) {
        continue;
      }
      String outcome = outcomeOf(fault, directory.resolve("fault-" + ++number));
      System.out.println("| " + fault.what() + " | " + outcome + " |");
      if (outcome.equals("SURVIVES")) {
        survivors.add(fault.what());
      }
    }
    assertThat(survivors).isEmpty();
  }

  private static String outcomeOf(PlantedFault fault, Path work)
      throws IOException, InterruptedException {
    Path classes = Files.createDirectories(work.resolve("classes"));
    Path source = work.resolve(fault.className());
    Files.writeString(source, fault.source());
    int compiled =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-nowarn",
                "-proc:none",
                "-cp",
                ChildJvm.classPath(List.of()),
                "-d",
                classes.toString(),
                source.toString());
    assertThat(compiled).as("javac of: " + fault.what()).isZero();
    Path output = work.resolve("output");
    Process tests =
        ChildJvm.start(
            List.of(classes),
            List.of(
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-Dholdfast.tests=short"),
            EngineTests.class,
            TESTS.toArray(String[]::new));
    Thread reader = Thread.ofVirtual().start(() -> copy(tests, output));
    boolean ended = tests.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
    tests.destroyForcibly().waitFor();
    reader.join();
    return ended ? verdict(tests.exitValue(), output) : "a test hangs";
  }

  private static void copy(Process process, Path output) {
    try {
      Files.copy(process.getInputStream(), output);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static String verdict(int exitCode, Path output) throws IOException {
    String text = Files.readString(output, StandardCharsets.UTF_8);
    return switch (exitCode) {
      case EngineTests.ALL_PASSED -> "SURVIVES";
      case EngineTests.ONE_FAILED ->
          text.lines()
              .filter(line -> line.startsWith("FAILED "))
              .map(PlantedFaultsTest::testName)
              .findFirst()
              .orElseThrow();
      default -> throw new AssertionError("The tests ended with " + exitCode + ":\n" + text);
    };
  }

  /** The class and the method out of a unique id such as {@code [class:a.b.C] [method:m()]}. */
  private static String testName(String line) {
    String type = line.replaceAll(".*\\[class:[^\\]]*\\.([A-Za-z]+)\\].*", "$1");
    String method = line.replaceAll(".*\\[(?:method|property):([A-Za-z]+).*", "$1");
    return "`" + type + "." + method + "`";
  }
}
