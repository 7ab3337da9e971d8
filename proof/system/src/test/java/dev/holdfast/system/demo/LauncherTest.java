package dev.holdfast.system.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.system.process.Mounts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script itself, in a separate tree with a JDK and a build that only print their arguments. */
final class LauncherTest {

  private static final Path SCRIPT = Path.of("../../holdfast").toAbsolutePath().normalize();
  private static final FileTime LONG_AGO = FileTime.from(Instant.EPOCH);

  @TempDir private Path directory;
  private Path root;
  private Path jdk;

  @BeforeEach
  void makeTree() throws IOException {
    root = Files.createDirectories(directory.resolve("a checkout"));
    Files.copy(SCRIPT, root.resolve("holdfast"));
    script(root.resolve("mvnw"), "echo \"built by $JAVA_HOME: $*\" >> \"${0%/*}/builds\"");
    Files.createFile(root.resolve("pom.xml"));
    module("apps/ledger");
    module("proof/crash");
    module("journal");
    jdk = jdk("jdk", "25.0.3");
  }

  @Test
  void helpNeedsNoJdkAndNamesTheVerbs() throws Exception {
    Run run = run("env", "-u", "JAVA_HOME", launcher(), "help");

    assertThat(run.exitCode()).isZero();
    assertThat(run.output()).contains("demo", "crash-test", "bench");
    assertThat(run(launcher())).isEqualTo(run);
  }

  @Test
  void unknownVerbIsNamedWithExitCodeTwo() throws Exception {
    Run run = run(launcher(), "demolish");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.output()).contains("unknown verb \"demolish\"").contains("./holdfast help");
    assertThat(root.resolve("builds")).doesNotExist();
  }

  @Test
  void verbIsStartedWithItsOptionsAsTheyAre() throws Exception {
    Run run = withJdk(jdk, launcher(), "demo", "--file", "my transfers.csv");

    assertThat(run.output())
        .contains("java: ")
        .contains("--enable-native-access=ALL-UNNAMED")
        .contains(root + "/apps/ledger/target/lib/*")
        .contains("[dev.holdfast.ledger.demo.DemoCommand] [--file] [my transfers.csv]");
  }

  @Test
  void optionsOfTheEnvironmentComeAfterTheLaunchersOwn() throws Exception {
    Run run =
        withJdk(
            jdk,
            "HOLDFAST_JAVA_OPTS=  -Xmx2g\n\t-Da=b\fc -XX:StartFlightRecording=filename=%p.jfr ",
            launcher(),
            "demo");

    assertThat(run.output())
        .containsSubsequence(
            "[-Xmx1g]",
            "[-Xmx2g]",
            "[-Da=b\fc]",
            "[-XX:StartFlightRecording=filename=%p.jfr]",
            "[--class-path]");
    assertThat(withJdk(jdk, "HOLDFAST_JAVA_OPTS=", launcher(), "demo").output())
        .doesNotContain("[]");
  }

  @Test
  void symbolicLinksLeadToTheTree() throws Exception {
    Path second = Files.createSymbolicLink(directory.resolve("second"), root.resolve("holdfast"));
    Path first = Files.createSymbolicLink(directory.resolve("first"), second.getFileName());

    assertThat(withJdk(jdk, first.toString(), "crash-test").output())
        .contains(root + "/proof/crash/target/classes");
  }

  @Test
  void buildRunsOnceAndAgainWhenASourceIsNewer() throws Exception {
    withJdk(jdk, launcher(), "demo");
    withJdk(jdk, launcher(), "demo");
    assertThat(Files.readAllLines(root.resolve("builds")))
        .singleElement()
        .asString()
        .contains("built by " + jdk)
        .contains("-pl apps/ledger -am package");

    Files.setLastModifiedTime(root.resolve("apps/ledger/target/launcher-stamp"), LONG_AGO);
    withJdk(jdk, launcher(), "demo");

    assertThat(Files.readAllLines(root.resolve("builds"))).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pom.xml",
        "journal/pom.xml",
        "journal/src/main/java",
        "proof/crash/pom.xml",
        "proof/crash/src/main/java"
      })
  void changeOfAnyModuleIsBuilt(String changed) throws Exception {
    withJdk(jdk, launcher(), "demo");
    FileTime later = FileTime.from(Instant.parse("2999-01-01T00:00:00Z"));
    Files.setLastModifiedTime(root.resolve(changed), later);

    withJdk(jdk, launcher(), "demo");

    assertThat(Files.readAllLines(root.resolve("builds"))).hasSize(2);
  }

  @Test
  void failedBuildIsShownAndTriedAgain() throws Exception {
    script(root.resolve("mvnw"), "echo no network; exit 1");

    Run run = withJdk(jdk, launcher(), "demo");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.output()).contains("no network").contains("the build failed");
    assertThat(root.resolve("apps/ledger/target/launcher-stamp")).doesNotExist();
  }

  /** Such as in cron, in a container, or where the locale of another machine is not installed. */
  @ParameterizedTest
  @ValueSource(strings = {"LC_ALL=C", "LC_ALL=POSIX", "LANG=", "LANG=xx_XX.UTF-8"})
  void lettersAreUtf8WithoutALocale(String locale) throws Exception {
    Run run =
        withJdk(
            Path.of(System.getProperty("java.home")),
            "env",
            "-u",
            "LC_ALL",
            "-u",
            "LC_CTYPE",
            "-u",
            "LANG",
            locale,
            "HOLDFAST_JAVA_OPTS=-XshowSettings:properties -version",
            launcher(),
            "demo");

    assertThat(run.output())
        .contains("sun.jnu.encoding = UTF-8", "stdout.encoding = UTF-8")
        .doesNotContain("warning");
  }

  @Test
  void olderJdkInJavaHomeIsPassedOver() throws Exception {
    Run run = withJdk(jdk("old", "17.0.2"), launcher(), "demo");

    assertThat(run.output()).doesNotContain("old/bin/java");
  }

  @Test
  void missingJdkIsReportedWithWhatToInstall() throws Exception {
    List<String> command = new ArrayList<>(Mounts.small("size=1m", Path.of("/usr/lib/jvm")));
    Mounts.assumePossible(command);
    command.addAll(List.of("env", "-u", "JAVA_HOME", "-u", "JAVA25_HOME", "HOME=/nowhere"));
    command.addAll(List.of("PATH=/usr/bin:/bin", launcher(), "demo"));

    Run run = run(command.toArray(String[]::new));

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.output()).contains("no JDK 25 or newer").contains("temurin-25-jdk");
  }

  private void module(String path) throws IOException {
    Files.createDirectories(root.resolve(path).resolve("src/main/java"));
    Files.createDirectories(root.resolve(path).resolve("target"));
    Files.createFile(root.resolve(path).resolve("pom.xml"));
  }

  /** A JDK whose java only prints its arguments. */
  private Path jdk(String name, String version) throws IOException {
    Path home = directory.resolve(name);
    Files.createDirectories(home.resolve("bin"));
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
    script(home.resolve("bin/java"), "echo \"java: $0\"; printf '[%s] ' \"$@\"");
    script(home.resolve("bin/javac"), "exit 1");
    return home;
  }

  private static void script(Path file, String text) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + text + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private String launcher() {
    return root.resolve("holdfast").toString();
  }

  private Run withJdk(Path home, String... command) throws Exception {
    List<String> all = new ArrayList<>(List.of("env", "JAVA_HOME=" + home));
    all.addAll(List.of(command));
    return run(all.toArray(String[]::new));
  }

  private record Run(int exitCode, String output) {}

  private Run run(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Run(process.waitFor(), output);
  }
}
