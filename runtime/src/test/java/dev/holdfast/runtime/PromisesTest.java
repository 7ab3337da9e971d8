package dev.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the documents say about tests stays true when tests are renamed or removed. */
final class PromisesTest {

  /** The own tests first; a fault of storage is found by those of its module. */
  private static final List<Path> SOURCES =
      Stream.of("runtime", "journal", "backend-sql-sqlite", "backend-kv-rocksdb", "embedded")
          .map(module -> Path.of("..", module, "src/test/java"))
          .toList();

  private static final Pattern NAMED_TEST = Pattern.compile("`([A-Z]\\w*Test(?:\\.\\w+)?)`");

  @ParameterizedTest
  @ValueSource(strings = {"engine.md", "planted-faults.md"})
  void everyTestThatTheDocumentNamesExists(String document) throws IOException {
    String text = Files.readString(Path.of("../docs").resolve(document));
    List<String> named = NAMED_TEST.matcher(text).results().map(found -> found.group(1)).toList();

    assertThat(named).hasSizeGreaterThan(30);
    assertThat(named).allSatisfy(PromisesTest::requireTest);
  }

  /** Looks for a class, or for a method of one behind a dot. */
  private static void requireTest(String name) throws IOException {
    int dot = name.indexOf('.');
    String type = dot < 0 ? name : name.substring(0, dot);
    String source = Files.readString(sourceOf(type));
    if (dot >= 0) {
      boolean exists = source.contains("void " + name.substring(dot + 1) + "(");
      assertThat(exists).as(name + " exists").isTrue();
    }
  }

  private static Path sourceOf(String type) throws IOException {
    for (Path root : SOURCES) {
      try (Stream<Path> files = Files.walk(root)) {
        Optional<Path> found = files.filter(file -> file.endsWith(type + ".java")).findFirst();
        if (found.isPresent()) {
          return found.get();
        }
      }
    }
    throw new AssertionError("There is no " + type);
  }
}
