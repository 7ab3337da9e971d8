package dev.holdfast.operate.backup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.launcher.Verb;
import dev.holdfast.storage.ObjectStorage;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The verb on a stopped directory and on a running process. */
final class BackupCommandTest {

  @TempDir private Path parent;
  private Path data;
  private Path target;

  /** An object. */
  public interface Note {

    /** Stores a text. */
    void write(String text);

    /** {@return the text} */
    String read();
  }

  private record NoteObject(ObjectStorage storage) implements Note {
    @Override
    public void write(String text) {
      storage.put("text", text);
    }

    @Override
    public String read() {
      return storage.get("text", String.class).orElse("nothing");
    }
  }

  @BeforeEach
  void nameDirectories() {
    data = parent.resolve("data");
    target = parent.resolve("target");
  }

  private static ObjectRuntime open(Path data, boolean isListening) {
    return Holdfast.open(
        data,
        objects -> {
          objects.namespace("notes", Note.class, context -> new NoteObject(context.storage()));
          if (isListening) {
            objects.options(RuntimeOptions.DEFAULT.withOperatorSocket());
          }
        });
  }

  private static Note note(ObjectRuntime runtime) {
    return runtime.namespace("notes", Note.class).getByName("a");
  }

  private JsonNode backUp() {
    StringWriter printed = new StringWriter();
    int exitCode =
        new CommandLine(new BackupCommand())
            .setOut(new PrintWriter(printed))
            .execute("--data", data.toString(), "--to", target.toString(), "--json");
    assertThat(exitCode).isZero();
    return JsonMapper.shared().readTree(printed.toString());
  }

  private void assertBackedUp(JsonNode backup) {
    assertThat(backup.get("directory").asString()).isEqualTo(target.toString());
    assertThat(backup.get("position").asLong()).isPositive();
    assertThat(backup.get("files").asLong()).isPositive();
    assertThat(backup.get("bytesCopied").asLong()).isPositive();
    assertThat(backup.get("bytesKept").asLong()).isZero();
    assertThat(backup.get("time").asString()).isNotEmpty();
    try (ObjectRuntime runtime = open(target, false)) {
      assertThat(note(runtime).read()).isEqualTo("text");
    }
  }

  @Test
  void stoppedDirectoryIsCopied() {
    try (ObjectRuntime runtime = open(data, false)) {
      note(runtime).write("text");
    }
    assertBackedUp(backUp());
  }

  @Test
  void runningProcessIsAsked() {
    try (ObjectRuntime runtime = open(data, true)) {
      note(runtime).write("text");
      JsonNode backup = backUp();
      note(runtime).write("later");
      assertBackedUp(backup);
    }
  }

  @Test
  void runningProcessWithoutASocketHasExitCodeOne() {
    try (ObjectRuntime runtime = open(data, false)) {
      note(runtime).write("text");
      int exitCode =
          Verb.run(new BackupCommand(), "--data", data.toString(), "--to", target.toString());
      assertThat(exitCode).isEqualTo(1);
      assertThat(target).doesNotExist();
    }
  }
}
