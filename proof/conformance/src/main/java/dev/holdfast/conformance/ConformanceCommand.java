package dev.holdfast.conformance;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.conformance.host.RuntimeHost;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.launcher.Verb;
import dev.holdfast.launcher.WrongInputException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The verb {@code conformance}. Made and populated by the command line library. */
@Command(
    name = "conformance",
    sortOptions = false,
    description = "Replays recordings of the reference runtime and reports differences.")
public final class ConformanceCommand implements Callable<Integer> {

  /** The system property with the directories of the recordings; the first that exists is used. */
  private static final String DEFAULTS = "holdfast.conformance.recordings";

  @Parameters(
      paramLabel = "DIR",
      description =
          "Directories with cases, expected, bytes, decode; default: ../shared/conformance if it"
              + " exists, else the project's own copy.")
  @SuppressWarnings("FieldCanBeFinal") // populated by the command line library
  private List<Path> directories = new ArrayList<>();

  /** Creates the command; called by the command line library. */
  public ConformanceCommand() {}

  /**
   * Runs the verb and ends the process with its exit code.
   *
   * @param options the options of the verb
   */
  public static void main(String[] options) {
    Verb.main(new ConformanceCommand(), options);
  }

  @Override
  public Integer call() throws IOException {
    List<Verdict> verdicts = run(directories.isEmpty() ? defaults() : directories);
    new ConformanceReport(
            new PrintStream(System.out, true, java.nio.charset.StandardCharsets.UTF_8))
        .print(verdicts);
    return verdicts.stream().anyMatch(v -> v.outcome() == Verdict.Outcome.FAILED) ? 1 : 0;
  }

  /** Replays all recordings of some directories. */
  static List<Verdict> run(List<Path> directories) throws IOException {
    return run(directories, data -> Holdfast.open(data, RuntimeHost::register));
  }

  /** Replays all recordings of some directories on a runtime of another kind. */
  static List<Verdict> run(List<Path> directories, Function<Path, ObjectRuntime> opening)
      throws IOException {
    try (Data data = new Data(Files.createTempDirectory("holdfast-conformance-"))) {
      List<Verdict> verdicts = new ArrayList<>();
      for (Path directory : directories) {
        if (!Files.isDirectory(directory)) {
          throw new WrongInputException(directory + " is not a directory of recordings.");
        }
        Recordings recordings = new Recordings(directory);
        List<RecordedCase> cases = recordings.cases();
        List<RecordedBytes> bytes = recordings.bytes();
        if (cases.isEmpty() && bytes.isEmpty()) {
          throw new WrongInputException(
              directory + " has no recordings: no cases/*.json, bytes/*.json or decode/*.json.");
        }
        Path own = Files.createDirectory(data.path().resolve(Integer.toString(verdicts.size())));
        verdicts.addAll(new Replay(own, Deviations.load(), opening).replay(cases));
        bytes.forEach(each -> verdicts.add(ByteReplay.replay(each)));
        verdicts.addAll(new StoredBytes(own.resolve("bytes"), bytes).replay());
      }
      return verdicts;
    }
  }

  private static List<Path> defaults() {
    @Nullable String configured = System.getProperty(DEFAULTS);
    if (configured != null) {
      for (String directory : configured.split(java.io.File.pathSeparator, -1)) {
        if (Files.isDirectory(Path.of(directory))) {
          return List.of(Path.of(directory));
        }
      }
    }
    throw new WrongInputException("Name a directory of recordings.");
  }

  /** The directory for the data of a run, deleted with it. */
  private record Data(Path path) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      try (Stream<Path> all = Files.walk(path)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }
  }
}
