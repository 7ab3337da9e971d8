package dev.holdfast.console;

import dev.holdfast.console.page.PageException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * Scripts and styles: ours, and those of the libraries, which the build puts beside them. A browser
 * keeps them, and asks whether they are new. Immutable.
 */
final class Assets {

  /** Where they are below the console. */
  static final String PATH = "/assets/";

  /** Their types by name: nothing else of the jar is given out. */
  private static final Map<String, String> TYPES =
      Map.of(
          "console.css", "text/css",
          "console.js", "text/javascript",
          "charts.js", "text/javascript",
          "time.js", "text/javascript",
          "htmx.min.js", "text/javascript",
          "uPlot.iife.min.js", "text/javascript",
          "uPlot.min.css", "text/css");

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
    CRC32 content = new CRC32();
    content.update(bytes);
    String tag = "\"" + Long.toHexString(content.getValue()) + "\"";
    exchange.response().setHeader("Cache-Control", "private, no-cache");
    exchange.response().setHeader("ETag", tag);
    if (tag.equals(exchange.request().getHeader("If-None-Match"))) {
      exchange.response().setStatus(304);
      return;
    }
    exchange.response().setContentType(type + ";charset=utf-8");
    exchange.response().setContentLength(bytes.length);
    exchange.response().getOutputStream().write(bytes);
  }
}
