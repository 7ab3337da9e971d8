package dev.holdfast.system.dependency;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A newcomer's first hour: what the README shows, in a project of its own, with its only line. */
final class ReadmeExampleTest {

  private static final Readme README = Readme.read();

  @TempDir private Path directory;

  @Test
  void exampleRunsOnClassPathAndModulePathWithNothingButTheDependency() throws Exception {
    OutsideProject project = new OutsideProject(directory, README.block("xml"));
    project.source("Visits.java", README.block("java"));
    project.compile();

    assertThat(project.java("--enable-native-access=ALL-UNNAMED", "Visits"))
        .isEqualTo(new Run(0, "visit 1\n", ""));
    assertThat(project.java("--enable-native-access=ALL-UNNAMED", "Visits"))
        .isEqualTo(new Run(0, "visit 2\n", ""));

    project.clean();
    project.source("module-info.java", "module visits { requires dev.holdfast; exports visits; }");
    project.source("visits/Visits.java", "package visits;\n" + README.block("java"));

    assertThat(
            project.javaModule(
                "--enable-native-access=org.xerial.sqlitejdbc", "visits/visits.Visits"))
        .isEqualTo(new Run(0, "visit 3\n", ""));
  }

  @Test
  void exampleIsAsShortAsItSays() {
    assertThat(README.block("java").lines().filter(line -> !line.isBlank()).count())
        .isLessThanOrEqualTo(26);
  }

  @Test
  void everyCommandTheReadmeShowsExists() {
    Path root = Readme.ROOT;
    List<String> programs =
        README
            .text()
            .lines()
            .map(String::strip)
            .filter(line -> line.startsWith("./"))
            .map(line -> line.split(" ", 2)[0])
            .distinct()
            .toList();

    assertThat(programs).contains("./mvnw", "./holdfast");
    assertThat(programs).allMatch(program -> Files.isExecutable(root.resolve(program)));
  }
}
