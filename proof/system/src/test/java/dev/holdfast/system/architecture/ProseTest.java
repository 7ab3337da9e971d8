package dev.holdfast.system.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Documents, comments and messages are in plain technical English. */
class ProseTest {
  private static final Path ROOT = Path.of("../..");

  /** Code that breaks the rule on purpose. */
  private static final List<String> EXCLUDED =
      List.of("proof/system/src/test/java/dev/holdfast/system/architecture/violations/");

  @Test
  void textsHaveNoneOfThePhrases() throws IOException {
    assertThat(Prose.below(ROOT, EXCLUDED)).isEmpty();
  }
}
