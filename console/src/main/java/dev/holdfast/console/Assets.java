package dev.holdfast.console;

import dev.holdfast.console.page.PageException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32;

/**
 * Scripts and styles: ours, and those of the libraries, which the build puts beside them. A browser
 * keeps them, and asks whether they are new. Thread-safe.
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

  private final Map<String, Content> contents = new ConcurrentHashMap<>();

  /** What is in the jar, which does not change while the process runs. */
  private static final class Content {

    private final byte[] bytes;
    private final String tag;

    private Content(byte[] bytes, String tag) {
      this.bytes = bytes;
      this.tag = tag;
    }

    static Content read(String name) {
      try (InputStream in = Assets.class.getResourceAsStream(name)) {
        if (in == null) {
          throw new IllegalStateException("The jar of the console lacks " + name);
        }
        byte[] bytes = in.readAllBytes();
        CRC32 sum = new CRC32();
        sum.update(bytes);
        return new Content(bytes, "\"" + Long.toHexString(sum.getValue()) + "\"");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  void answer(Exchange exchange, String name) throws IOException {
    String type = TYPES.get(name);
    if (type == null) {
      throw new PageException(404, "There is no such file.");
    }
    Content content = contents.computeIfAbsent(name, Content::read);
    exchange.response().setHeader("Cache-Control", "private, no-cache");
    exchange.response().setHeader("ETag", content.tag);
    if (content.tag.equals(exchange.request().getHeader("If-None-Match"))) {
      exchange.response().setStatus(304);
      return;
    }
    exchange.response().setContentType(type + ";charset=utf-8");
    exchange.response().setContentLength(content.bytes.length);
    exchange.response().getOutputStream().write(content.bytes);
  }
}
