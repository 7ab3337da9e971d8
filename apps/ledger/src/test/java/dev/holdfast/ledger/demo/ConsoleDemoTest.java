package dev.holdfast.ledger.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demonstration that leaves the ledger running with the console open on it. */
final class ConsoleDemoTest {

  @TempDir private Path directory;

  private final CountDownLatch end = new CountDownLatch(1);
  private final SynchronousQueue<String> down = new SynchronousQueue<>();
  private final HttpClient browser =
      HttpClient.newBuilder()
          .cookieHandler(new CookieManager())
          .followRedirects(HttpClient.Redirect.NORMAL)
          .build();

  private URI address = URI.create("");

  @Test
  void consoleShowsTheLedgerBeforeAKillDuringItAndAfterwards() throws Exception {
    Path file =
        Files.write(
            directory.resolve("transfers.csv"),
            List.of("id,from,to,amount", "t1,ann,bob,1.50", "t2,bob,ann,0.50"));
    try (PipedInputStream pipe = new PipedInputStream(1 << 16);
        PrintStream out =
            new PrintStream(new PipedOutputStream(pipe), true, StandardCharsets.UTF_8);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(pipe, StandardCharsets.UTF_8))) {
      ConsoleDemo demo =
          new ConsoleDemo(
              DemoDirectory.prepare(directory.resolve("demo")),
              TransferFile.read(file),
              out,
              new ConsoleDemo.Pace(Duration.ofMillis(1), 20, this::awaitLook),
              end);
      Thread running = start(demo, out);

      address = URI.create(next(lines, "  address  "));
      login(next(lines, "  token    "));
      next(lines, "SIGKILL for process ");
      HttpResponse<String> gone = get("objects?namespace=accounts");
      assertThat(gone.statusCode()).isEqualTo(503);
      assertThat(gone.headers().firstValue("Refresh")).hasValue("2");
      assertThat(gone.body()).contains("The process of the ledger is down");
      down.put("looked at");

      assertThat(next(lines, "Process ")).contains("has the ledger open");
      next(lines, "SIGKILL for process ");
      end.countDown();
      down.put("looked at");
      running.join();
    }
  }

  @Test
  void ledgerIsShownAndClosedInOrder() throws Exception {
    Path file =
        Files.write(
            directory.resolve("transfers.csv"), List.of("id,from,to,amount", "t1,ann,bob,1.50"));
    try (PipedInputStream pipe = new PipedInputStream(1 << 16);
        PrintStream out =
            new PrintStream(new PipedOutputStream(pipe), true, StandardCharsets.UTF_8);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(pipe, StandardCharsets.UTF_8))) {
      ConsoleDemo demo =
          new ConsoleDemo(
              DemoDirectory.prepare(directory.resolve("demo")),
              TransferFile.read(file),
              out,
              new ConsoleDemo.Pace(Duration.ofMillis(50), Integer.MAX_VALUE, this::awaitLook),
              end);
      Thread running = start(demo, out);

      address = URI.create(next(lines, "  address  "));
      login(next(lines, "  token    "));
      next(lines, "Process ");
      HttpResponse<String> objects = get("objects?namespace=accounts");
      assertThat(objects.statusCode()).isEqualTo(200);
      assertThat(objects.body()).contains(">ann</a>", ">bob</a>");
      end.countDown();
      running.join();
      assertThat(next(lines, "The ledger is closed")).contains("transfers");
    }
  }

  private static Thread start(ConsoleDemo demo, PrintStream out) {
    return Thread.ofPlatform()
        .start(
            () -> {
              try (out) { // its end ends the reading
                demo.run(0);
              }
            });
  }

  private void awaitLook() {
    try {
      assertThat(down.take()).isNotEmpty();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String next(BufferedReader lines, String beginning) throws Exception {
    String line;
    do {
      line = lines.readLine();
      assertThat(line).as("before \"" + beginning + "\"").isNotNull();
    } while (!line.startsWith(beginning));
    return line.substring(beginning.length());
  }

  private void login(String token) throws Exception {
    HttpRequest login =
        HttpRequest.newBuilder(address.resolve("login"))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString("token=" + token))
            .build();
    browser.send(login, BodyHandlers.discarding());
  }

  private HttpResponse<String> get(String path) throws Exception {
    return browser.send(
        HttpRequest.newBuilder(address.resolve(path)).build(), BodyHandlers.ofString());
  }
}
