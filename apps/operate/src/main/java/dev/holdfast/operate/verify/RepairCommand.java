package dev.holdfast.operate.verify;

import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.launcher.PlainText;
import dev.holdfast.launcher.Verb;
import dev.holdfast.launcher.WrongInputException;
import dev.holdfast.operate.ArchivePlace;
import dev.holdfast.operate.Output;
import dev.holdfast.verify.Repair;
import dev.holdfast.verify.RepairReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The verb {@code repair}. Created and populated by the command line library. */
@Command(
    name = "repair",
    description = {
      "Does what verify proposes, in a copy. Says what was done, what is lost and what is left.",
      "Exit code 0: nothing is lost or left; 1: something is, or the directory is in use.",
      "Example: ./holdfast repair --data data/api --to data/repaired --from /mnt/archive"
    })
public final class RepairCommand implements Callable<Integer> {

  @Option(
      names = "--data",
      paramLabel = "DIR",
      required = true,
      description = "The data directory, or a backup.")
  private @Nullable Path data;

  @Option(
      names = "--to",
      paramLabel = "DIR",
      description = "Where the repaired copy is made; missing or empty.")
  private @Nullable Path target;

  @Option(
      names = "--from",
      paramLabel = "STORE",
      description =
          "An archive of the directory: its directory, or s3://BUCKET/PREFIX. It has files of"
              + " objects and records of the journal that the directory has lost.")
  private @Nullable String from;

  @Mixin private @Nullable ArchivePlace place;

  @Option(
      names = "--in-place",
      description = "Repairs the directory itself. There is no way back. Needs --yes.")
  private boolean inPlace;

  @Option(names = "--yes", description = "Confirms --in-place.")
  private boolean confirmed;

  @Option(
      names = "--scratch",
      paramLabel = "DIR",
      description =
          "Where copies are made and deleted (default: the directory of temporary files). With"
              + " --from it needs room for the whole data directory.")
  private Path scratch = Path.of(System.getProperty("java.io.tmpdir"));

  @Mixin private @Nullable Output output;

  /** Creates the command; called by the command line library. */
  public RepairCommand() {}

  /**
   * Runs the verb and ends the process with its exit code.
   *
   * @param options the options of the verb
   */
  public static void main(String[] options) {
    Verb.main(new RepairCommand(), options);
  }

  @Override
  public Integer call() throws IOException {
    if (data == null || place == null || output == null) {
      throw new IllegalStateException("The command line library has not set the options.");
    }
    if (inPlace == (target != null)) {
      throw new WrongInputException("Name the copy with --to, or ask for --in-place; one of them");
    }
    if (inPlace && !confirmed) {
      throw new WrongInputException(
          "--in-place changes the only copy of the data, and there is no way back; add --yes");
    }
    Path directory = data.toAbsolutePath().normalize();
    VerifyCommand.requireDataDirectory(directory);
    RepairReport report = repair(directory, place);
    if (output.isJson()) {
      output.printJson(json(report));
    } else {
      print(report, output.out());
    }
    return report.isComplete() ? 0 : 1;
  }

  private RepairReport repair(Path directory, ArchivePlace archives) throws IOException {
    if (from == null) {
      archives.isObjectStorage(""); // refuses --endpoint and --region, which are for --from
      return repair(directory, (ArchiveStore) null);
    }
    if (!archives.isArchive(from)) {
      throw new WrongInputException(
          from + " is not an archive: it has no directory generations. Name the place of one");
    }
    try (ArchiveStore archive = archives.open(from)) {
      return repair(directory, archive);
    }
  }

  private RepairReport repair(Path directory, @Nullable ArchiveStore archive) throws IOException {
    return target == null
        ? Repair.inPlace(directory, scratch, archive)
        : Repair.into(directory, target.toAbsolutePath().normalize(), scratch, archive);
  }

  private static void print(RepairReport report, PrintWriter out) {
    report.steps().forEach(step -> out.println("done:   " + PlainText.line(step)));
    report.losses().forEach(loss -> out.println("lost:   " + PlainText.line(loss)));
    new FindingsText(report.directory()).print(out, report.left());
    out.println(
        report.isComplete()
            ? report.directory() + " is sound; nothing is lost."
            : report.directory() + " is not what it was, see above.");
    out.flush();
  }

  private static Map<String, Object> json(RepairReport report) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("complete", report.isComplete());
    json.put("directory", report.directory().toString());
    json.put("steps", report.steps());
    json.put("losses", report.losses());
    json.put("left", new FindingsText(report.directory()).json(report.left()));
    return json;
  }
}
