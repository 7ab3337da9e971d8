package dev.holdfast.system.architecture;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks what the pages under docs promise about the build. Maven starts tests in the module's
 * folder.
 */
class DocumentsTest {
  private static final Path ROOT = Path.of("../..");

  /** A library by its version property, a plugin by its pinned version. */
  private static final Pattern PINNED =
      Pattern.compile(
          "<(?<library>[a-z-]+)\\.version>(?<version>[0-9][^<]*)</"
              + "|<artifactId>(?<plugin>[a-z-]+-plugin)</artifactId>\\s*<version>(?<at>[0-9][^<]+)</");

  @Test
  void everyPinnedVersionIsExplained() throws IOException {
    List<String> page = new ArrayList<>(Files.readAllLines(ROOT.resolve("docs/dependencies.md")));
    page.addAll(Files.readAllLines(ROOT.resolve("docs/records/build.md")));
    List<MatchResult> pinned =
        PINNED.matcher(Files.readString(ROOT.resolve("pom.xml"))).results().toList();

    assertThat(pinned).hasSizeGreaterThan(20);
    assertThat(pinned.stream().filter(pin -> page.stream().noneMatch(line -> explains(line, pin))))
        .extracting(MatchResult::group)
        .isEmpty();
  }

  @Test
  void everyLinkLeadsSomewhere() throws IOException {
    assertThat(Links.broken(ROOT)).isEmpty();
  }

  @Test
  void brokenLinksAreFound(@TempDir Path tree) throws IOException {
    Files.writeString(
        tree.resolve("page.md"),
        """
        # A `page` that is read, twice
        ## Twice
        ## Twice
        [good](page.md#a-page-that-is-read-twice), [good](#twice-1), [outside](https://a.example/b.md)
        [no file](other.md), [no heading](page.md#b), `[code](c.md)`
        ```
        [code](d.md)
        ```
        """);

    assertThat(Links.broken(tree)).containsExactly("page.md: other.md", "page.md: page.md#b");
  }

  private static boolean explains(String line, MatchResult pin) {
    return pin.group("plugin") == null
        ? line.contains(pin.group("library")) && line.contains(pin.group("version"))
        : line.contains("`" + pin.group("plugin") + "`") && line.contains(pin.group("at"));
  }

  @Test
  void aDecisionNumberIsGivenOnce() throws IOException {
    try (var records = Files.list(ROOT.resolve("docs/adr"))) {
      Map<String, List<String>> byNumber =
          records
              .map(record -> record.getFileName().toString())
              .collect(groupingBy(name -> name.substring(0, 4)));

      assertThat(byNumber)
          .isNotEmpty()
          .allSatisfy((number, names) -> assertThat(names).as("decision %s", number).hasSize(1));
    }
  }
}
