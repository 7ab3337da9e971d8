package dev.holdfast.system.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What documents say about tests of all modules stays true when tests change. */
final class PromisesTest {

  private static final Path ROOT = Path.of("../..");

  /** The path of a module, a test class of it or a contract, and perhaps a method. */
  private static final Pattern NAMED_TEST =
      Pattern.compile("`([a-z][a-z-]*(?:/[a-z][a-z-]*)*)/([A-Z]\\w*)(?:\\.(\\w+))?`");

  @ParameterizedTest
  @ValueSource(strings = {"docs/key-values.md", "docs/http-api.md", "docs/recovery.md"})
  void everyTestThatTheDocumentNamesExists(String document) throws IOException {
    List<MatchResult> named =
        NAMED_TEST.matcher(Files.readString(ROOT.resolve(document))).results().toList();

    assertThat(named).hasSizeGreaterThan(60);
    for (MatchResult test : named) {
      String source = source(test.group(1), test.group(2));
      String mark = test.group(3) == null ? test.group(2) : " " + test.group(3) + "(";
      assertThat(source.contains(mark)).as("%s exists", test.group()).isTrue();
    }
  }

  private static String source(String module, String type) throws IOException {
    try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src"))) {
      return Files.readString(
          files
              .filter(file -> file.endsWith(type + ".java"))
              .findFirst()
              .orElseThrow(() -> new AssertionError("no " + type + " in " + module)));
    }
  }
}
