package dev.holdfast.micrometer;

import dev.holdfast.filter.Headers;
import dev.holdfast.filter.HeadersException;
import dev.holdfast.micrometer.CallContext.Kind;
import io.micrometer.observation.Observation;
import io.micrometer.tracing.Link;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.TracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Makes spans of the observations of {@link ObservedCalls}, and carries the trace in the headers of
 * calls. Register it before handlers that accept every observation:
 *
 * <pre>{@code
 * registry.observationConfig().observationHandler(
 *     new ObservationHandler.FirstMatchingCompositeObservationHandler(
 *         new CallTracingHandler(tracer, propagator),
 *         new DefaultTracingObservationHandler(tracer)));
 * }</pre>
 *
 * <p>The span of an execution is a child of the one that the headers of the call name. The span of
 * a call is a child of the current one of its thread, or else of the one that the headers name. The
 * run of an alarm is a separate trace, with a link to the span that has set the alarm; for that an
 * alarm keeps the header {@code traceparent} of W3C, so other formats have no link.
 *
 * <p>Thread-safe. Needs {@code micrometer-tracing}, which is optional.
 */
public final class CallTracingHandler implements TracingObservationHandler<CallContext> {

  private static final String TRACE_PARENT = "traceparent";
  private static final String TRACE_STATE = "tracestate";

  /** Version, trace, span, flags; the lowest flag says that the trace is recorded. */
  private static final Pattern TRACE_PARENT_VALUE =
      Pattern.compile(
          "[0-9a-f]{2}-(?<trace>[0-9a-f]{32})-(?<span>[0-9a-f]{16})-(?<flags>[0-9a-f]{2}).*");

  private final Tracer tracer;
  private final Propagator propagator;

  /**
   * Creates the handler.
   *
   * @param tracer makes the spans
   * @param propagator writes a trace into headers and reads it from there
   */
  public CallTracingHandler(Tracer tracer, Propagator propagator) {
    this.tracer = tracer;
    this.propagator = propagator;
  }

  @Override
  public Tracer getTracer() {
    return tracer;
  }

  @Override
  public boolean supportsContext(Observation.Context context) {
    return context instanceof CallContext;
  }

  @Override
  public void onStart(CallContext context) {
    Span.Builder builder =
        switch (context.kind()) {
          case EXECUTION -> receiver(context).kind(Span.Kind.SERVER);
          case ALARM -> linked(context.received()).kind(Span.Kind.CONSUMER);
          case CALL -> sender(context).kind(Span.Kind.CLIENT);
          case SEND -> sender(context).kind(Span.Kind.PRODUCER);
          case OUTPUT_GATE -> sender(context);
        };
    Span span = builder.start();
    getTracingContext(context).setSpan(span);
    if (context.kind() != Kind.OUTPUT_GATE) {
      context.passOn(headers(context.received(), span.context()));
    }
  }

  @Override
  public void onStop(CallContext context) {
    Span span = getRequiredSpan(context);
    span.name(getSpanName(context));
    tagSpan(context, span);
    endSpan(context, span);
  }

  /** The thread of an execution may be another one than its caller's. */
  private Span.Builder receiver(CallContext context) {
    return hasTrace(context.received()) ? extracted(context.received()) : local(context);
  }

  /** The current span of a thread knows better than headers that were set before it began. */
  private Span.Builder sender(CallContext context) {
    return getParentSpan(context) == null && hasTrace(context.received())
        ? extracted(context.received())
        : local(context);
  }

  private Span.Builder local(CallContext context) {
    Span parent = getParentSpan(context);
    return parent == null
        ? tracer.spanBuilder().setNoParent()
        : tracer.spanBuilder().setParent(parent.context());
  }

  private boolean hasTrace(Headers headers) {
    return propagator.fields().stream().anyMatch(field -> value(headers, field) != null);
  }

  private Span.Builder extracted(Headers headers) {
    return propagator.extract(headers, CallTracingHandler::value);
  }

  private static @Nullable String value(Headers headers, String field) {
    return headers.get(field.toLowerCase(Locale.ROOT)).orElse(null);
  }

  private Span.Builder linked(Headers headers) {
    Span.Builder root = tracer.spanBuilder().setNoParent();
    Matcher setBy = TRACE_PARENT_VALUE.matcher(headers.get(TRACE_PARENT).orElse(""));
    return setBy.matches() ? root.addLink(new Link(context(setBy))) : root;
  }

  private TraceContext context(Matcher traceParent) {
    return tracer
        .traceContextBuilder()
        .traceId(traceParent.group("trace"))
        .spanId(traceParent.group("span"))
        .sampled((Integer.parseInt(traceParent.group("flags"), 16) & 1) == 1)
        .build();
  }

  /** A trace that has no room in the headers is not carried on; the call is not affected. */
  private Headers headers(Headers received, TraceContext span) {
    Map<String, String> fields = new LinkedHashMap<>();
    propagator.inject(span, fields, (_, name, value) -> fields.put(name, value));
    try {
      Headers headers = fields.containsKey(TRACE_PARENT) ? received.without(TRACE_STATE) : received;
      for (Map.Entry<String, String> field : fields.entrySet()) {
        headers = headers.with(field.getKey().toLowerCase(Locale.ROOT), field.getValue());
      }
      return headers.keep(TRACE_PARENT);
    } catch (HeadersException e) {
      return received.without(TRACE_PARENT).without(TRACE_STATE);
    }
  }
}
