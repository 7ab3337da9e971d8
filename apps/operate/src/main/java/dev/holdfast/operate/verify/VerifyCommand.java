package dev.holdfast.operate.verify;

import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archiver.ArchiveCheck;
import dev.holdfast.launcher.Verb;
import dev.holdfast.launcher.WrongInputException;
import dev.holdfast.operate.ArchivePlace;
import dev.holdfast.operate.Output;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.verify.ArchiveVerification;
import dev.holdfast.verify.Verification;
import dev.holdfast.verify.VerifyReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The verb {@code verify}. Created and populated by the command line library. */
@Command(
    name = "verify",
    description = {
      "Checks a data directory that no runtime has open, the directory of a stopped node of a"
          + " cluster, a backup, or an archive. Changes nothing.",
      "Exit code 0: nothing was found; 1: something was found, or the directory is in use.",
      "Example: ./holdfast verify --data data/api --deep"
    })
public final class VerifyCommand implements Callable<Integer> {

  @Option(
      names = "--data",
      paramLabel = "STORE",
      required = true,
      description =
          "The data directory, a backup, or an archive: its directory, or s3://BUCKET/PREFIX.")
  private @Nullable String data;

  @Mixin private @Nullable ArchivePlace place;

  @Option(
      names = "--deep",
      description =
          "Also replays the journal and compares it with the files, page by page and key by key. Of"
              + " an archive, the latest state is rebuilt for that.")
  private boolean deep;

  @Option(
      names = "--scratch",
      paramLabel = "DIR",
      description =
          "Where copies are made and deleted (default: the directory of temporary files).")
  private Path scratch = Path.of(System.getProperty("java.io.tmpdir"));

  @Mixin private @Nullable Output output;

  /** Creates the command; called by the command line library. */
  public VerifyCommand() {}

  /**
   * Runs the verb and ends the process with its exit code.
   *
   * @param options the options of the verb
   */
  public static void main(String[] options) {
    Verb.main(new VerifyCommand(), options);
  }

  @Override
  public Integer call() throws IOException {
    if (data == null || place == null || output == null) {
      throw new IllegalStateException("The command line library has not set the options.");
    }
    // Entries of object storage are not files.
    Path directory = Path.of(place.isObjectStorage(data) ? "" : data).toAbsolutePath().normalize();
    if (place.isArchive(data)) {
      try (ArchiveStore store = place.open(data)) {
        return checkArchive(store, directory);
      }
    }
    requireDataDirectory(directory);
    VerifyReport report = Verification.run(directory, scratch, deep);
    if (output.isJson()) {
      output.printJson(json(report, directory));
    } else {
      print(report, directory, output.out());
    }
    return report.isSound() ? 0 : 1;
  }

  private int checkArchive(ArchiveStore store, Path directory) throws IOException {
    ArchiveCheck.Result entries = ArchiveCheck.run(store, directory);
    VerifyReport rebuilt =
        deep && entries.lastPosition() > 0
            ? ArchiveVerification.run(store, directory, scratch)
            : null;
    List<Finding> found = new ArrayList<>(entries.findings());
    if (rebuilt != null) {
      found.addAll(rebuilt.findings());
    }
    boolean isSound = found.stream().noneMatch(Finding::counts);
    Output printed = Objects.requireNonNull(output);
    if (printed.isJson()) {
      printed.printJson(json(entries, rebuilt, found, directory));
    } else {
      new FindingsText(directory).print(printed.out(), found);
      print(entries, rebuilt, isSound ? "Sound" : found.size() + " findings", printed.out());
    }
    return isSound ? 0 : 1;
  }

  private static void print(
      ArchiveCheck.Result entries,
      @Nullable VerifyReport rebuilt,
      String outcome,
      PrintWriter out) {
    out.printf(
        "%s: %d generations, %d base images, %d chunks, up to position %d, %d MB read%n",
        outcome,
        entries.generations(),
        entries.bases(),
        entries.chunks(),
        entries.lastPosition(),
        entries.readBytes() / 1_000_000);
    if (rebuilt != null) {
      out.printf(
          "Rebuilt position %d: %d objects in SQLite, %d in RocksDB%n",
          rebuilt.lastPosition(), rebuilt.sqliteObjects(), rebuilt.rocksDbObjects());
    }
    out.flush();
  }

  private static Map<String, Object> json(
      ArchiveCheck.Result entries,
      @Nullable VerifyReport rebuilt,
      List<Finding> found,
      Path directory) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("sound", found.stream().noneMatch(Finding::counts));
    json.put("generations", entries.generations());
    json.put("bases", entries.bases());
    json.put("chunks", entries.chunks());
    json.put("lastPosition", entries.lastPosition());
    json.put("readBytes", entries.readBytes());
    if (rebuilt != null) {
      json.put("rebuiltPosition", rebuilt.lastPosition());
      json.put("sqliteObjects", rebuilt.sqliteObjects());
      json.put("rocksDbObjects", rebuilt.rocksDbObjects());
    }
    json.put("findings", new FindingsText(directory).json(found));
    return json;
  }

  /** A wrong name must not be reported as a sound directory. */
  static void requireDataDirectory(Path directory) {
    if (!Files.exists(directory.resolve("journal"))
        && !Files.exists(directory.resolve("LOCK"))
        && !Files.exists(directory.resolve("node"))) {
      throw new WrongInputException(
          directory
              + " is not a data directory: it has neither LOCK nor journal/. Name the directory of"
              + " a runtime or a backup");
    }
  }

  private static void print(VerifyReport report, Path directory, PrintWriter out) {
    new FindingsText(directory).print(out, report.findings());
    for (VerifyReport.Shard each : report.shards()) {
      out.printf(
          "Shard %d: journal positions %d to %d, %d objects in SQLite, %d in RocksDB%n",
          each.shard(),
          each.firstPosition(),
          each.lastPosition(),
          each.sqliteObjects(),
          each.rocksDbObjects());
    }
    out.printf(
        "%s: journal positions %d to %d, %d objects in SQLite, %d in RocksDB, %d MB read%n",
        report.isSound() ? "Sound" : report.findings().size() + " findings",
        report.firstPosition(),
        report.lastPosition(),
        report.sqliteObjects(),
        report.rocksDbObjects(),
        report.readBytes() / 1_000_000);
    out.flush();
  }

  private static Map<String, Object> json(VerifyReport report, Path directory) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("sound", report.isSound());
    json.put("firstPosition", report.firstPosition());
    json.put("lastPosition", report.lastPosition());
    json.put("sqliteObjects", report.sqliteObjects());
    json.put("rocksDbObjects", report.rocksDbObjects());
    json.put("readBytes", report.readBytes());
    if (!report.shards().isEmpty()) {
      json.put("shards", report.shards().stream().map(VerifyCommand::json).toList());
    }
    json.put("findings", new FindingsText(directory).json(report.findings()));
    return json;
  }

  private static Map<String, Object> json(VerifyReport.Shard shard) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("shard", shard.shard());
    json.put("firstPosition", shard.firstPosition());
    json.put("lastPosition", shard.lastPosition());
    json.put("sqliteObjects", shard.sqliteObjects());
    json.put("rocksDbObjects", shard.rocksDbObjects());
    return json;
  }
}
