package dev.holdfast.system.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The bill of materials names the versions of the build. */
class BomTest {

  private static final Path ROOT = Path.of("../..");
  private static final Pattern ENTRY =
      Pattern.compile(
          "<groupId>([^<]+)</groupId>\\s*<artifactId>([^<]+)</artifactId>\\s*<version>([^<]+)<");

  private record Entry(String group, String artifact, String version) {}

  private static List<Entry> entries(String pom) throws Exception {
    return ENTRY
        // Profiles have plugins.
        .matcher(Files.readString(ROOT.resolve(pom)).replaceAll("(?s)<profiles>.*</profiles>", ""))
        .results()
        .map(found -> new Entry(found.group(1), found.group(2), found.group(3)))
        .toList();
  }

  @Test
  void versionsAreThoseOfTheBuild() throws Exception {
    String build = Files.readString(ROOT.resolve("pom.xml"));
    List<Entry> managed = entries("pom.xml");
    for (Entry each : entries("bom/pom.xml")) {
      String version =
          managed.stream()
              .filter(own -> own.artifact().equals(each.artifact()))
              .map(Entry::version)
              .findFirst()
              .orElse("${project.version}");
      String name = version.substring(2, version.length() - 1);
      String value =
          name.equals("project.version")
              ? managed.getFirst().version()
              : build.replaceAll("(?s).*<" + Pattern.quote(name) + ">([^<]+)<.*", "$1");
      assertThat(each.version()).as(each.artifact()).isEqualTo(value);
    }
  }
}
