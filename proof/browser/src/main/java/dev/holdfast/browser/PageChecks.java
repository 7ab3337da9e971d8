package dev.holdfast.browser;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What is wrong with the page of a tab, for the people that use it. Stateless. */
public final class PageChecks {

  private static final Path AXE = Path.of("axe", "node_modules", "axe-core", "axe.min.js");

  private PageChecks() {}

  /** {@return whether axe-core is below the directory of this module} */
  public static boolean haveAxe(Path module) {
    return Files.exists(module.resolve(AXE));
  }

  /** Loads axe-core into the page. */
  public static void loadAxe(Chromium browser, Path module) throws IOException {
    browser.evaluate("eval(" + Chromium.text(Files.readString(module.resolve(AXE))) + ") && ''");
  }

  /** {@return the serious barriers that axe-core finds in the page; empty if there are none} */
  public static String barriers(Chromium browser) {
    return barriers(browser, "{}");
  }

  /** {@return those of the barriers that depend on colours; empty if there are none} */
  public static String barriersOfColours(Chromium browser) {
    return barriers(browser, "{runOnly: ['color-contrast', 'link-in-text-block']}");
  }

  private static String barriers(Chromium browser, String options) {
    return browser.await(
        """
        axe.run(%s).then(result => result.violations
          .filter(each => each.impact === "serious" || each.impact === "critical")
          .map(each => each.id + " " + each.nodes.map(node => node.html).join(" "))
          .join("; "))\
        """
            .formatted(options));
  }

  /** {@return the elements wider than the window, but what may scroll; empty if there are none} */
  public static String tooWide(Chromium browser) {
    return browser.evaluate(
        """
        [...document.querySelectorAll("body *")]
          .filter(each => each.getBoundingClientRect().right > innerWidth
            && !each.closest(".wide") && !each.closest(".skip"))
          .map(each => each.outerHTML.slice(0, 100)).join()\
        """);
  }
}
