package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.spring.shop.Cart;
import dev.holdfast.spring.shop.ShopApplication;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

/** An application with durable objects, through its web server. */
@SpringBootTest(
    classes = ShopApplication.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "server.address=127.0.0.1",
      "management.endpoints.web.exposure.include=holdfast,health",
      "management.endpoint.health.show-details=always",
      "holdfast.namespaces.carts.queue-length-max=17"
    })
class ShopTest {

  private final HttpClient client = HttpClient.newHttpClient();

  @Value("${local.server.port}")
  private int port;

  @Autowired private ObjectNamespace<Cart> carts;
  @Autowired private ObjectRuntime runtime;
  @Autowired private MeterRegistry meters;
  @Autowired private HoldfastProperties properties;

  private HttpResponse<String> send(String method, String path) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void controllersCallObjectsThatTakeBeans() throws Exception {
    assertThat(send("POST", "/carts/ann?article=tea&quantity=2").body()).isEqualTo("600");
    assertThat(send("POST", "/carts/ann?article=tea&quantity=1").body()).isEqualTo("900");
    assertThat(send("GET", "/carts/ann").body()).isEqualTo("900");
    assertThat(carts.getByName("ann").total()).isEqualTo(900);
  }

  @Test
  void errorsOfTheRuntimeAreProblems() throws Exception {
    HttpResponse<String> answer = send("GET", "/ids/nonsense");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(answer.body()).contains("an invalid id").doesNotContain("dev.holdfast");
  }

  @Test
  void healthAndTheEndpointSayHowTheRuntimeIs() throws Exception {
    carts.getByName("ann").total();
    assertThat(send("GET", "/actuator/health").body()).contains("\"holdfast\"", "\"state\"");
    assertThat(send("GET", "/actuator/holdfast").body())
        .contains("\"state\":\"OPEN\"", "\"carts\"", "\"durablePosition\"");
  }

  @Test
  void metersAreBound() {
    carts.getByName("ann").total();
    assertThat(meters.find("holdfast.calls").meters()).isNotEmpty();
  }

  @Test
  void callsAreObservedByTheRegistryOfBoot() {
    carts.getByName("ann").total();
    assertThat(meters.find("holdfast.call").tag("namespace", "carts").timers()).isNotEmpty();
    assertThat(meters.find("holdfast.execution").tag("namespace", "carts").timers()).isNotEmpty();
  }

  @Test
  void alarmsFireOnceTheApplicationIsReady() throws Exception {
    Cart cart = carts.getByName("bob");
    cart.remind();
    while (cart.reminders() == 0) {
      Thread.onSpinWait();
    }
    assertThat(cart.reminders()).isEqualTo(1);
  }

  @Test
  void testHasADirectoryOfItsOwn() {
    assertThat(properties.directory()).startsWith(Path.of(System.getProperty("java.io.tmpdir")));
    assertThat(properties.namespaces().get("carts").queueLengthMax()).isEqualTo(17);
    assertThat(runtime.statistics().namespaces()).containsOnlyKeys("carts");
  }
}
