package dev.holdfast.served;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The published TypeScript client of the service whose API this is, unchanged, on our server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PublishedClientTest {

  private static final Path DIRECTORY = Path.of("typescript-client");

  private ServedApi served;

  @BeforeAll
  void start(@TempDir Path directory) {
    assumeTrue(node().isPresent(), "no node: apt-get install nodejs npm");
    assumeTrue(
        Files.isDirectory(DIRECTORY.resolve("node_modules/cloudflare")),
        "no client: run \"npm ci\" in proof/server/typescript-client");
    served = new ServedApi(directory);
  }

  @AfterAll
  void stop() {
    if (served != null) {
      served.close();
    }
  }

  private static Optional<Path> node() {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
        .map(directory -> Path.of(directory, "node"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  @ParameterizedTest
  @ValueSource(strings = {"policies", "scripts", "filters", "rules", "rulesets"})
  void theClientGetsWhatItsTypesPromise(String area) throws IOException, InterruptedException {
    String zone = served.newZone("example.com").id();
    Process client =
        new ProcessBuilder(
                node().orElseThrow().toString(),
                "run.mjs",
                area,
                served.base(),
                served.token(),
                zone)
            .directory(DIRECTORY.toFile())
            .redirectErrorStream(true)
            .start();
    String said = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(client.waitFor()).as(said).isZero();
  }
}
