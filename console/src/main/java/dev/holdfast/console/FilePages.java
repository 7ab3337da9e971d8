package dev.holdfast.console;

import dev.holdfast.console.page.OneObject;
import dev.holdfast.console.page.PageException;
import dev.holdfast.console.page.Source;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Passes the file of an object from and to a browser, through a temporary directory of this user,
 * which the process that is shown reads and writes. Stateless.
 */
final class FilePages {

  /** What a browser may send: the import is one batch in memory. */
  static final long IMPORTED_BYTES_MAX = 256L << 20;

  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final int BUFFER_BYTES = 1 << 16;

  private FilePages() {}

  @FunctionalInterface
  private interface Work {
    void in(Path file) throws IOException;
  }

  private static void withFile(Work work) throws IOException {
    Path directory = Files.createTempDirectory("holdfast-console-");
    try {
      work.in(directory.resolve("object.sqlite"));
    } finally {
      // Also what is left of an export that was given up.
      try (Stream<Path> left = Files.list(directory)) {
        for (Path each : left.toList()) {
          Files.deleteIfExists(each);
        }
      }
      Files.deleteIfExists(directory);
    }
  }

  static void export(Exchange exchange, Source source) throws IOException {
    if (exchange.isRedacted()) {
      throw new PageException(403, "Values are hidden here, so no object is exported.");
    }
    OneObject.Address address = TimePages.address(exchange);
    withFile(
        file -> {
          source.ask(address.ask("export").with("file", file.toString()), 1, PATIENCE);
          HttpServletResponse response = exchange.response();
          response.setContentType("application/vnd.sqlite3");
          response.setContentLengthLong(Files.size(file));
          response.setHeader("Content-Disposition", "attachment; filename=\"object.sqlite\"");
          Files.copy(file, response.getOutputStream());
        });
  }

  static void importFile(Exchange exchange, Source source) throws IOException {
    OneObject.Address address = TimePages.address(exchange);
    String before = newest(source, address);
    withFile(
        file -> {
          receive(exchange, file);
          source.ask(address.ask("import").with("file", file.toString()), 1, PATIENCE);
        });
    exchange.redirect(
        "/object/time?" + address.query() + (before == null ? "" : "&state=" + before));
  }

  /** {@return the state before the import; null if the object has none} */
  private static @Nullable String newest(Source source, OneObject.Address address) {
    List<Map<String, @Nullable Object>> last =
        source.ask(address.ask("history").with("limit", 1L), 1).answers();
    return last.isEmpty() ? null : (String) last.getFirst().get("bookmark");
  }

  private static void receive(Exchange exchange, Path file) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    long bytes = 0;
    try (InputStream body = exchange.request().getInputStream();
        OutputStream to = Files.newOutputStream(file)) {
      for (int read = body.read(buffer); read >= 0; read = body.read(buffer)) {
        bytes += read;
        if (bytes > IMPORTED_BYTES_MAX) {
          throw new PageException(
              413, "The file is larger than " + (IMPORTED_BYTES_MAX >> 20) + " MiB.");
        }
        to.write(buffer, 0, read);
      }
    }
  }
}
