package dev.holdfast.faults.planted;

import dev.holdfast.faults.TestProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;

/**
 * Plants faults, each in a copy of its source, compiles the copy and runs tests on it in a separate
 * JVM: one must fail, or the run must hang.
 */
public final class PlantedRun {

  /** What is said of a fault that no test finds. */
  public static final String SURVIVES = "SURVIVES";

  /** More than what all tests take on a busy machine; a test alone that hangs is ended sooner. */
  private static final long LIMIT_SECONDS = 400;

  private final Class<?> test;
  private final Path work;
  private final Function<PlantedFault, List<String>> tests;
  private int number;

  /**
   * Creates a run.
   *
   * @param test any test class of the module
   * @param work an empty directory
   * @param tests the names of the test classes for a fault, in the order in which they run
   */
  public PlantedRun(Class<?> test, Path work, Function<PlantedFault, List<String>> tests) {
    this.test = test;
    this.work = work;
    this.tests = tests;
  }

  /**
   * Plants faults, those in whose description the expression {@code -Dplanted} is found, and prints
   * a line for each.
   *
   * @param faults the faults
   * @return the descriptions of those that no test finds
   * @throws IOException if a file cannot be read or written
   * @throws InterruptedException if the thread is interrupted
   */
  public List<String> survivorsOf(List<PlantedFault> faults)
      throws IOException, InterruptedException {
    Predicate<String> wanted = Pattern.compile(System.getProperty("planted", "")).asPredicate();
    List<String> survivors = new ArrayList<>();
    for (PlantedFault fault : faults) {
      if (!wanted.test(fault.what())) {
        continue;
      }
      String outcome = outcomeOf(fault);
      System.out.println("| " + fault.what() + " | " + outcome + " |");
      if (outcome.equals(SURVIVES)) {
        survivors.add(fault.what());
      }
    }
    return survivors;
  }

  /**
   * {@return the name of the first test that fails with a fault, {@link #SURVIVES}, or that a test
   * hangs}
   *
   * @param fault the fault
   * @throws IOException if a file cannot be read or written
   * @throws InterruptedException if the thread is interrupted
   */
  public String outcomeOf(PlantedFault fault) throws IOException, InterruptedException {
    Path place = work.resolve("fault-" + ++number);
    Path classes = Files.createDirectories(place.resolve("classes"));
    Path source = place.resolve(fault.fileName());
    TestProcess process =
        TestProcess.of(FirstFailure.class, tests.apply(fault).toArray(String[]::new))
            .testsOf(test)
            .options(
                "-Xmx512m",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-Dholdfast.tests=short");
    Files.writeString(source, fault.source());
    // The interface of java.base: javax.tools is in a module which a modular run of the tests has
    // not.
    int compiled =
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(
                System.out,
                System.err,
                "-nowarn",
                "-proc:none",
                "-cp",
                process.classPath(),
                "-d",
                classes.toString(),
                source.toString());
    if (compiled != 0) {
      throw new AssertionError("javac refuses: " + fault.what());
    }
    Path output = place.resolve("output");
    Process running = process.first(classes).start();
    try {
      Thread reader = Thread.ofVirtual().start(() -> copy(running, output));
      boolean ended = running.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
      running.destroyForcibly().waitFor();
      reader.join();
      return ended ? verdict(running.exitValue(), output) : "a test hangs";
    } finally {
      running.destroyForcibly();
    }
  }

  private static void copy(Process process, Path output) {
    try {
      Files.copy(process.getInputStream(), output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String verdict(int exitCode, Path output) throws IOException {
    String text = Files.readString(output, StandardCharsets.UTF_8);
    return switch (exitCode) {
      case FirstFailure.ALL_PASSED -> SURVIVES;
      case FirstFailure.ONE_FAILED ->
          text.lines()
              .filter(line -> line.startsWith("FAILED "))
              .map(PlantedRun::testName)
              .findFirst()
              .orElseThrow();
      default -> throw new AssertionError("The tests ended with " + exitCode + ":\n" + text);
    };
  }

  /** The class and the method out of a unique id such as {@code [class:a.b.C] [method:m()]}. */
  private static String testName(String line) {
    String type = line.replaceAll(".*\\[class:[^\\]]*\\.([A-Za-z]+)\\].*", "$1");
    String method = line.replaceAll(".*\\[(?:method|property|test-template):(\\w+).*", "$1");
    return "`" + type + "." + method + "`";
  }
}
