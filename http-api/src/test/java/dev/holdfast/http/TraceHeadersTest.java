package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.http.object.Permission;
import dev.holdfast.http.object.Plan;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Which headers of a request the calls of its objects have. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TraceHeadersTest {

  private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  /** Each call with its headers. */
  private final List<String> calls = new CopyOnWriteArrayList<>();

  private ObjectRuntime runtime;
  private HttpApi api;
  private String zone;
  private String token;

  @BeforeAll
  void open(@TempDir Path directory) {
    HttpApiOptions options = HttpApiOptions.DEFAULT.withClock(new MovableClock());
    runtime =
        Holdfast.open(
            directory,
            objects -> {
              HttpApi.register(objects, options);
              objects.filter(
                  call -> {
                    calls.add(call.operation() + call.headers().asMap());
                    return call.proceed();
                  });
            });
    api = new HttpApi(runtime, options);
    zone = api.operator().createZone("example.com", Plan.ENTERPRISE).id();
    token = api.operator().createToken(List.of(), List.of(Permission.values()));
  }

  @BeforeEach
  void forget() {
    calls.clear();
  }

  @AfterAll
  void close() {
    runtime.close();
  }

  private void send(Map<String, List<String>> headers) {
    Map<String, List<String>> all = new HashMap<>(headers);
    all.put("authorization", List.of("Bearer " + token));
    ApiResponse response =
        api.handle(
            new ApiRequest(
                "GET",
                "/client/v4/zones/" + zone + "/page_shield",
                "",
                all,
                ByteBuffer.allocate(0)));
    assertThat(response.status()).isEqualTo(200);
  }

  @Test
  void everyObjectThatARequestTouchesGetsTheTrace() {
    send(
        Map.of(
            "traceparent", List.of(PARENT),
            "tracestate", List.of("a=1", "b=2"),
            "baggage", List.of("user=u")));

    String headers = "{traceparent=" + PARENT + ", tracestate=a=1,b=2, baggage=user=u}";
    assertThat(calls)
        .containsExactly("grantOfToken" + headers, "zone" + headers, "handle" + headers);
  }

  @Test
  void noOtherHeaderIsPassedOn() {
    send(Map.of("tenant", List.of("t"), "x-user", List.of("u"), "cookie", List.of("c")));

    assertThat(calls).containsExactly("grantOfToken{}", "zone{}", "handle{}");
  }

  @Test
  void headersThatAreMalformedOrTooLongAreLeftOut() {
    send(
        Map.of(
            "traceparent", List.of(PARENT, PARENT),
            "tracestate", List.of("a=1"),
            "baggage", List.of("user=u")));
    assertThat(calls).last().isEqualTo("handle{baggage=user=u}");
    send(
        Map.of(
            "traceparent", List.of(PARENT),
            "tracestate", List.of("a=\u00e9"),
            "baggage", List.of("user=" + "u".repeat(6_100))));
    assertThat(calls).last().isEqualTo("handle{traceparent=" + PARENT + "}");
  }
}
