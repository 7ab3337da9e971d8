package dev.holdfast.cluster.suites;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The list of differences names tests that exist. That each of them is needed is checked where they
 * run: by {@link KnownDifferences}, with {@code -Pnightly}.
 */
final class DifferenceTest {

  private static final Path EMBEDDED = Path.of("..", "embedded", "src", "test", "java");

  @Test
  void testsExist() throws IOException {
    List<Path> sources;
    try (Stream<Path> files = Files.walk(EMBEDDED)) {
      sources = files.filter(file -> file.toString().endsWith(".java")).toList();
    }
    for (Difference difference : Difference.ALL) {
      assertThat(difference.reason()).isNotBlank();
      for (String test : difference.tests()) {
        String[] names = test.split("\\.", -1);
        assertThat(sources)
            .as(test)
            .anySatisfy(file -> assertThat(file).hasFileName(names[0] + ".java"))
            .anySatisfy(file -> assertThat(file).content().contains("void " + names[1] + "("));
      }
    }
    assertThat(Difference.ALL.stream().flatMap(each -> each.tests().stream()))
        .doesNotHaveDuplicates();
  }
}
