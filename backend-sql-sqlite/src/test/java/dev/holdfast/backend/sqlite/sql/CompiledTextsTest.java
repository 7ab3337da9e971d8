package dev.holdfast.backend.sqlite.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.TestProcess;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The memory that SQLite takes to compile a text, under {@code SqlLimits.FOREIGN}. */
final class CompiledTextsTest {

  private static final boolean IS_LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final long MEBIBYTES_MAX = 100;

  @TempDir private Path root;

  @Test
  @EnabledOnOs(OS.LINUX)
  void compilingAGeneratedTextTakesNoMoreMemoryThanPromised() throws Exception {
    long seed = IS_LONG ? 1_000_000 : 1;

    List<String> said =
        TestProcess.of(
                CompiledTexts.class,
                root.toString(),
                "" + seed,
                IS_LONG ? "10000" : "300",
                "" + MEBIBYTES_MAX)
            .options("-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch")
            .run();

    assertThat(said).last().isEqualTo(CompiledTexts.DONE);
    assertThat(said).as("seed %d", seed).noneMatch(line -> line.contains(" took "));
    if (IS_LONG) {
      System.out.println("CompiledTextsTest: seed " + seed + ": " + said.get(said.size() - 2));
    }
  }
}
