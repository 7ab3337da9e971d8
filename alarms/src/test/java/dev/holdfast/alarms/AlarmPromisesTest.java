package dev.holdfast.alarms;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The test references of the document stay valid when tests are renamed or removed. */
final class AlarmPromisesTest {

  private static final List<Path> SOURCES =
      Stream.of(
              "alarms/src/test",
              "embedded/src/test",
              "backend-sql-sqlite/src/test",
              "proof/system/src/test",
              "proof/contract/src/main")
          .map(Path.of("..")::resolve)
          .toList();

  private static final Pattern NAMED_TEST =
      Pattern.compile("`([A-Z]\\w*(?:Test|Contract))\\.(\\w+)`");

  @Test
  void everyTestThatTheDocumentNamesExists() throws IOException {
    String text = Files.readString(Path.of("../docs/alarms.md"));
    List<MatchResult> named = NAMED_TEST.matcher(text).results().toList();

    assertThat(named).hasSizeGreaterThan(40);
    for (MatchResult test : named) {
      assertThat(sourceOf(test.group(1)))
          .as(test.group(1))
          .containsPattern("\\bvoid " + test.group(2) + "\\(");
    }
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
