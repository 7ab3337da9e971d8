package dev.holdfast.console;

import dev.holdfast.console.page.PageException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/** Scripts and styles: ours, and those of the libraries in their jars. Stateless. */
final class Assets {

  /** Where they are below the console. */
  static final String PATH = "/assets/";

  private static final String WEBJARS = "/META-INF/resources/webjars/";

  private record Asset(String resource, String type) {}

  private static final Map<String, Asset> ASSETS =
      Map.of(
          "console.css", new Asset("/dev/holdfast/console/console.css", "text/css"),
          "console.js", new Asset("/dev/holdfast/console/console.js", "text/javascript"),
          "htmx.js", new Asset(WEBJARS + "htmx.org/2.0.8/dist/htmx.min.js", "text/javascript"));

  void answer(Exchange exchange, String name) throws IOException {
    Asset asset = ASSETS.get(name);
    if (asset == null) {
      throw new PageException(404, "There is no such file.");
    }
    byte[] bytes;
    try (InputStream in = Assets.class.getResourceAsStream(asset.resource())) {
      if (in == null) {
        throw new IllegalStateException("A library lacks " + asset.resource());
      }
      bytes = in.readAllBytes();
    }
    exchange.response().setContentType(asset.type() + ";charset=utf-8");
    exchange.response().setHeader("Cache-Control", "private, max-age=3600");
    exchange.response().setContentLength(bytes.length);
    exchange.response().getOutputStream().write(bytes);
  }
}
