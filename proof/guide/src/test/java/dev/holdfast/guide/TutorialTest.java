package dev.holdfast.guide;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Makes the files of the pages that begin in an empty directory, and runs their commands, in the
 * order of the page.
 */
final class TutorialTest {

  /** The last name of a file before a block is that of its content. */
  private static final Pattern BLOCK =
      Pattern.compile(
          "(?ms)^```(?<language>xml|java|kotlin|sql|properties|sh)\n"
              + "(?<text>.*?)^```$(\\s*^```text\n"
              + "(?<output>.*?)^```$)?");

  private static final Pattern FILE =
      Pattern.compile(
          "`(pom\\.xml|src/[\\w/]+\\.(java|kt|sql)|src/main/resources/META-INF/services/[\\w.]+)`");

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));

  @TempDir private Path directory;

  @Test
  void everyStepDoesWhatThePageSays() throws Exception {
    OutsideProject project = new OutsideProject(directory);
    assertThat(follow(project, "tutorial", project::maven)).isEqualTo(4);
    assertTestsHaveRun("ShopTests", 3);
  }

  @Test
  void pageOfTestsDoesWhatItSays() throws Exception {
    OutsideProject project = new OutsideProject(directory);
    assertThat(followAtOnce(project, "testing")).isEqualTo(2);
    assertTestsHaveRun("CartTests", 2);
    assertTestsHaveRun("GivenLinesTests", 1);
  }

  @Test
  void pageOfBackendsDoesWhatItSays() throws Exception {
    OutsideProject project = new OutsideProject(directory);
    assertThat(followAtOnce(project, "backend")).isEqualTo(3);
    assertThat(directory.resolve("project/target/surefire-reports/memory.MemoryContractTests.txt"))
        .content()
        .contains("Failures: 0, Errors: 0, Skipped: 0");
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void pageOfSpringDoesWhatItSays() throws Exception {
    OutsideProject project = new OutsideProject(directory);
    assertThat(follow(project, "spring", project::mavenOnline)).isEqualTo(1);
    assertTestsHaveRun("CartTests", 1);
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void pageOfKotlinDoesWhatItSays() throws Exception {
    OutsideProject project = new OutsideProject(directory);
    assertThat(follow(project, "kotlin", project::mavenOnline)).isEqualTo(2);
  }

  private interface Maven {
    EndedProcess run(String... arguments) throws Exception;
  }

  /** Makes the files of a page and runs its commands; returns how many. */
  private static int follow(OutsideProject project, String name, Maven maven) throws Exception {
    String page = Files.readString(Readme.ROOT.resolve("docs/guide/" + name + ".md"));
    int commands = 0;
    for (MatchResult block : BLOCK.matcher(page).results().toList()) {
      String text = block.group("text");
      if (block.group("language").equals("sh")) {
        commands++;
        assertPrints(block.group("output"), maven.run(arguments(text)));
      } else {
        project.file(nameBefore(block.start(), page), text);
      }
    }
    return commands;
  }

  /**
   * Follows a page whose files do not change: makes all, and runs the commands in one Maven, each
   * phase once. The long tests run them one by one.
   */
  private static int followAtOnce(OutsideProject project, String name) throws Exception {
    if (LONG) {
      return follow(project, name, project::maven);
    }
    List<String> goals = new ArrayList<>();
    List<Optional<String>> outputs = new ArrayList<>();
    String page = Files.readString(Readme.ROOT.resolve("docs/guide/" + name + ".md"));
    for (MatchResult block : BLOCK.matcher(page).results().toList()) {
      String text = block.group("text");
      if (block.group("language").equals("sh")) {
        outputs.add(Optional.ofNullable(block.group("output")));
        for (String goal : arguments(text)) {
          if (goal.contains(":") || !goals.contains(goal)) {
            goals.add(goal);
          }
        }
      } else {
        project.file(nameBefore(block.start(), page), text);
      }
    }
    EndedProcess ended = project.maven(goals.toArray(String[]::new));
    assertPrints(outputs.stream().allMatch(Optional::isPresent) ? texts(outputs) : null, ended);
    assertThat(ended.output()).endsWith(texts(outputs));
    return outputs.size();
  }

  private static String texts(List<Optional<String>> outputs) {
    return outputs.stream().flatMap(Optional::stream).collect(Collectors.joining());
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
    assertTestsHaveRun("ShopTests", 3);
  }

  private void assertTestsHaveRun(String test, int count) {
    assertThat(directory.resolve("project/target/surefire-reports/shop." + test + ".txt"))
        .content()
        .contains("Tests run: " + count + ", Failures: 0, Errors: 0, Skipped: 0");
  }

  private static String[] arguments(String command) {
    assertThat(command).startsWith("mvn ");
    return command.strip().substring("mvn ".length()).split(" ");
  }

  private static String nameBefore(int block, String page) {
    List<MatchResult> names = FILE.matcher(page.substring(0, block)).results().toList();
    return names.getLast().group(1);
  }

  /** Compares what is printed; null for a page that does not say. */
  private static void assertPrints(@Nullable String output, EndedProcess ended) {
    assertThat(ended.exitCode()).as(ended.toString()).isZero();
    if (output != null) {
      assertThat(ended.output()).as(ended.toString()).isEqualTo(output);
      assertThat(ended.errors()).doesNotContain("restricted method", "Exception");
    }
  }
}
