package dev.holdfast.guide;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The examples of the README compile and run in a separate project, with the documented dependency.
 */
final class ReadmeExampleTest {

  private static final Readme README = Readme.read();

  /**
   * What all examples except the first omit: imports and existing objects. A type of one example is
   * visible to others only if it is repeated here.
   */
  private static final String EXAMPLES =
      """
      import dev.holdfast.*;
      import dev.holdfast.alarm.*;
      import dev.holdfast.errors.*;
      import dev.holdfast.health.*;
      import dev.holdfast.embedded.*;
      import dev.holdfast.http.*;
      import dev.holdfast.http.server.*;
      import dev.holdfast.recovery.*;
      import dev.holdfast.sql.*;
      import dev.holdfast.statistics.*;
      import dev.holdfast.testkit.*;
      import java.nio.file.*;
      import java.time.*;
      import java.util.*;

      class Examples {
        interface Counter {}

        interface Reminder {
          void remind(String text, Instant time);
        }

        record ReminderObject(ObjectContext context) implements Reminder {
          public void remind(String text, Instant time) {}
        }

        ObjectContext context;
        ObjectRuntime runtime;
        Path directory;

        void run() throws Exception {
          {
      %s
          }
        }
      }
      """;

  @TempDir private Path directory;

  @Test
  void exampleRunsOnClassPathAndModulePathWithNothingButTheDependency() throws Exception {
    OutsideProject project = new OutsideProject(directory, README.block("xml"));
    project.source("Visits.java", README.block("java"));
    project.compile();

    assertIsVisit(1, project.java("--enable-native-access=ALL-UNNAMED", "Visits"));
    assertIsVisit(2, project.java("--enable-native-access=ALL-UNNAMED", "Visits"));

    project.clean();
    project.source("module-info.java", "module visits { requires dev.holdfast; exports visits; }");
    project.source("visits/Visits.java", "package visits;\n" + README.block("java"));

    assertIsVisit(
        3,
        project.javaModule("--enable-native-access=org.xerial.sqlitejdbc", "visits/visits.Visits"));
  }

  /** The log has one line for the opening and one for the close, and no warning. */
  private static void assertIsVisit(int number, EndedProcess ended) {
    assertThat(ended.exitCode()).as(ended.toString()).isZero();
    assertThat(ended.output()).isEqualTo("visit " + number + "\n");
    assertThat(ended.errors().lines().filter(line -> !line.contains("EventLog")))
        .satisfiesExactly(
            line -> assertThat(line).startsWith("INFO: runtime-opened: "),
            line -> assertThat(line).startsWith("INFO: runtime-closed: "));
  }

  @Test
  void everyOtherExampleCompilesInAMethod() {
    List<String> examples = README.blocks("java").stream().skip(1).toList();

    assertThat(examples).hasSizeGreaterThanOrEqualTo(4);
    assertThat(Examples.errors(EXAMPLES.formatted(String.join("}\n{\n", examples)), directory))
        .isEmpty();
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
