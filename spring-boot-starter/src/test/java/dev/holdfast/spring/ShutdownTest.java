package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.spring.shop.Cart;
import dev.holdfast.spring.shop.ShopApplication;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The end of an application while a request is under way. */
class ShutdownTest {

  @TempDir private Path directory;

  @RestController
  static final class Waiting {

    private final ObjectNamespace<Cart> carts;
    private final CountDownLatch arrived = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    Waiting(ObjectNamespace<Cart> carts) {
      this.carts = carts;
    }

    @GetMapping("/waiting")
    long total() throws InterruptedException {
      arrived.countDown();
      released.await();
      carts.getByName("ann").add("tea", 2);
      return carts.getByName("ann").total();
    }
  }

  /**
   * Stops in the phase in which servers wait for the requests under way. Later phases wait for it,
   * and so does the end of the runtime, unless it is in an earlier one.
   */
  static final class EndOfRequests implements SmartLifecycle {

    private final CountDownLatch begun = new CountDownLatch(1);
    private volatile boolean running;

    @Override
    public void start() {
      running = true;
    }

    @Override
    public void stop() {
      running = false;
      begun.countDown();
    }

    @Override
    public boolean isRunning() {
      return running;
    }

    @Override
    public int getPhase() {
      return DEFAULT_PHASE - 1_024;
    }
  }

  @Test
  void requestUnderWayMayCallObjectsUntilTheServerHasFinishedIt() throws Exception {
    ConfigurableApplicationContext shop =
        new SpringApplication(ShopApplication.class, Waiting.class, EndOfRequests.class)
            .run(
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--holdfast.directory=" + directory.resolve("data"));
    int port = Integer.parseInt(shop.getEnvironment().getRequiredProperty("local.server.port"));
    Waiting waiting = shop.getBean(Waiting.class);
    ObjectRuntime runtime = shop.getBean(ObjectRuntime.class);
    try (HttpClient client = HttpClient.newHttpClient()) {
      CompletableFuture<HttpResponse<String>> answer =
          client.sendAsync(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/waiting")).build(),
              BodyHandlers.ofString());
      waiting.arrived.await();
      Thread end = Thread.ofPlatform().start(shop::close);
      shop.getBean(EndOfRequests.class).begun.await();
      waiting.released.countDown();

      assertThat(answer.get().statusCode()).isEqualTo(200);
      assertThat(answer.get().body()).isEqualTo("600");
      end.join();
      assertThat(runtime.statistics().state().name()).isEqualTo("CLOSED");
    }
  }
}
