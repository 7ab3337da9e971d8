package dev.holdfast.backend.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the document says about tests stays true when tests are renamed or removed. */
final class SqlPromisesTest {

  private static final List<Path> SOURCES =
      Stream.of("backend-sql-sqlite", "embedded", "proof/conformance", "http-api")
          .map(module -> Path.of("..", module, "src/test/java"))
          .toList();

  private static final Pattern NAMED_TEST = Pattern.compile("`([A-Z]\\w*Test(?:\\.\\w+)?)`");

  @Test
  void everyTestThatTheDocumentNamesExists() throws IOException {
    assertThat(checked("../docs/sql.md")).isGreaterThan(60);
    assertThat(checked("../docs/security.md")).isGreaterThan(15);
  }

  private static int checked(String document) throws IOException {
    String text = Files.readString(Path.of(document));
    List<String> named = NAMED_TEST.matcher(text).results().map(found -> found.group(1)).toList();
    for (String name : named) {
      int dot = name.indexOf('.');
      String source = sourceOf(dot < 0 ? name : name.substring(0, dot));
      if (dot >= 0) {
        assertThat(source).as(name).contains("void " + name.substring(dot + 1) + "(");
      }
    }
    return named.size();
  }

  private static String sourceOf(String type) throws IOException {
    for (Path root : SOURCES) {
      try (Stream<Path> files = Files.walk(root)) {
        Path found = files.filter(file -> file.endsWith(type + ".java")).findFirst().orElse(null);
        if (found != null) {
          return Files.readString(found);
        }
      }
    }
    throw new AssertionError("There is no " + type);
  }
}
