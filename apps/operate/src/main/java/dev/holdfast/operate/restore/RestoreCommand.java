package dev.holdfast.operate.restore;

import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreResult;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.launcher.Verb;
import dev.holdfast.launcher.WrongInputException;
import dev.holdfast.operate.ArchivePlace;
import dev.holdfast.operate.Output;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The verb {@code restore}. Created and populated by the command line library. */
@Command(
    name = "restore",
    description = {
      "Makes a data directory from an archive, a backup or another data directory that no process",
      "has open, as it was at any moment that is covered.",
      "Exit code 0: the directory is complete; 1: it is not, and the text says why.",
      "Example: ./holdfast restore --from /mnt/archive --to data/restored --at 2026-11-23T09:30:00Z"
    })
public final class RestoreCommand implements Callable<Integer> {

  @Option(
      names = "--from",
      paramLabel = "STORE",
      required = true,
      description =
          "An archive (its directory, or s3://BUCKET/PREFIX), a backup or a data directory.")
  private @Nullable String from;

  @Mixin private @Nullable ArchivePlace place;

  @Option(
      names = "--to",
      paramLabel = "DIR",
      required = true,
      description = "The new data directory; missing or empty.")
  private @Nullable Path to;

  @Option(
      names = "--at",
      paramLabel = "MOMENT",
      description =
          "A time such as 2026-11-23T09:30:00Z, or a position of the journal (default: the"
              + " latest).")
  private @Nullable String at;

  @Option(names = "--namespace", paramLabel = "NAME", description = "Restores this namespace only.")
  private @Nullable String namespace;

  @Option(
      names = "--object",
      paramLabel = "OBJECT",
      description = "Restores this object of the namespace only: a name, or an id of 64 digits.")
  private @Nullable String object;

  @Option(
      names = "--without-purged",
      description = {
        "With --at, of a data directory or a backup: objects whose history was purged after the"
            + " moment stay as they are now, and are named. Without it, such a restore is refused."
      })
  private boolean withoutPurged;

  @Mixin private @Nullable Output output;

  /** Creates the command; called by the command line library. */
  public RestoreCommand() {}

  /**
   * Runs the verb and ends the process with its exit code.
   *
   * @param options the options of the verb
   */
  public static void main(String[] options) {
    Verb.main(new RestoreCommand(), options);
  }

  @Override
  public Integer call() {
    if (from == null || place == null || to == null || output == null) {
      throw new IllegalStateException("The command line library has not set the options.");
    }
    Output printed = output;
    ProgressLines progress = new ProgressLines(line -> print(printed, line), System::nanoTime);
    RestoreRequest request = request().withProgress(progress);
    boolean isArchive = place.isArchive(from);
    RestoreResult result =
        isArchive
            ? restoreArchive(place, from, to, request)
            : Holdfast.restore(requireDataDirectory(from), to, request);
    long seconds = progress.seconds();
    if (output.isJson()) {
      Map<String, Object> document = new LinkedHashMap<>();
      document.put("directory", to.toAbsolutePath().normalize().toString());
      document.put("generation", result.generation());
      document.put("position", result.position());
      document.put("bytes", result.bytes());
      document.put("seconds", seconds);
      document.put("purged", result.purged());
      output.printJson(document);
    } else {
      output
          .out()
          .println(
              "Restored to position "
                  + result.position()
                  + (isArchive ? " of generation " + result.generation() : "")
                  + ", from "
                  + Bytes.text(result.bytes())
                  + (isArchive ? " of the archive, in " : " of files, in ")
                  + seconds
                  + " s. The runtime that opens "
                  + to
                  + " brings the files of its objects up to date.");
      for (String object : result.purged()) {
        output.out().println("Not restored, its history was purged since: " + object);
      }
      output.out().flush();
    }
    return 0;
  }

  private static void print(Output output, String line) {
    if (!output.isJson()) {
      output.out().println(line);
      output.out().flush();
    }
  }

  private static RestoreResult restoreArchive(
      ArchivePlace place, String from, Path to, RestoreRequest request) {
    try (ArchiveStore archive = place.open(from)) {
      return Holdfast.restore(archive, to, request);
    }
  }

  private static Path requireDataDirectory(String from) {
    Path directory = Path.of(from);
    if (Files.isDirectory(directory.resolve("shards"))
        && Files.exists(directory.resolve("cluster"))) {
      throw new WrongInputException(
          from + " is the archive of a cluster. Use ./holdfast cluster restore");
    }
    if (!Files.isDirectory(directory.resolve("journal"))) {
      throw new WrongInputException(
          from
              + " is neither an archive nor a data directory: it has no directory generations and"
              + " no directory journal. Name the place of an archive, a backup or a data"
              + " directory");
    }
    return directory;
  }

  private RestoreRequest request() {
    RestoreRequest request = RestoreRequest.of(target(at));
    request = withoutPurged ? request.withoutPurged() : request;
    if (object != null) {
      if (namespace == null) {
        throw new WrongInputException("--object needs the --namespace of the object");
      }
      return request.withObject(namespace, object);
    }
    return namespace == null ? request : request.withNamespace(namespace);
  }

  private static RestoreTarget target(@Nullable String text) {
    if (text == null) {
      return new RestoreTarget.Latest();
    }
    try {
      return text.matches("[0-9]+")
          ? new RestoreTarget.AtPosition(Long.parseLong(text))
          : new RestoreTarget.AtTime(OffsetDateTime.parse(text).toInstant());
    } catch (DateTimeParseException | IllegalArgumentException e) {
      throw new WrongInputException(
          "--at is a time with its zone, such as 2026-11-23T09:30:00Z, or a position from 1 on, not"
              + " "
              + text);
    }
  }
}
