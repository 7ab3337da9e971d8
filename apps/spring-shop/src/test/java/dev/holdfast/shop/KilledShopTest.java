package dev.holdfast.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.TestProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shop as a process of its own, over HTTP. */
class KilledShopTest {

  private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

  @TempDir private Path directory;

  private final HttpClient client = HttpClient.newHttpClient();

  private record Shop(Process process, int port) {}

  private Shop start() throws IOException {
    Process process =
        TestProcess.of(
                ShopApplication.class,
                "--server.port=0",
                "--holdfast.directory=" + directory.resolve("shop"))
            .start();
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    StringBuilder log = new StringBuilder();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      log.append(line).append('\n');
      Matcher port = PORT.matcher(line);
      if (port.find()) {
        return new Shop(process, Integer.parseInt(port.group(1)));
      }
    }
    throw new AssertionError("The shop has not started:\n" + log);
  }

  private HttpResponse<String> send(Shop shop, String method, String path) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + shop.port() + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void whatWasAnsweredOutlivesAKill() throws Exception {
    Shop shop = start();
    try {
      assertThat(send(shop, "POST", "/stock/tea/deliveries?quantity=3").body()).isEqualTo("3");
      assertThat(send(shop, "POST", "/carts/ann/lines?article=tea&quantity=2").body())
          .isEqualTo("{\"lines\":[{\"article\":\"tea\",\"quantity\":2}],\"cents\":900}");
      assertThat(send(shop, "POST", "/carts/ann/orders").statusCode()).isEqualTo(201);
      assertThat(send(shop, "POST", "/carts/bob/lines?article=tea&quantity=2").statusCode())
          .isEqualTo(200);
      HttpResponse<String> refused = send(shop, "POST", "/carts/bob/orders");
      assertThat(refused.statusCode()).isEqualTo(409);
      assertThat(send(shop, "POST", "/carts/bob/lines?article=sugar").statusCode()).isEqualTo(404);
    } finally {
      shop.process().destroyForcibly().waitFor();
    }
    Shop again = start();
    try {
      assertThat(send(again, "GET", "/stock/tea").body()).isEqualTo("1");
      assertThat(send(again, "GET", "/carts/ann").body()).isEqualTo("{\"lines\":[],\"cents\":0}");
      assertThat(send(again, "GET", "/carts/bob").body()).contains("\"cents\":900");
      assertThat(send(again, "GET", "/actuator/health").body()).contains("UP");
    } finally {
      again.process().destroyForcibly().waitFor();
    }
  }
}
