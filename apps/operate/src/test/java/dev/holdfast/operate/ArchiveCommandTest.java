package dev.holdfast.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.embedded.Holdfast;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The verb on a running process. */
final class ArchiveCommandTest {

  @TempDir private Path parent;

  /** An object. */
  public interface Note {

    /** Stores a text. */
    void write(String text);
  }

  private record NoteObject(ObjectContext context) implements Note {
    @Override
    public void write(String text) {
      context.storage().put("text", text);
    }
  }

  private CommandLineRun purge(String... more) {
    String[] options = new String[more.length + 3];
    options[0] = "purge";
    options[1] = "--data";
    options[2] = parent.resolve("data").toString();
    System.arraycopy(more, 0, options, 3, more.length);
    return CommandLineRun.of("archive", options);
  }

  private ObjectRuntime open(RuntimeOptions options) {
    return Holdfast.open(
        parent.resolve("data"),
        objects ->
            objects
                .options(options.withOperatorSocket())
                .namespace("notes", Note.class, NoteObject::new));
  }

  @Test
  void archiveOfARunningProcessIsPurged() throws IOException {
    RuntimeOptions archived =
        RuntimeOptions.DEFAULT.withArchive(
            ArchiveOptions.to(new DirectoryArchive(parent.resolve("archive")))
                .withInterval(Duration.ofMillis(10)));
    try (ObjectRuntime runtime = open(archived)) {
      runtime.namespace("notes", Note.class).getByName("a").write("x");
      CommandLineRun run = purge("--yes", "--json");
      assertThat(run.code()).describedAs(run.err()).isZero();
      JsonNode answer = JsonMapper.shared().readTree(run.out());
      assertThat(answer.get("firstPosition").asLong()).isGreaterThan(1);
      assertThat(parent.resolve("archive/journal/0000000000000001/0000000000000001.chunk"))
          .doesNotExist();
      // The position depends on what the engine had saved by then.
      Golden.require("operations/archive-purge", run.out().replaceAll("[0-9]+", "0"));
    }
  }

  @Test
  void nothingIsPurgedWithoutYes() {
    CommandLineRun run = purge();
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("add --yes");
  }

  @Test
  void processMustHaveAnArchiveAndListen() {
    try (ObjectRuntime runtime = open(RuntimeOptions.DEFAULT)) {
      runtime.namespace("notes", Note.class).getByName("a").write("x");
      CommandLineRun run = purge("--yes");
      assertThat(run.code()).isOne();
      assertThat(run.err()).contains("The runtime has no archive");
    }
    CommandLineRun stopped = purge("--yes");
    assertThat(stopped.code()).isOne();
    assertThat(stopped.err()).contains("No process that listens has");
  }
}
