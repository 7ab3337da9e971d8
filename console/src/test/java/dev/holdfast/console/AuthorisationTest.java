package dev.holdfast.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorException.Reason;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Every address with every method, as nobody, viewer, operator and from another origin. */
@TestInstance(Lifecycle.PER_CLASS)
class AuthorisationTest {

  private static final String OPERATOR = "operator-operator-operator";
  private static final String VIEWER = "viewer-viewer-viewer-viewer";
  private static final List<String> METHODS =
      List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND");

  /** Refuses everything, and counts what was asked. */
  private final AtomicInteger asked = new AtomicInteger();

  private HoldfastConsole console;

  @BeforeAll
  void open() throws Exception {
    console =
        HoldfastConsole.start(
            (request, answers) -> {
              // The first is sampled, and the other asks whether this is a node.
              if (!List.of("stats", "cluster-status").contains(request.verb())) {
                asked.incrementAndGet();
              }
              throw new OperatorException(Reason.FAILED, "nothing here");
            },
            ConsoleOptions.DEFAULT
                .withAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withToken(ConsoleToken.of(ConsoleRole.OPERATOR, OPERATOR))
                .withToken(ConsoleToken.of(ConsoleRole.VIEWER, VIEWER)));
  }

  @AfterAll
  void close() {
    console.close();
  }

  private static List<String> paths() {
    TreeSet<String> paths =
        new TreeSet<>(ConsoleRoute.ALL.stream().map(ConsoleRoute::path).toList());
    paths.remove("/logout"); // would end the session of the test
    paths.add("/no/such/page");
    return new ArrayList<>(paths);
  }

  private HttpRequest.Builder request(String method, String path) {
    boolean hasBody = List.of("POST", "PUT", "PATCH").contains(method);
    return HttpRequest.newBuilder(console.address().resolve(path))
        .header("Content-Type", "application/x-www-form-urlencoded")
        .method(method, hasBody ? BodyPublishers.ofString("x=1") : BodyPublishers.noBody());
  }

  @Test
  void nobodyReachesTheLoginOnly() throws Exception {
    Browser nobody = new Browser(console.address());
    for (String path : paths()) {
      for (String method : METHODS) {
        HttpResponse<String> answer = nobody.send(request(method, path).build());
        assertThat(answer.uri().getPath()).as(method + " " + path).isEqualTo("/login");
      }
    }
    assertThat(asked).hasValue(0);
  }

  @Test
  void aViewerReachesWhatIsForViewers() throws Exception {
    Browser viewer = Browser.in(console.address(), VIEWER);
    for (String path : paths()) {
      for (String method : METHODS) {
        asked.set(0);
        int status = viewer.send(request(method, path).build()).statusCode();
        ConsoleRoute route = ConsoleRoute.find(method, path);
        if (route == null) {
          assertThat(status).as(method + " " + path).isEqualTo(404);
          assertThat(asked).as(method + " " + path).hasValue(0);
        } else if (route.role() == ConsoleRole.OPERATOR || method.equals("POST")) {
          // A form without the secret of its session is refused, too.
          assertThat(status).as(method + " " + path).isEqualTo(403);
          assertThat(asked).as(method + " " + path).hasValue(0);
        } else {
          assertThat(status).as(method + " " + path).isIn(200, 400, 404, 409, 503);
        }
      }
    }
  }

  @Test
  void anOperatorReachesEverythingAndChangesNothingWithoutTheSecretOfTheForm() throws Exception {
    Browser operator = Browser.in(console.address(), OPERATOR);
    for (String path : paths()) {
      for (String method : METHODS) {
        asked.set(0);
        int status = operator.send(request(method, path).build()).statusCode();
        ConsoleRoute route = ConsoleRoute.find(method, path);
        if (route == null) {
          assertThat(status).as(method + " " + path).isEqualTo(404);
        } else if (method.equals("POST")) {
          assertThat(status).as(method + " " + path).isEqualTo(403);
          assertThat(asked).as(method + " " + path).hasValue(0);
        } else {
          assertThat(status).as(method + " " + path).isIn(200, 400, 404, 409, 503);
        }
      }
    }
  }

  @Test
  void anotherOriginChangesNothing() throws Exception {
    Browser operator = Browser.in(console.address(), OPERATOR);
    String form = operator.form();
    assertThat(form).isNotEmpty();
    for (ConsoleRoute route : ConsoleRoute.ALL) {
      if (route.method().equals("POST")) {
        asked.set(0);
        HttpRequest foreign =
            HttpRequest.newBuilder(console.address().resolve(route.path()))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Origin", "http://attacker.example")
                .POST(BodyPublishers.ofString("form=" + form))
                .build();
        assertThat(operator.send(foreign).statusCode()).as(route.path()).isEqualTo(403);
        assertThat(asked).as(route.path()).hasValue(0);
      }
    }
  }
}
