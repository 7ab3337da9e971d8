package dev.holdfast.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The JSON of {@code backup}, {@code restore}, {@code verify} and {@code repair}, in files. */
final class RecordedJsonTest {

  @TempDir private Path temporary;
  private Path data;
  private Path archive;

  @BeforeEach
  void write() {
    data = temporary.resolve("data");
    archive = temporary.resolve("archive");
    RuntimeOptions options =
        RuntimeOptions.DEFAULT.withArchive(ArchiveOptions.to(new DirectoryArchive(archive)));
    try (ObjectRuntime runtime = Shop.open(data, options)) {
      assertThat(runtime).isNotNull();
    }
  }

  private void damageObject() throws IOException {
    try (Stream<Path> files = Files.walk(data.resolve("sqlite/accounts"))) {
      Path file =
          files.filter(each -> each.toString().endsWith(".sqlite")).findFirst().orElseThrow();
      byte[] bytes = Files.readAllBytes(file);
      bytes[bytes.length - 20] ^= 1;
      Files.write(file, bytes);
    }
  }

  private void requireRecorded(String name, int code, String verb, String... arguments)
      throws IOException {
    CommandLineRun run = CommandLineRun.of(verb, arguments);
    assertThat(run.code()).as(run.err()).isEqualTo(code);
    Golden.require("operations/" + name, stable(run.out()));
  }

  /** Replaces what differs from run to run: paths, times, amounts, and when the close saved. */
  private String stable(String json) {
    return json.replace(temporary.toString(), "DIR")
        .replaceAll("(\"(\\w*[bB]ytes\\w*|seconds|files|chunks|\\w*[pP]osition)\" : )[0-9]+", "$10")
        .replaceAll("(\"time\" : )\"[^\"]+\"", "$1\"TIME\"");
  }

  @Test
  void backup() throws IOException {
    String target = temporary.resolve("backup").toString();
    requireRecorded("backup", 0, "backup", "--data", data.toString(), "--to", target, "--json");
  }

  @Test
  void restore() throws IOException {
    String target = temporary.resolve("restored").toString();
    requireRecorded(
        "restore", 0, "restore", "--from", archive.toString(), "--to", target, "--json");
  }

  @Test
  void verify() throws IOException {
    requireRecorded("verify", 0, "verify", "--data", data.toString(), "--json");
    requireRecorded("verify-archive", 0, "verify", "--data", archive.toString(), "--json");
    requireRecorded(
        "verify-archive-deep", 0, "verify", "--data", archive.toString(), "--deep", "--json");
    damageObject();
    requireRecorded("verify-damaged", 1, "verify", "--data", data.toString(), "--json");
  }

  @Test
  void repair() throws IOException {
    damageObject();
    String target = temporary.resolve("repaired").toString();
    requireRecorded("repair", 0, "repair", "--data", data.toString(), "--to", target, "--json");
  }
}
