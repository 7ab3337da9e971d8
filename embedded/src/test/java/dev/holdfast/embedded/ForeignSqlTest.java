package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What statements of others take of a process, under {@code SqlLimits.FOREIGN}. */
final class ForeignSqlTest {

  private static final Pattern TOOK =
      Pattern.compile("took (\\d+) ms (\\d+) MiB (\\d+) MiB of files: .*", Pattern.DOTALL);

  private static final boolean IS_LONG = "long".equals(System.getProperty("holdfast.tests"));

  private static final long MEBIBYTES_MAX = 100;
  private static final long MEBIBYTES_OF_FILES_MAX = 64;
  private static final long MILLIS_MAX = 2_000;

  @TempDir private Path root;

  /** A figure of time is asserted in long runs only: others share the machine with anything. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void attackTakesNoMoreThanPromised() throws Exception {
    String time = IS_LONG ? "PT1S" : "PT0.2S";
    int every = IS_LONG ? 1 : 4;
    List<String> said = inItsOwnJvm(time, String.valueOf(every));

    List<String> took = said.stream().filter(line -> line.startsWith("took ")).toList();
    assertThat(took).hasSize((ForeignStatements.statements(1 << 14).size() + every - 1) / every);
    assertThat(took).allSatisfy(line -> assertThat(figure(line, 2)).isLessThan(MEBIBYTES_MAX));
    assertThat(took)
        .allSatisfy(line -> assertThat(figure(line, 3)).isLessThan(MEBIBYTES_OF_FILES_MAX));
    if (IS_LONG) {
      assertThat(took).allSatisfy(line -> assertThat(figure(line, 1)).isLessThan(MILLIS_MAX));
    }
  }

  private static long figure(String line, int group) {
    Matcher matcher = TOOK.matcher(line);
    assertThat(matcher.matches()).as(line).isTrue();
    return Long.parseLong(matcher.group(group));
  }

  private List<String> inItsOwnJvm(String... arguments) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            // All of its heap from the beginning: what is measured is the memory beside it.
            "-Xms64m",
            "-Xmx64m",
            "-XX:+AlwaysPreTouch",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-Dslf4j.internal.verbosity=ERROR",
            ForeignStatements.class.getName(),
            root.resolve("data").toString());
    builder.command().addAll(List.of(arguments));
    builder
        .environment()
        .merge("CLASSPATH", classPath(), (ours, more) -> ours + File.pathSeparator + more);
    Process process = builder.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output.lines().toList();
  }

  /** All that this JVM has, also what it has as modules; the tests are patched into one. */
  private static String classPath() {
    String name = ForeignStatements.class.getName().replace('.', '/') + ".class";
    String uri = String.valueOf(ForeignStatements.class.getResource("ForeignStatements.class"));
    Path tests = Path.of(URI.create(uri.substring(0, uri.length() - name.length())));
    return Stream.of(
            tests.toString(),
            System.getProperty("jdk.module.path", ""),
            System.getProperty("java.class.path", ""))
        .filter(each -> !each.isEmpty())
        .collect(Collectors.joining(File.pathSeparator));
  }
}
