package dev.holdfast.console;

import dev.holdfast.console.page.PageException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/** Scripts and styles: ours, and that of htmx, which the build puts beside them. Stateless. */
final class Assets {

  /** Where they are below the console. */
  static final String PATH = "/assets/";

  /** Their types by name: nothing else of the jar is given out. */
  private static final Map<String, String> TYPES =
      Map.of(
          "console.css", "text/css",
          "console.js", "text/javascript",
          "htmx.min.js", "text/javascript",
          "time.js", "text/javascript");

  void answer(Exchange exchange, String name) throws IOException {
    String type = TYPES.get(name);
    if (type == null) {
      throw new PageException(404, "There is no such file.");
    }
    byte[] bytes;
    try (InputStream in = Assets.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("The jar of the console lacks " + name);
      }
      bytes = in.readAllBytes();
    }
    exchange.response().setContentType(type + ";charset=utf-8");
    exchange.response().setHeader("Cache-Control", "private, max-age=3600");
    exchange.response().setContentLength(bytes.length);
    exchange.response().getOutputStream().write(bytes);
  }
}
