package dev.holdfast.operate;

import dev.holdfast.launcher.WrongInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A data directory, as an option of several verbs. Populated by the command line library. */
public final class DataDirectory {

  @Option(
      names = "--data",
      paramLabel = "DIR",
      required = true,
      description = "The data directory, the directory of a node of a cluster, or a backup.")
  private @Nullable Path data;

  /** Creates the option; called by the command line library. */
  public DataDirectory() {}

  /**
   * {@return the directory}
   *
   * @throws WrongInputException if it is not a data directory
   */
  public Path path() {
    Path path = Optional.ofNullable(data).orElseThrow().toAbsolutePath();
    // A backup that was never opened has no LOCK.
    if (!Files.isRegularFile(path.resolve("LOCK"))
        && !Files.isDirectory(path.resolve("journal"))
        && !Files.isRegularFile(path.resolve("node"))) {
      throw new WrongInputException(
          path
              + " is not a data directory: it has no file LOCK and no journal. Name the directory"
              + " of a runtime, or a backup");
    }
    return path;
  }
}
