package dev.holdfast.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.ObjectNamespace;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

/**
 * The shop's page in a browser. Its picture in the documents is the one that this test leaves in
 * {@code target/screenshots}.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class ShopPageTest {

  private static final int SECONDS_MAX = 300;

  @TempDir private Path directory;

  @Value("${local.server.port}")
  private int port;

  @Autowired private ObjectNamespace<Cart> carts;
  @Autowired private ObjectNamespace<Stock> stocks;

  @Test
  void pageShowsTheCartAndTheStock() throws Exception {
    stocks.getByName("tea").deliver(5);
    stocks.getByName("coffee").deliver(3);
    carts.getByName("bob & son").add("tea", 2);
    carts.getByName("bob & son").add("coffee", 1);

    Path picture = Files.createDirectories(Path.of("target/screenshots")).resolve("shop.png");
    String page = browser(picture.toAbsolutePath());

    assertThat(page).contains("<b id=\"customer\">bob &amp; son</b>", "<b id=\"sum\">15.90</b>");
    assertThat(page.replaceAll("<button>Add</button>", ""))
        .contains(row("tea", 5, 2), row("coffee", 3, 1));
    assertThat(picture).isNotEmptyFile();
  }

  private static String row(String article, int available, int quantity) {
    return "<td class=\"\">%s</td><td class=\"number\">%d</td><td class=\"number\">%d</td>"
        .formatted(article, available, quantity);
  }

  private String browser(Path picture) throws IOException, InterruptedException {
    Path chromium =
        Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
            .map(each -> Path.of(each, "chromium"))
            .filter(Files::isExecutable)
            .findFirst()
            .orElse(null);
    assumeTrue(chromium != null, "no Chromium: apt-get install chromium");
    Path output = directory.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(
                String.valueOf(chromium),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--hide-scrollbars",
                "--window-size=800,420",
                // The page's own clock: its answers are there before the picture is taken.
                "--virtual-time-budget=10000",
                "--user-data-dir=" + directory.resolve("profile"),
                "--screenshot=" + picture,
                "--dump-dom",
                "http://127.0.0.1:" + port + "/?customer=bob+%26+son")
            .redirectOutput(output.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("TMPDIR", directory.toString());
    Process process = builder.start();
    if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("Chromium does not end");
    }
    return Files.readString(output);
  }
}
