package dev.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.filter.Headers;
import dev.holdfast.testkit.VirtualClock;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationHandler.FirstMatchingCompositeObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The observations of calls, and the traces that OpenTelemetry makes of them. */
final class ObservedCallsTest {

  private static final String REMOTE_TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String REMOTE_SPAN = "b7ad6b7169203331";

  private final VirtualClock time = new VirtualClock();
  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  private final ObservationRegistry registry = ObservationRegistry.create();

  @TempDir private Path directory;
  private ObjectRuntime runtime;

  @BeforeEach
  void open() {
    SdkTracerProvider provider =
        SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(exporter)).build();
    io.opentelemetry.api.trace.Tracer tracing = provider.get("test");
    OtelTracer tracer = new OtelTracer(tracing, new OtelCurrentTraceContext(), _ -> {});
    OtelPropagator propagator =
        new OtelPropagator(
            ContextPropagators.create(W3CTraceContextPropagator.getInstance()), tracing);
    registry
        .observationConfig()
        .observationHandler(
            new FirstMatchingCompositeObservationHandler(
                new CallTracingHandler(tracer, propagator),
                new DefaultTracingObservationHandler(tracer)));
    ObservedCalls observed = new ObservedCalls(registry);
    runtime =
        Holdfast.open(
            directory,
            time,
            objects -> Basket.register(objects).outgoing(observed).filter(observed));
  }

  @AfterEach
  void close() {
    runtime.close();
  }

  private Basket basket(String name) {
    return runtime.namespace(Basket.NAMESPACE, Basket.class).getByName(name);
  }

  private String id(String name) {
    return runtime.namespace(Basket.NAMESPACE, Basket.class).idFromName(name).toString();
  }

  /** Each finished span with its ancestors, sorted: a tree that does not depend on times. */
  private List<String> tree() {
    List<SpanData> spans = exporter.getFinishedSpanItems();
    Map<String, SpanData> byId =
        spans.stream().collect(Collectors.toMap(SpanData::getSpanId, Function.identity()));
    return spans.stream().map(span -> path(span, byId)).sorted().toList();
  }

  private static String path(SpanData span, Map<String, SpanData> byId) {
    SpanData parent = byId.get(span.getParentSpanId());
    String own = span.getName() + (span.getKind() == SpanKind.INTERNAL ? "" : ":" + span.getKind());
    return parent == null ? own : path(parent, byId) + " > " + own;
  }

  private List<String> traces() {
    return exporter.getFinishedSpanItems().stream().map(SpanData::getTraceId).distinct().toList();
  }

  private SpanData span(String name, SpanKind kind) {
    return exporter.getFinishedSpanItems().stream()
        .filter(span -> span.getName().equals(name) && span.getKind() == kind)
        .reduce((_, last) -> last)
        .orElseThrow();
  }

  @Test
  void callIsASpanOfItsCallerWithOnesOfTheObjectAndOfTheOutputGate() {
    Observation.createNotStarted("request", registry).observe(() -> basket("a").add("pear"));

    assertThat(tree())
        .containsExactly(
            "request",
            "request > baskets/add:CLIENT",
            "request > baskets/add:CLIENT > baskets/add output gate",
            "request > baskets/add:CLIENT > baskets/add:SERVER");
    assertThat(traces()).hasSize(1);
    assertThat(span("baskets/add", SpanKind.SERVER).getAttributes().asMap())
        .containsEntry(AttributeKey.stringKey("namespace"), "baskets")
        .containsEntry(AttributeKey.stringKey("operation"), "add")
        .containsEntry(AttributeKey.stringKey("object"), id("a"));
  }

  @Test
  void callWithATimeLimitHasTheSameSpans() {
    runtime
        .namespace(Basket.NAMESPACE, Basket.class)
        .stub("a")
        .withTimeout(Duration.ofSeconds(10))
        .blocking()
        .add("pear");

    assertThat(tree())
        .containsExactly(
            "baskets/add:CLIENT",
            "baskets/add:CLIENT > baskets/add output gate",
            "baskets/add:CLIENT > baskets/add:SERVER");
  }

  @Test
  void eachCallOfAFilterThatRepeatsIsACallWithAWaitOfItsOwn() {
    runtime.close();
    ObservedCalls observed = new ObservedCalls(registry);
    runtime =
        Holdfast.open(
            directory,
            time,
            objects ->
                Basket.register(objects)
                    .outgoing(
                        call -> {
                          call.proceed();
                          return call.proceed();
                        })
                    .outgoing(observed)
                    .filter(observed));
    basket("a").add("pear");

    String once = "baskets/add:CLIENT";
    assertThat(tree())
        .containsExactly(
            once,
            once,
            once + " > baskets/add output gate",
            once + " > baskets/add output gate",
            once + " > baskets/add:SERVER",
            once + " > baskets/add:SERVER");
  }

  @Test
  void traceCrossesCallsBetweenObjects() {
    basket("a").passOn("b", "pear");

    assertThat(tree())
        .containsExactly(
            "baskets/passOn:CLIENT",
            "baskets/passOn:CLIENT > baskets/passOn output gate",
            "baskets/passOn:CLIENT > baskets/passOn:SERVER",
            "baskets/passOn:CLIENT > baskets/passOn:SERVER > baskets/add:CLIENT",
            "baskets/passOn:CLIENT > baskets/passOn:SERVER > baskets/add:CLIENT"
                + " > baskets/add:SERVER");
    assertThat(traces()).hasSize(1);
  }

  @Test
  void traceCrossesAsynchronousCallsOfAnObject() {
    basket("a").passOnLater("b", "pear");

    assertThat(tree())
        .contains(
            "baskets/passOnLater:CLIENT > baskets/passOnLater:SERVER > baskets/add:CLIENT"
                + " > baskets/add:SERVER")
        .noneMatch(path -> path.contains("send"));
    assertThat(traces()).hasSize(1);
  }

  @Test
  void asynchronousCallFromOutsideContinuesTheTraceOfItsThread() throws Exception {
    Observation.createNotStarted("request", registry)
        .observeChecked(
            () ->
                runtime
                    .namespace(Basket.NAMESPACE, Basket.class)
                    .stub("a")
                    .async(Basket::size)
                    .get());

    assertThat(tree())
        .containsExactly(
            "request",
            "request > holdfast.send:PRODUCER",
            "request > holdfast.send:PRODUCER > baskets/size:CLIENT",
            "request > holdfast.send:PRODUCER > baskets/size:CLIENT > baskets/size:SERVER");
  }

  @Test
  void headersOfAStubContinueATraceOfAnotherProcess() {
    runtime
        .namespace(Basket.NAMESPACE, Basket.class)
        .stub("a")
        .withHeaders(Headers.of("traceparent", "00-" + REMOTE_TRACE + "-" + REMOTE_SPAN + "-01"))
        .blocking()
        .size();

    assertThat(traces()).containsExactly(REMOTE_TRACE);
    assertThat(span("baskets/size", SpanKind.CLIENT).getParentSpanId()).isEqualTo(REMOTE_SPAN);
    assertThat(span("baskets/size", SpanKind.SERVER).getParentSpanId())
        .isEqualTo(span("baskets/size", SpanKind.CLIENT).getSpanId());
  }

  @Test
  void alarmIsATraceOfItsOwnThatIsLinkedToTheOneThatHasSetIt() {
    basket("a").remind(time.now().plusSeconds(60));
    SpanData setter = span("baskets/remind", SpanKind.SERVER);
    runtime.close();
    open(); // the alarm has kept the link
    exporter.reset();
    time.advance(Duration.ofSeconds(60));

    SpanData run = span("baskets/alarm", SpanKind.CONSUMER);
    assertThat(run.getTraceId()).isNotEqualTo(setter.getTraceId());
    assertThat(run.getParentSpanContext().isValid()).isFalse();
    assertThat(run.getLinks())
        .singleElement()
        .satisfies(
            link -> {
              assertThat(link.getSpanContext().getTraceId()).isEqualTo(setter.getTraceId());
              assertThat(link.getSpanContext().getSpanId()).isEqualTo(setter.getSpanId());
            });
  }

  @Test
  void exceptionOfTheObjectIsTheErrorOfItsSpans() {
    assertThatIllegalStateException()
        .isThrownBy(basket("a")::fail)
        .withMessage("The basket is broken");

    assertThat(exporter.getFinishedSpanItems())
        .hasSize(2)
        .allSatisfy(
            span -> assertThat(span.getEvents()).extracting("name").containsExactly("exception"));
  }

  @Test
  void headersWithoutRoomForATraceDoNotFailTheCall() {
    Headers full = Headers.of("filled", "x".repeat(Headers.BYTES_MAX - "filled".length()));
    runtime
        .namespace(Basket.NAMESPACE, Basket.class)
        .stub("a")
        .withHeaders(full)
        .blocking()
        .add("pear");

    assertThat(basket("a").size()).isEqualTo(1);
  }

  /** Throws at one of the moments at which handlers are called. */
  private record ThrowingHandler(String moment) implements ObservationHandler<Observation.Context> {

    private void at(String reached) {
      if (reached.equals(moment)) {
        throw new IllegalStateException("The back end is gone");
      }
    }

    @Override
    public void onStart(Observation.Context context) {
      at("start");
    }

    @Override
    public void onScopeOpened(Observation.Context context) {
      at("scope opened");
    }

    @Override
    public void onScopeClosed(Observation.Context context) {
      at("scope closed");
    }

    @Override
    public void onError(Observation.Context context) {
      at("error");
    }

    @Override
    public void onStop(Observation.Context context) {
      at("stop");
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
      return true;
    }
  }

  /** Keeps what is logged. */
  private static final class LogLines extends Handler {
    private final List<String> lines;

    LogLines(List<String> lines) {
      this.lines = lines;
    }

    @Override
    public void publish(LogRecord line) {
      lines.add(line.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Test
  void handlerThatThrowsChangesNoCallAndIsLoggedOnce() {
    List<String> lines = new ArrayList<>();
    Logger log = Logger.getLogger("dev.holdfast.micrometer");
    log.setUseParentHandlers(false);
    Handler handler = new LogLines(lines);
    log.addHandler(handler);
    for (String moment : List.of("start", "scope opened", "scope closed", "error", "stop")) {
      registry.observationConfig().observationHandler(new ThrowingHandler(moment));

      basket("a").add(moment);
      assertThatIllegalStateException()
          .isThrownBy(basket("a")::fail)
          .withMessage("The basket is broken");
      assertThat(registry.getCurrentObservationScope()).as(moment).isNull();
    }
    assertThat(basket("a").size()).isEqualTo(5);
    log.removeHandler(handler);
    log.setUseParentHandlers(true);
    assertThat(lines).singleElement().asString().startsWith("observation-failed: ");
  }

  @Test
  void observationsAreTimersWithoutTheIdOfAnObject() {
    SimpleMeterRegistry meters = new SimpleMeterRegistry();
    registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
    basket("a").add("pear");

    assertThat(meters.get("holdfast.call").tags("namespace", "baskets").timer().count())
        .isEqualTo(1);
    assertThat(meters.get("holdfast.execution").tags("operation", "add").timer().count())
        .isEqualTo(1);
    assertThat(meters.get("holdfast.output.gate").timer().count()).isEqualTo(1);
    assertThat(meters.getMeters().toString()).doesNotContain(id("a"));
  }
}
