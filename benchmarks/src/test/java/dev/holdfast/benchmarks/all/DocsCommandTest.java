package dev.holdfast.benchmarks.all;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The block of docs/benchmarks.md. */
class DocsCommandTest {

  @TempDir private Path results;

  private void result(String name, String page) throws IOException {
    Files.writeString(Files.createDirectory(results.resolve(name)).resolve("README.md"), page);
  }

  /** If this fails, run {@code ./holdfast bench docs}. */
  @Test
  void documentHasTheNewestResults() throws IOException {
    String page = Files.readString(Path.of("../docs/benchmarks.md"));
    assertThat(page).isEqualTo(DocsCommand.replaced(page, DocsCommand.block(Path.of("results"))));
  }

  @Test
  void blockHasTheNewestFiguresWithTargetsAndLinksToTheOthers() throws IOException {
    result("2026-01-01-compare", "# Old\n\n| old |\n");
    result("2026-01-02-compare", "# New\n\n| new |\n");
    result("2026-01-02-other", "# Other\n\n| other |\n");
    result("2026-01-01-judged", "# Old\n\n| old |\n");
    result("2026-01-02-judged", "# Judged\n\n| judged |\n\n## Plots\n\n| no |\n");
    assertThat(DocsCommand.block(results))
        .containsSubsequence(
            "2026-01-02-judged",
            "| judged |",
            "(../benchmarks/results/2026-01-02-compare/README.md)")
        .doesNotContain("| old |", "other", "| new |", "no |", "2026-01-01");
    assertThatIllegalArgumentException().isThrownBy(() -> DocsCommand.replaced("no block", ""));
  }
}
