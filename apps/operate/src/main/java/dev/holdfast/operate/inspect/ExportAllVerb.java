package dev.holdfast.operate.inspect;

import dev.holdfast.launcher.WrongInputException;
import dev.holdfast.operate.DataDirectory;
import dev.holdfast.operate.Door;
import dev.holdfast.operate.Output;
import dev.holdfast.operator.OperatorRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The verb {@code inspect export-all}. Populated by the command line library. */
@Command(
    name = "export-all",
    description =
        "Writes the state of each object whose name begins with a text into a new SQLite file,"
            + " ID.sqlite. Each is exported at its own moment.",
    footer = {
      "",
      "Example: ./holdfast inspect export-all accounts --prefix al --to exported --dry-run --data"
          + " data/demo"
    })
final class ExportAllVerb extends InspectVerb.OfMany {

  @Parameters(index = "0", paramLabel = "NAMESPACE", description = "The namespace.")
  private @Nullable String namespace;

  @Option(
      names = "--prefix",
      paramLabel = "TEXT",
      description = "Only objects whose name begins with this; default: all.")
  private @Nullable String prefix;

  @Option(
      names = "--to",
      required = true,
      paramLabel = "DIR",
      description = "An existing directory for the files, on the machine of the process.")
  private @Nullable Path to;

  @Option(names = "--dry-run", description = "Prints what would be exported, and writes nothing.")
  private boolean dryRun;

  @Override
  OperatorRequest request() {
    return OperatorRequest.of("objects").with("namespace", namespace).with("prefix", prefix);
  }

  @Override
  int run(DataDirectory data, Output output) throws IOException {
    Path directory = set(to).toAbsolutePath();
    if (!dryRun && !Files.isDirectory(directory)) {
      throw new WrongInputException("There is no directory " + directory + "; create it");
    }
    List<Map<String, @Nullable Object>> exported = new ArrayList<>();
    String missing;
    try (Door door = Door.open(data.path(), changesStopped(), request())) {
      List<Map<String, @Nullable Object>> found = new ArrayList<>();
      missing = door.perform(request(), found::add);
      for (Map<String, @Nullable Object> object : found) {
        String id = String.valueOf(object.get("id"));
        Path file = directory.resolve(id + ".sqlite");
        if (!dryRun) {
          door.perform(
              OperatorRequest.of("export")
                  .with("namespace", namespace)
                  .with("object", id)
                  .with("file", file.toString()),
              _ -> {});
        }
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("name", object.get("name"));
        answer.put("bytes", object.get("bytes"));
        answer.put("file", file.toString());
        exported.add(answer);
      }
    }
    int code = print(exported, output);
    if (missing != null) { // of a shard of a cluster
      output.note("Not all objects were exported. " + missing);
      return 1;
    }
    return code;
  }
}
