package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spring.shop.ShopApplication;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Metrics and traces of an application that Boot has configured, as in production: in its tests
 * Boot switches traces off.
 */
class TracedShopTest {

  private static final String REMOTE_TRACE = "0af7651916cd43dd8448eb211c80319c";

  @TempDir private Path directory;

  /** Keeps the spans that have ended, also after the close: a request ends after its answer. */
  static final class Spans implements SpanProcessor {

    private final List<SpanData> ended = new CopyOnWriteArrayList<>();

    @Override
    public void onStart(Context parent, ReadWriteSpan span) {}

    @Override
    public boolean isStartRequired() {
      return false;
    }

    @Override
    public void onEnd(ReadableSpan span) {
      ended.add(span.toSpanData());
    }

    @Override
    public boolean isEndRequired() {
      return true;
    }
  }

  private ConfigurableApplicationContext start() {
    return new SpringApplication(ShopApplication.class, Spans.class)
        .run(
            "--server.port=0",
            "--server.address=127.0.0.1",
            "--management.tracing.sampling.probability=1",
            "--holdfast.directory=" + directory);
  }

  private static String add(ConfigurableApplicationContext shop) throws Exception {
    URI uri =
        URI.create(
            "http://127.0.0.1:"
                + shop.getEnvironment().getProperty("local.server.port")
                + "/carts/ann?article=tea&quantity=2");
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .header("traceparent", "00-" + REMOTE_TRACE + "-b7ad6b7169203331-01")
            .POST(HttpRequest.BodyPublishers.noBody())
            .build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request, BodyHandlers.ofString()).body();
    }
  }

  private static String path(SpanData span, Map<String, SpanData> byId) {
    SpanData parent = byId.get(span.getParentSpanId());
    String own = span.getName() + ":" + span.getKind();
    return parent == null ? own : path(parent, byId) + " > " + own;
  }

  @Test
  void requestAndItsCallsAreOneTrace() throws Exception {
    List<SpanData> ended;
    try (ConfigurableApplicationContext shop = start()) {
      ended = shop.getBean(Spans.class).ended;

      assertThat(add(shop)).isEqualTo("600");
      assertThat(shop.getBean(MeterRegistry.class).get("holdfast.call").timers())
          .anySatisfy(timer -> assertThat(timer.count()).isPositive());
    }
    Map<String, SpanData> byId =
        ended.stream().collect(Collectors.toMap(SpanData::getSpanId, Function.identity()));

    assertThat(ended).extracting(SpanData::getTraceId).containsOnly(REMOTE_TRACE);
    assertThat(ended)
        .extracting(span -> path(span, byId))
        // The reply may be durable before it waits at the output gate.
        .filteredOn(path -> !path.endsWith(" > carts/add output gate:INTERNAL"))
        .containsExactlyInAnyOrder(
            "http post /carts/{name}:SERVER",
            "http post /carts/{name}:SERVER > carts/add:CLIENT",
            "http post /carts/{name}:SERVER > carts/add:CLIENT > carts/add:SERVER",
            "http post /carts/{name}:SERVER > carts/total:CLIENT",
            "http post /carts/{name}:SERVER > carts/total:CLIENT > carts/total:SERVER");
  }
}
