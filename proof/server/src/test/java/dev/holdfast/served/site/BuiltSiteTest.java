package dev.holdfast.served.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The built site needs no network, and no link of it is dead. CI builds the site first; elsewhere
 * these tests are skipped unless {@code target/site} is there.
 */
class BuiltSiteTest {

  private static final Path ROOT = Path.of("../../target/site").toAbsolutePath().normalize();

  @TempDir private Path directory;

  private static BuiltSite site() {
    assumeTrue(
        Files.exists(ROOT.resolve("index.html")), "no site: (cd site && npm ci && npm run build)");
    return new BuiltSite(ROOT);
  }

  @Test
  void pagesLoadNothingFromElsewhere() throws IOException {
    assertThat(site().loadedFromElsewhere()).isEmpty();
  }

  @Test
  void noLinkIsDead() throws IOException {
    assertThat(site().deadLinks()).isEmpty();
  }

  @Test
  void whatIsWrongIsFound() throws IOException {
    Files.writeString(
        directory.resolve("index.html"),
        """
        <link rel="stylesheet" href="https://fonts.example/inter.css"><script src="//cdn.example/a.js">
        <a href="https://elsewhere.example/">a reader may follow it</a><a href="/page">there</a>
        <a href="/none#top">dead</a><a href="#here">here</a><img src="page.html">
        """);
    Files.writeString(directory.resolve("page.html"), "<a href=\"./index.html?a=b\">back</a>");
    Files.writeString(directory.resolve("a.css"), "a{background:url(http://images.example/a.png)}");

    BuiltSite site = new BuiltSite(directory);

    assertThat(site.loadedFromElsewhere())
        .containsExactly(
            "a.css: http://images.example/a.png",
            "index.html: //cdn.example/a.js",
            "index.html: https://fonts.example/inter.css");
    assertThat(site.deadLinks()).containsExactly("index.html: /none#top");
  }

  /** Scripts may load more than the text of a page shows: a policy reports it. */
  @ParameterizedTest
  @CsvSource({
    "/, What it is, README",
    "/docs/guide/tutorial, A durable shop in 15 minutes, tutorial",
    "/docs/guide/testing, Many orders, tests"
  })
  void pageIsWholeInABrowserWithoutANetwork(String path, String text, String name)
      throws Exception {
    try (ServedSite served = ServedSite.of(site().root())) {
      ScreenOf page = ScreenOf.page(served.address() + path, directory.resolve("profile"));

      assertThat(page.document()).contains(text, "VPSidebar");
      assertThat(served.violations()).isEmpty();
      assertThat(served.requests()).anyMatch(each -> each.endsWith(".js"));
      page.saveTo(Path.of("target/screenshots", name + ".png"));
    }
  }
}
