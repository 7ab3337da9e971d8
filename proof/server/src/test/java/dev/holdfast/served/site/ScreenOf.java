package dev.holdfast.served.site;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What a browser has made of a page.
 *
 * @param document its elements, after its scripts
 * @param picture a file with its first screen
 */
record ScreenOf(String document, Path picture) {

  private static final List<String> NAMES = List.of("chromium", "chromium-browser");
  private static final int SECONDS_MAX = 300;

  /** Opens a page; skips the test where there is no Chromium. */
  static ScreenOf page(String address, Path profile) throws IOException, InterruptedException {
    Optional<Path> chromium =
        Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
            .flatMap(directory -> NAMES.stream().map(name -> Path.of(directory, name)))
            .filter(Files::isExecutable)
            .findFirst();
    assumeTrue(chromium.isPresent(), "no Chromium: apt-get install chromium");
    Files.createDirectories(profile);
    Path picture = profile.resolve("screen.png");
    String program = chromium.orElseThrow().toString();
    return new ScreenOf(run(program, profile, picture, address), picture);
  }

  private static String run(String program, Path profile, Path picture, String address)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(program);
    command.addAll(
        List.of(
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--hide-scrollbars",
            "--window-size=1280,800",
            // The page's own clock: its scripts have run before the picture is taken.
            "--virtual-time-budget=10000",
            "--user-data-dir=" + profile.resolve("data"),
            "--screenshot=" + picture,
            "--dump-dom",
            address));
    Path output = profile.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectOutput(output.toFile())
            .redirectError(profile.resolve("errors").toFile());
    builder.environment().put("TMPDIR", profile.toString());
    Process process = builder.start();
    if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("Chromium does not end: " + command);
    }
    return Files.readString(output);
  }

  /** Keeps the picture. */
  void saveTo(Path file) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.copy(picture, file, StandardCopyOption.REPLACE_EXISTING);
  }
}
