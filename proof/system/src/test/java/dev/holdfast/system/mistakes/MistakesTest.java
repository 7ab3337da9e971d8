package dev.holdfast.system.mistakes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The message of each mistake, as {@code mistakes.txt} has it. {@code -Dholdfast.golden.write=true}
 * writes the file again; read the difference before you commit it.
 */
final class MistakesTest {

  private static final Path GOLDEN = Path.of("src/test/resources/mistakes.txt");

  /** The title of a mistake; what the user sees is indented. */
  private static final String TITLE = "# ";

  @TempDir private static Path directory;
  private static @Nullable Host host;

  private static final Map<String, String> expected = new LinkedHashMap<>();
  private static final Map<String, String> seen = new LinkedHashMap<>();

  static List<Mistake> mistakes() {
    return Stream.of(
            RegistrationMistakes.all(),
            IdMistakes.all(),
            CallMistakes.all(),
            ContextMistakes.all(),
            ValueMistakes.all(),
            StorageMistakes.all(),
            SqlMistakes.all(),
            MigrationMistakes.all(),
            AlarmMistakes.all(),
            EventMistakes.all(),
            RecoveryMistakes.all(),
            AdminMistakes.all(),
            ConfigurationMistakes.all(),
            FileMistakes.all(),
            LogMistakes.all())
        .flatMap(List::stream)
        .toList();
  }

  @BeforeAll
  static void open() throws IOException {
    host = new Host(directory);
    String text = Files.exists(GOLDEN) ? Files.readString(GOLDEN) : "";
    for (String entry : text.split("(?m)^" + TITLE, -1)) {
      int end = entry.indexOf('\n');
      if (end > 0) {
        expected.put(
            entry.substring(0, end), entry.substring(end + 1).stripTrailing().stripIndent());
      }
    }
  }

  @AfterAll
  static void close() throws IOException {
    if (host != null) {
      host.close();
    }
    if (Boolean.getBoolean("holdfast.golden.write")) {
      Files.writeString(
          GOLDEN,
          seen.entrySet().stream()
              .map(each -> TITLE + each.getKey() + "\n" + each.getValue().indent(2))
              .collect(Collectors.joining("\n")));
    }
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void mistakeHasItsMessage(Mistake mistake) throws Exception {
    Host shared = host;
    assertThat(shared).isNotNull();
    shared.begin(mistake.title());
    String message = shared.stable(mistake.act().see(shared));
    seen.put(mistake.title(), message);
    if (!Boolean.getBoolean("holdfast.golden.write")) {
      assertThat(message).isEqualTo(expected.get(mistake.title()));
    }
  }

  @Test
  void fileHasTheseMistakesOnly() {
    List<String> titles = mistakes().stream().map(Mistake::title).toList();

    assertThat(titles).doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(70);
    if (!Boolean.getBoolean("holdfast.golden.write")) {
      assertThat(expected.keySet()).containsExactlyElementsOf(titles);
    }
  }
}
