package dev.holdfast.system.dependency;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Makes the files of the tutorial and runs its commands, in the order of the page. */
final class TutorialTest {

  /** The last name of a file before a block is that of its content. */
  private static final Pattern BLOCK =
      Pattern.compile(
          "(?ms)^```(?<language>xml|java|sh)\n"
              + "(?<text>.*?)^```$(\\s*^```text\n"
              + "(?<output>.*?)^```$)?");

  private static final Pattern FILE = Pattern.compile("`(pom\\.xml|src/[\\w/]+\\.java)`");

  @TempDir private Path directory;

  @Test
  void everyStepDoesWhatThePageSays() throws Exception {
    OutsideProject project = new OutsideProject(directory);
    String page = Files.readString(Readme.ROOT.resolve("docs/guide/tutorial.md"));
    List<MatchResult> blocks = BLOCK.matcher(page).results().toList();

    assertThat(blocks).filteredOn(block -> block.group("language").equals("sh")).hasSize(4);
    for (MatchResult block : blocks) {
      String text = block.group("text");
      if (block.group("language").equals("sh")) {
        assertPrints(block.group("output"), project.maven(arguments(text)));
      } else {
        project.file(nameBefore(block.start(), page), text);
      }
    }
    assertTestsHaveRun();
  }

  @ParameterizedTest
  @ValueSource(strings = {"5.10.3", "5.13.4"})
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void testsWorkWithOlderVersionsOfJUnit(String version) throws Exception {
    OutsideProject project = new OutsideProject(directory);
    String page = Files.readString(Readme.ROOT.resolve("docs/guide/tutorial.md"));
    for (MatchResult block : BLOCK.matcher(page).results().toList()) {
      if (!block.group("language").equals("sh")) {
        String text = block.group("text").replace("<version>6.1.3<", "<version>" + version + "<");
        project.file(nameBefore(block.start(), page), text);
      }
    }

    assertPrints("", project.mavenOnline("-q", "test"));
    assertThat(Files.readString(directory.resolve("project/pom.xml"))).contains(">" + version);
    assertTestsHaveRun();
  }

  private void assertTestsHaveRun() {
    assertThat(directory.resolve("project/target/surefire-reports/shop.ShopTests.txt"))
        .content()
        .contains("Tests run: 3, Failures: 0, Errors: 0, Skipped: 0");
  }

  private static String[] arguments(String command) {
    assertThat(command).startsWith("mvn ");
    return command.strip().substring("mvn ".length()).split(" ");
  }

  private static String nameBefore(int block, String page) {
    List<MatchResult> names = FILE.matcher(page.substring(0, block)).results().toList();
    return names.getLast().group(1);
  }

  private static void assertPrints(String output, EndedProcess ended) {
    assertThat(ended.exitCode()).as(ended.toString()).isZero();
    assertThat(ended.output()).as(ended.toString()).isEqualTo(output);
    assertThat(ended.errors()).doesNotContain("restricted method", "Exception");
  }
}
