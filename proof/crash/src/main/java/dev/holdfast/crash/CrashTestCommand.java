package dev.holdfast.crash;

import dev.holdfast.crash.nodes.NodesCrashTest;
import dev.holdfast.launcher.Verb;
import dev.holdfast.launcher.WrongInputException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The verb {@code crash-test}. Created and populated by the command line library. */
@Command(
    name = "crash-test",
    sortOptions = false,
    description = "Kills a writing process again and again and checks what it has left.")
public final class CrashTestCommand implements Callable<Integer> {

  private static final int VIOLATIONS_SHOWN = 20;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "30",
      description = "The duration; default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--seed",
      paramLabel = "S",
      defaultValue = "1",
      description = "The seed of the writes and of the kills; default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "The data directory; default: a new temporary directory.")
  private @Nullable Path data;

  @Option(
      names = "--storage",
      paramLabel = "KIND",
      description =
          "The storage engine: sqlite, rocksdb, or both; default: sqlite. Nodes always have both.")
  private @Nullable String storage;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "3 or 5: a cluster of as many processes, which are killed, restarted, paused, cut off from",
        "each other and replaced; 6: nodes also join, leave and lose their disks, and each shard"
            + " is",
        "on three of them; default: ${DEFAULT-VALUE}."
      })
  private int nodes = 1;

  /** Shows that the test of a cluster finds something. */
  @Option(names = "--planted-fault", hidden = true)
  private @Nullable String plantedFault;

  @Spec private @Nullable CommandSpec spec;

  /** Creates the command; called by the command line library. */
  public CrashTestCommand() {}

  /**
   * Runs the verb and ends the process with its exit code.
   *
   * @param options the options of the verb
   */
  public static void main(String[] options) {
    Verb.main(new CrashTestCommand(), options);
  }

  @Override
  public Integer call() throws IOException {
    if (seconds < 1 && spec != null) {
      throw new ParameterException(
          spec.commandLine(), "--seconds must be at least 1, is " + seconds);
    }
    if (nodes != 1) {
      return callNodes();
    }
    if (plantedFault != null) {
      throw new WrongInputException("--planted-fault needs --nodes 3");
    }
    String engine = storage == null ? "sqlite" : storage;
    CrashStorage kind = storage(engine);
    Path directory = directory();
    PrintStream out = System.out;
    out.printf("Crash test on %s, seed %d, %d s, in %s%n", engine, seed, seconds, directory);
    CrashTest.Result result =
        new CrashTest(
                new CrashTest.Settings(
                    directory, seed, Duration.ofSeconds(seconds), Integer.MAX_VALUE, kind),
                out)
            .run();
    out.printf(
        "%,d kills (%,d of them during recovery), %,d steps answered, %,d objects checked%n",
        result.kills(), result.killsInRecovery(), result.writes(), result.checks());
    if (result.violations().isEmpty()) {
      out.println("All promises were kept.");
      Files.deleteIfExists(directory);
      return 0;
    }
    printBroken(result.violations(), out);
    out.printf("%,d promises were broken.%n", result.violations().size());
    out.printf("The data is kept in %s%n", directory);
    out.printf(
        "Run it again, with other moments of the kills:"
            + " ./holdfast crash-test --seconds %d --seed %d --storage %s%n",
        seconds, seed, engine);
    return 1;
  }

  private int callNodes() throws IOException {
    if (nodes != 3 && nodes != 5 && nodes != 6) {
      throw new WrongInputException("--nodes must be 1, 3, 5 or 6, is " + nodes);
    }
    if (storage != null) {
      throw new WrongInputException(
          "--storage has no effect with --nodes: nodes use both engines; leave it out");
    }
    if (plantedFault != null && !NodesCrashTest.faults().contains(plantedFault)) {
      throw new WrongInputException(
          "--planted-fault must be one of " + NodesCrashTest.faults() + ", is " + plantedFault);
    }
    Path directory = directory();
    PrintStream out = System.out;
    out.printf("Crash test of %d nodes, seed %d, %d s, in %s%n", nodes, seed, seconds, directory);
    NodesCrashTest.Result result =
        new NodesCrashTest(
                new NodesCrashTest.Settings(
                    directory, nodes, seed, Duration.ofSeconds(seconds), plantedFault),
                out)
            .run();
    printBroken(result.violations(), out);
    if (result.isKept()) {
      CrashTest.delete(directory);
      out.println("All promises were kept.");
      return 0;
    }
    out.printf("The data and the logs of the nodes are kept in %s%n", directory);
    if (result.failure() != null) {
      out.println("FAILED: " + result.failure());
    }
    out.println(
        result.violations().isEmpty()
            ? "The test did not come to its end; no promise was seen broken."
            : "%,d promises were broken.".formatted(result.violations().size()));
    return 1;
  }

  private static void printBroken(List<String> violations, PrintStream out) {
    violations.stream().limit(VIOLATIONS_SHOWN).forEach(each -> out.println("BROKEN: " + each));
  }

  private static CrashStorage storage(String engine) {
    for (CrashStorage each : CrashStorage.values()) {
      if (each.name().equalsIgnoreCase(engine)) {
        return each;
      }
    }
    throw new WrongInputException("--storage must be sqlite, rocksdb or both, is " + engine);
  }

  private Path directory() throws IOException {
    if (data == null) {
      return Files.createTempDirectory("holdfast-crash-test-");
    }
    if (Files.exists(data) && !Files.isDirectory(data)) {
      throw new WrongInputException(data + " is not a directory; choose another one with --data.");
    }
    Files.createDirectories(data);
    try (var entries = Files.list(data)) {
      if (entries.findAny().isPresent()) {
        throw new WrongInputException(data + " is not empty; choose another one with --data.");
      }
    }
    return data.toRealPath();
  }
}
