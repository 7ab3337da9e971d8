package dev.holdfast.system.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What documents say about tests stays true when tests are renamed or removed. */
final class PromisesTest {

  private static final Path ROOT = Path.of("../..");

  /** Perhaps the path of a module, a test class or a contract, and perhaps a method. */
  private static final Pattern NAMED_TEST =
      Pattern.compile(
          "`(?:([a-z][a-z-]*(?:/[a-z][a-z-]*)*)/)?([A-Z]\\w*(?:Test|Contract))(?:\\.(\\w+))?`");

  private static final Pattern TEST_FILE = Pattern.compile("([A-Z]\\w*(?:Test|Contract))\\.java");

  /** The files of tests and contracts, by class: a name belongs to one class in the repository. */
  private static final Map<String, Path> FILES = new HashMap<>();

  @BeforeAll
  static void findFiles() throws IOException {
    for (String directory : List.of(".", "proof", "apps")) {
      try (DirectoryStream<Path> modules = Files.newDirectoryStream(ROOT.resolve(directory))) {
        for (Path module : modules) {
          findFiles(module.normalize().resolve("src"));
        }
      }
    }
  }

  private static void findFiles(Path sources) throws IOException {
    if (!Files.exists(sources)) {
      return;
    }
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Matcher name = TEST_FILE.matcher(String.valueOf(file.getFileName()));
        if (name.matches()) {
          assertThat(FILES.put(name.group(1), file)).as("another %s", name.group(1)).isNull();
        }
      }
    }
  }

  /** The numbers show that the names are still found. */
  @ParameterizedTest
  @CsvSource({
    "docs/records/promises/engine.md, 30",
    "docs/records/promises/key-values.md, 60",
    "docs/records/promises/sql.md, 60",
    "docs/records/promises/security.md, 15",
    "docs/records/promises/alarms.md, 40",
    "docs/records/promises/recovery.md, 60",
    "docs/records/promises/http-api.md, 60",
    "docs/records/promises/filters.md, 50",
    "docs/records/promises/events.md, 12",
    "docs/records/planted-faults.md, 30"
  })
  void everyTestThatAListOfPromisesNamesExists(String document, int atLeast) throws IOException {
    assertThat(checked(ROOT.resolve(document))).isGreaterThan(atLeast);
  }

  @Test
  void everyTestThatAnyDocumentNamesExists() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (file.toString().endsWith(".md")) {
          checked(file);
        }
      }
    }
    checked(ROOT.resolve("ARCHITECTURE.md"));
    checked(ROOT.resolve("CONTRIBUTING.md"));
    checked(ROOT.resolve("README.md"));
  }

  private static int checked(Path document) throws IOException {
    List<MatchResult> named = NAMED_TEST.matcher(Files.readString(document)).results().toList();
    for (MatchResult test : named) {
      Path file = FILES.get(test.group(2));
      assertThat(file).as("%s names %s", document, test.group()).isNotNull();
      if (test.group(1) != null) {
        assertThat(file.startsWith(ROOT.resolve(test.group(1)))).as(test.group()).isTrue();
      }
      if (test.group(3) != null) {
        boolean exists = Files.readString(file).contains(" " + test.group(3) + "(");
        assertThat(exists).as("%s names %s", document, test.group()).isTrue();
      }
    }
    return named.size();
  }
}
