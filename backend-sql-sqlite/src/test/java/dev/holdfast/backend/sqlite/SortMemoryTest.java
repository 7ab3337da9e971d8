package dev.holdfast.backend.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What large statements take of the memory of a process, and where the rest of it goes. */
final class SortMemoryTest {

  /**
   * The rows take 32 MiB, more where they stay in memory; SQLite takes some 5, the rest is for the
   * JVM.
   */
  private static final long KIBIBYTES_MAX = 20 * 1_024;

  @TempDir private Path root;

  @Test
  @EnabledOnOs(OS.LINUX)
  void statementsLargerThanTheirMemoryGoToFilesThatAreGoneAfterwards() throws Exception {
    Path temporary = Files.createDirectory(root.resolve("temporary"));
    List<String> said = inItsOwnJvm(temporary);

    assertThat(said).filteredOn(line -> line.startsWith("kibibytes ")).hasSize(4);
    assertThat(said)
        .filteredOn(line -> line.startsWith("kibibytes "))
        .allSatisfy(
            line ->
                assertThat(Long.parseLong(line.substring("kibibytes ".length())))
                    .isLessThan(KIBIBYTES_MAX));
    // Deleted as soon as they were open, so that a process that dies leaves none.
    assertThat(said)
        .filteredOn(line -> line.startsWith("files "))
        .hasSize(4)
        .allSatisfy(
            line -> assertThat(line).contains(temporary.toRealPath() + "/").contains("(deleted)"));
    assertThat(said).contains("left 0");
    assertThat(temporary).isEmptyDirectory();
  }

  private List<String> inItsOwnJvm(Path temporary) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xms32m",
            "-Xmx32m",
            "-XX:+AlwaysPreTouch",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-Dslf4j.internal.verbosity=ERROR",
            BigSorts.class.getName(),
            root.resolve("data").toString());
    builder.environment().put("SQLITE_TMPDIR", temporary.toString());
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
    String name = BigSorts.class.getName().replace('.', '/') + ".class";
    String uri = String.valueOf(BigSorts.class.getResource("BigSorts.class"));
    Path tests = Path.of(URI.create(uri.substring(0, uri.length() - name.length())));
    return Stream.of(
            tests.toString(),
            System.getProperty("jdk.module.path", ""),
            System.getProperty("java.class.path", ""))
        .filter(each -> !each.isEmpty())
        .collect(Collectors.joining(File.pathSeparator));
  }
}
