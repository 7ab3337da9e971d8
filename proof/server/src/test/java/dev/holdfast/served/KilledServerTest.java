package dev.holdfast.served;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.launcher.process.ChildJvm;
import dev.holdfast.server.ServeCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** SIGKILL in the middle of bulk creates: each request is stored completely or not at all. */
class KilledServerTest {

  private static final int RULES_A_REQUEST = 20;
  private static final int REQUESTS_MAX = 45;
  private static final int CLIENTS = 4;
  private static final int ANSWERS_BEFORE_THE_KILL = 12;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final HttpClient client = HttpClient.newHttpClient();

  private String token = "";
  private String zone = "";
  private String base = "";

  @Test
  void ofEachRequestAllIsThereOrNothingAndEveryAnswerHolds(@TempDir Path directory)
      throws Exception {
    Set<Integer> answered = ConcurrentHashMap.newKeySet();
    try (ChildJvm server = start(directory)) {
      createRulesUntilKilled(server, answered);
    }
    assertThat(answered.size()).isGreaterThanOrEqualTo(ANSWERS_BEFORE_THE_KILL);

    try (ChildJvm server = start(directory)) {
      Map<Integer, Integer> rules = countByRequest("/firewall/rules");
      Map<Integer, Integer> filters = countByRequest("/filters");

      assertThat(rules.values()).containsOnly(RULES_A_REQUEST);
      assertThat(rules.keySet()).containsAll(answered);
      assertThat(filters).isEqualTo(rules);
      server.kill();
    }
  }

  /**
   * Starts a server and records its output: the token of the first start, the zone, the address.
   */
  private ChildJvm start(Path directory) {
    ChildJvm server =
        ChildJvm.startWithErrors(
            ServeCommand.class, List.of("--quiet", "--port", "0", "--data", directory.toString()));
    List<String> said = new ArrayList<>();
    while (true) {
      Optional<String> next = server.nextLine(PATIENCE);
      if (next.isEmpty()) {
        server.close();
        throw new AssertionError(
            "The server does not serve, but said:\n" + String.join("\n", said));
      }
      String line = next.orElseThrow();
      said.add(line);
      if (line.startsWith("token")) {
        token = line.substring(line.lastIndexOf(' ') + 1);
      } else if (line.startsWith("zone")) {
        zone = line.substring(line.lastIndexOf(' ') + 1);
      } else if (line.startsWith("serving")) {
        base = line.substring(line.indexOf("http")) + "/zones/" + zone;
        return server;
      }
    }
  }

  private void createRulesUntilKilled(ChildJvm server, Set<Integer> answered) throws Exception {
    AtomicInteger next = new AtomicInteger();
    CountDownLatch enough = new CountDownLatch(ANSWERS_BEFORE_THE_KILL);
    try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
      for (int i = 0; i < CLIENTS; i++) {
        clients.execute(
            () -> {
              for (int n = next.getAndIncrement();
                  n < REQUESTS_MAX && create(n, answered);
                  n = next.getAndIncrement()) {
                enough.countDown();
              }
            });
      }
      assertThat(enough.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      server.kill();
    }
  }

  /** Whether the server answered before it was killed. */
  private boolean create(int number, Set<Integer> answered) {
    StringJoiner rules = new StringJoiner(",", "[", "]");
    for (int i = 0; i < RULES_A_REQUEST; i++) {
      rules.add(
          "{\"action\":\"block\",\"description\":\"r%d\",\"filter\":{\"description\":\"r%d\",\"expression\":\"ip.src.asnum eq %d\"}}"
              .formatted(number, number, number * RULES_A_REQUEST + i));
    }
    try {
      HttpResponse<String> answer = send("POST", "/firewall/rules", rules.toString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      answered.add(number);
      return true;
    } catch (UncheckedIOException killed) {
      return false;
    }
  }

  private Map<Integer, Integer> countByRequest(String path) {
    Map<Integer, Integer> counts = new HashMap<>();
    for (int page = 1; ; page++) {
      String answer = send("GET", path + "?per_page=100&page=" + page, "").body();
      JsonNode items = new JsonMapper().readTree(answer).get("result");
      if (items.isEmpty()) {
        return counts;
      }
      for (JsonNode item : items) {
        String name = item.get("description").stringValue();
        counts.merge(Integer.parseInt(name.substring(1)), 1, Integer::sum);
      }
    }
  }

  private HttpResponse<String> send(String method, String path, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(base + path))
            .header("Authorization", "Bearer " + token)
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .build();
    try {
      return client.send(request, BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
