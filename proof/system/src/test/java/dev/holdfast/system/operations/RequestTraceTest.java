package dev.holdfast.system.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.http.ApiRequest;
import dev.holdfast.http.ApiResponse;
import dev.holdfast.http.HttpApi;
import dev.holdfast.http.HttpApiOptions;
import dev.holdfast.http.object.Permission;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.server.HttpApiServer;
import dev.holdfast.http.server.ServerOptions;
import dev.holdfast.micrometer.CallTracingHandler;
import dev.holdfast.micrometer.ObservedCalls;
import dev.holdfast.testkit.VirtualClock;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler.FirstMatchingCompositeObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The trace of one request to the HTTP server, as OpenTelemetry exports it. */
final class RequestTraceTest {

  private static final String REMOTE_TRACE = "0af7651916cd43dd8448eb211c80319c";

  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  private final ObservationRegistry registry = ObservationRegistry.create();

  private final ObjectRuntime runtime;
  private final HttpApi api;
  private final String zone;
  private final String token;

  RequestTraceTest(@TempDir Path directory) {
    Tracer tracing =
        SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(exporter))
            .build()
            .get("test");
    OtelTracer tracer = new OtelTracer(tracing, new OtelCurrentTraceContext(), _ -> {});
    ContextPropagators w3c = ContextPropagators.create(W3CTraceContextPropagator.getInstance());
    registry
        .observationConfig()
        .observationHandler(
            new FirstMatchingCompositeObservationHandler(
                new CallTracingHandler(tracer, new OtelPropagator(w3c, tracing)),
                new DefaultTracingObservationHandler(tracer)));
    ObservedCalls observed = new ObservedCalls(registry);
    // On a clock that stands still the journal writes nothing that no caller waits for.
    runtime =
        Holdfast.open(
            directory,
            new VirtualClock(),
            objects -> {
              HttpApi.register(objects, HttpApiOptions.DEFAULT);
              objects.outgoing(observed).filter(observed);
            });
    api = new HttpApi(runtime, HttpApiOptions.DEFAULT);
    zone = api.operator().createZone("example.com", Plan.ENTERPRISE).id();
    token = api.operator().createToken(List.of(), List.of(Permission.values()));
    exporter.reset();
  }

  @AfterEach
  void close() {
    runtime.close();
  }

  private ServerOptions anyPort() {
    return ServerOptions.DEFAULT.withAddress(new InetSocketAddress("127.0.0.1", 0));
  }

  private void enableMonitoring(HttpApiServer server, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create(
                    "http://127.0.0.1:%d/client/v4/zones/%s/page_shield"
                        .formatted(server.address().getPort(), zone)))
            .header("Authorization", "Bearer " + token)
            .PUT(BodyPublishers.ofString("{\"enabled\":true}"));
    if (headers.length > 0) {
      request.headers(headers);
    }
    try (HttpClient client = HttpClient.newHttpClient()) {
      assertThat(client.send(request.build(), BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    }
  }

  private ApiResponse observed(ApiRequest request) {
    return Observation.createNotStarted("request", registry).observe(() -> api.handle(request));
  }

  /** Each span with its ancestors, sorted: a tree that does not depend on times. */
  private List<String> tree() {
    List<SpanData> spans = exporter.getFinishedSpanItems();
    Map<String, SpanData> byId =
        spans.stream().collect(Collectors.toMap(SpanData::getSpanId, Function.identity()));
    return spans.stream().map(span -> path(span, byId)).sorted().toList();
  }

  private static String path(SpanData span, Map<String, SpanData> byId) {
    SpanData parent = byId.get(span.getParentSpanId());
    String own = span.getName() + " " + span.getKind();
    return parent == null ? own : path(parent, byId) + " > " + own;
  }

  private List<String> traces() {
    return exporter.getFinishedSpanItems().stream().map(SpanData::getTraceId).distinct().toList();
  }

  @Test
  void requestIsOneTraceWithASpanForEachObjectAndForTheCommitThatItWaitedFor() throws Exception {
    try (HttpApiServer server = HttpApiServer.serve(this::observed, anyPort())) {
      enableMonitoring(server);
    }

    String request = "request INTERNAL > ";
    assertThat(tree())
        .containsExactly(
            "request INTERNAL",
            request + "http-accounts/grantOfToken CLIENT",
            request + "http-accounts/grantOfToken CLIENT > http-accounts/grantOfToken SERVER",
            request + "http-accounts/zone CLIENT",
            request + "http-accounts/zone CLIENT > http-accounts/zone SERVER",
            request + "http-zones/handle CLIENT",
            request + "http-zones/handle CLIENT > http-zones/handle SERVER",
            request + "http-zones/handle CLIENT > http-zones/handle output gate INTERNAL");
    assertThat(traces()).hasSize(1);
  }

  @Test
  void serverWithoutAHandlerContinuesTheTraceOfItsClient() throws Exception {
    try (HttpApiServer server = HttpApiServer.start(api, anyPort())) {
      enableMonitoring(server, "traceparent", "00-" + REMOTE_TRACE + "-b7ad6b7169203331-01");
    }

    assertThat(tree())
        .contains(
            "http-zones/handle CLIENT > http-zones/handle SERVER",
            "http-zones/handle CLIENT > http-zones/handle output gate INTERNAL");
    assertThat(traces()).containsExactly(REMOTE_TRACE);
  }
}
