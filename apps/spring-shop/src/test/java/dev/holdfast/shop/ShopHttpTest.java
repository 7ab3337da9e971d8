package dev.holdfast.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

/** The whole shop in the process of the test, over HTTP. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class ShopHttpTest {

  private final HttpClient client = HttpClient.newHttpClient();

  @Value("${local.server.port}")
  private int port;

  private HttpResponse<String> send(String method, String path) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void orderIsPaidAndSold() throws Exception {
    send("POST", "/stock/cup/deliveries?quantity=2");
    send("POST", "/carts/cleo/lines?article=cup");
    String order = send("POST", "/carts/cleo/orders").body().replaceAll(".*:\"(.*)\"}", "$1");
    assertThat(send("POST", "/carts/cleo/orders/" + order + "/payment").statusCode())
        .isEqualTo(204);
    assertThat(send("GET", "/stock/cup").body()).isEqualTo("1");
  }

  @Test
  void negativeQuantityIsRefusedByTheTable() throws Exception {
    assertThat(send("POST", "/carts/dan/lines?article=tea&quantity=-1").statusCode())
        .isEqualTo(500);
    assertThat(send("GET", "/carts/dan").body()).isEqualTo("{\"lines\":[],\"cents\":0}");
  }

  @Test
  void operatorSeesTheBusiestObjects() throws Exception {
    send("GET", "/carts/eve");
    assertThat(send("GET", "/actuator/holdfast").body())
        .contains("\"state\":\"OPEN\"", "\"carts\"", "\"stock\"");
  }
}
