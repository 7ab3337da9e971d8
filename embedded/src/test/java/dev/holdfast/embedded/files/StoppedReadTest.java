package dev.holdfast.embedded.files;

import static dev.holdfast.embedded.Scripted.in;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.embedded.StoppedDirectory;
import dev.holdfast.operator.Operations;
import dev.holdfast.operator.OperatorRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** To read one object of a directory, the files of the others are not made. */
class StoppedReadTest {

  private static final int OBJECTS = 20;

  @TempDir private Path directory;

  @Test
  void onlyTheFileOfTheObjectIsBroughtUpToDate() throws IOException {
    Path data = directory.resolve("data");
    Path archive = directory.resolve("archive");
    Path restored = directory.resolve("restored");
    write(data, archive);
    Holdfast.restore(
        new DirectoryArchive(archive), restored, RestoreRequest.of(new RestoreTarget.Latest()));
    requireOneFile(restored);
  }

  private static void write(Path data, Path archive) {
    try (ObjectRuntime runtime =
        Holdfast.open(
            data,
            objects ->
                objects
                    .options(
                        RuntimeOptions.DEFAULT.withArchive(
                            ArchiveOptions.to(new DirectoryArchive(archive))))
                    .namespace("sql", Scripted.class, Scripted::of))) {
      for (int number = 0; number < OBJECTS; number++) {
        int value = number;
        in(
            runtime.namespace("sql", Scripted.class).getByName("object-" + number),
            context -> {
              context.storage().put("key", value);
              return "";
            });
      }
    }
  }

  private static void requireOneFile(Path data) throws IOException {
    OperatorRequest request =
        OperatorRequest.of("get")
            .with("namespace", "sql")
            .with("object", "object-7")
            .with("key", "key");
    List<String> found = new ArrayList<>();
    try (StoppedDirectory stopped = StoppedDirectory.read(data, "sql", "object-7")) {
      new Operations(stopped.inspected())
          .perform(request, answer -> found.add(String.valueOf(answer.get("bytes"))));
      new Operations(stopped.inspected())
          .perform(OperatorRequest.of("stats"), answer -> assertThat(redone(answer)).isEqualTo(1));
    }
    assertThat(found).hasSize(1);
    try (StoppedDirectory stopped = StoppedDirectory.read(data)) {
      new Operations(stopped.inspected())
          .perform(
              OperatorRequest.of("objects").with("namespace", "sql"),
              answer -> found.add(String.valueOf(answer.get("bytes"))));
    }
    assertThat(found).hasSize(1 + OBJECTS);
  }

  private static long redone(Map<String, ?> stats) {
    return stats.get("databases") instanceof Map<?, ?> databases
            && databases.get("redoneBatches") instanceof Number redone
        ? redone.longValue()
        : -1;
  }
}
