package dev.holdfast.backend.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What large statements take of the memory of a process, and where the rest of it goes. */
final class SortMemoryTest {

  /**
   * The rows take 32 MiB, more where they stay in memory; SQLite takes some 5, the rest is for the
   * JVM.
   */
  private static final long KIBIBYTES_MAX = 20 * 1_024;

  @TempDir private Path root;

  @Test
  @EnabledOnOs(OS.LINUX)
  void statementsLargerThanTheirMemoryGoToFilesThatAreGoneAfterwards() throws Exception {
    Path temporary = Files.createDirectory(root.resolve("temporary"));
    List<String> said = inItsOwnJvm(temporary);

    assertThat(said).filteredOn(line -> line.startsWith("kibibytes ")).hasSize(4);
    assertThat(said)
        .filteredOn(line -> line.startsWith("kibibytes "))
        .allSatisfy(
            line ->
                assertThat(Long.parseLong(line.substring("kibibytes ".length())))
                    .isLessThan(KIBIBYTES_MAX));
    // Deleted as soon as they were open, so that a process that dies leaves none.
    assertThat(said)
        .filteredOn(line -> line.startsWith("files "))
        .hasSize(4)
        .allSatisfy(
            line -> assertThat(line).contains(temporary.toRealPath() + "/").contains("(deleted)"));
    assertThat(said).contains("left 0");
    assertThat(temporary).isEmptyDirectory();
  }

  private List<String> inItsOwnJvm(Path temporary) throws IOException, InterruptedException {
    Process process =
        OwnJvm.start(
            List.of(
                "-Xms32m",
                "-Xmx32m",
                "-XX:+AlwaysPreTouch",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1"),
            Map.of("SQLITE_TMPDIR", temporary.toString()),
            BigSorts.class,
            root.resolve("data").toString());
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output.lines().toList();
  }
}
