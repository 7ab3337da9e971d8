package dev.holdfast.system.architecture;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
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

  private static final Pattern NUMBER = Pattern.compile("#+ (\\d+)\\.");

  private static final Pattern RECORDS =
      Pattern.compile("^docs/records/|^benchmarks/results/|/src/test/|^CHANGELOG\\.md$");

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
    List<String> titles = new ArrayList<>();
    try (var decisions = Files.list(ROOT.resolve("docs/adr"))) {
      for (Path each : decisions.toList()) {
        titles.add(Files.readAllLines(each).getFirst());
      }
    }
    try (var lines = Files.lines(ROOT.resolve("docs/records/smaller-decisions.md"))) {
      lines.filter(line -> line.startsWith("## ")).forEach(titles::add);
    }
    Map<String, List<String>> byNumber =
        titles.stream()
            .map(NUMBER::matcher)
            .filter(Matcher::lookingAt)
            .collect(groupingBy(title -> title.group(1), mapping(Matcher::group, toList())));

    assertThat(byNumber)
        .hasSizeGreaterThan(70)
        .allSatisfy((number, given) -> assertThat(given).as("decision %s", number).hasSize(1));
  }

  /** Records of proofs and figures are apart: nobody reads them from end to end. */
  @Test
  void documentsAreShortEnoughToBeRead() throws IOException {
    int words = 0;
    for (Path page : Links.pages(ROOT)) {
      String name = ROOT.relativize(page).toString().replace('\\', '/');
      if (!RECORDS.matcher(name).find()) {
        words += Files.readString(page).strip().split("\\s+").length;
      }
    }
    assertThat(words).isBetween(50_000, 90_000);
  }
}
