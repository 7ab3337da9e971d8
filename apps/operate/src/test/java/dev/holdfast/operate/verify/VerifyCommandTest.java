package dev.holdfast.operate.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.storage.ObjectStorage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The verbs on a small directory, and the commands of {@code docs/operations/verify.md}. */
final class VerifyCommandTest {

  private static final Path PAGE = Path.of("..", "..", "docs", "operations", "verify.md");

  @TempDir private Path parent;
  private Path data;
  private final StringWriter printed = new StringWriter();

  /** An object. */
  public interface Note {

    /** Stores a text. */
    void write(String text);
  }

  private record NoteObject(ObjectStorage storage) implements Note {
    @Override
    public void write(String text) {
      storage.put("text", text);
    }
  }

  @BeforeEach
  void write() {
    data = parent.resolve("data").resolve("app");
    try (ObjectRuntime runtime =
        Holdfast.open(
            data,
            objects ->
                objects
                    .options(
                        RuntimeOptions.DEFAULT.withArchive(
                            ArchiveOptions.to(
                                new DirectoryArchive(data.resolveSibling("archive")))))
                    .namespace(
                        "notes", Note.class, context -> new NoteObject(context.storage())))) {
      runtime.namespace("notes", Note.class).getByName("a").write("x".repeat(10_000));
    }
  }

  private int run(Callable<Integer> command, String... options) {
    printed.getBuffer().setLength(0);
    return new CommandLine(command).setOut(new PrintWriter(printed)).execute(options);
  }

  private void damageObject() throws IOException {
    try (Stream<Path> files = Files.walk(data.resolve("sqlite/notes"))) {
      Path file =
          files.filter(each -> each.toString().endsWith(".sqlite")).findFirst().orElseThrow();
      byte[] bytes = Files.readAllBytes(file);
      bytes[bytes.length - 20] ^= 1;
      Files.write(file, bytes);
    }
  }

  @Test
  void soundDirectoryHasExitCodeZero() {
    assertThat(run(new VerifyCommand(), "--data", data.toString())).isZero();
    assertThat(printed.toString()).startsWith("Sound: journal positions 1 to ");
  }

  @Test
  void findingSaysWhatIsLostAndWhatToDo() throws IOException {
    damageObject();
    assertThat(run(new VerifyCommand(), "--data", data.toString())).isEqualTo(1);
    assertThat(printed.toString())
        .contains("object-damaged: sqlite/notes/", "byte ", "lost:   ", "to do:  ", "1 findings");
    assertThat(run(new VerifyCommand(), "--data", data.toString(), "--json")).isEqualTo(1);
    JsonNode json = JsonMapper.shared().readTree(printed.toString());
    assertThat(json.get("sound").booleanValue()).isFalse();
    JsonNode finding = json.get("findings").get(0);
    assertThat(finding.get("kind").stringValue()).isEqualTo("object-damaged");
    assertThat(finding.get("namespace").stringValue()).isEqualTo("notes");
    assertThat(finding.get("object").stringValue()).hasSize(64);
  }

  @Test
  void repairMakesASoundCopyAndLeavesTheOriginal() throws IOException {
    damageObject();
    String copy = parent.resolve("repaired").toString();
    assertThat(run(new RepairCommand(), "--data", data.toString(), "--to", copy)).isZero();
    assertThat(printed.toString()).contains("done:   Rebuilt ", "is sound; nothing is lost.");
    assertThat(run(new VerifyCommand(), "--data", copy, "--deep")).isZero();
    assertThat(run(new VerifyCommand(), "--data", data.toString())).isEqualTo(1);
  }

  @Test
  void commandsOfThePageRun() throws IOException {
    List<String> lines =
        Files.readAllLines(PAGE).stream()
            .filter(line -> line.startsWith("    ./holdfast "))
            .toList();
    assertThat(lines).hasSize(5);
    for (String line : lines) {
      List<String> words = new ArrayList<>(Arrays.asList(line.strip().split(" ")));
      words.replaceAll(word -> word.startsWith("data/") ? parent.resolve(word).toString() : word);
      Callable<Integer> command =
          words.get(1).equals("verify") ? new VerifyCommand() : new RepairCommand();
      assertThat(run(command, words.subList(2, words.size()).toArray(String[]::new)))
          .describedAs(line)
          .isZero();
    }
  }
}
