package dev.holdfast.backend.sqlite.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.TestProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** How much of a process's memory large statements take, and where the rest of their data goes. */
final class SortMemoryTest {

  /**
   * The rows take 32 MiB, more where they stay in memory; SQLite takes about 5, the rest is for the
   * JVM.
   */
  private static final long KIBIBYTES_MAX = 20 * 1_024;

  @TempDir private Path root;

  @Test
  @EnabledOnOs(OS.LINUX)
  void statementsLargerThanTheirMemoryGoToFilesThatAreGoneAfterwards() throws Exception {
    Path temporary = Files.createDirectory(root.resolve("temporary"));
    List<String> said =
        TestProcess.of(BigSorts.class, root.resolve("data").toString())
            .options("-Xms32m", "-Xmx32m", "-XX:+AlwaysPreTouch")
            .environment("SQLITE_TMPDIR", temporary.toString())
            .run();

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
}
