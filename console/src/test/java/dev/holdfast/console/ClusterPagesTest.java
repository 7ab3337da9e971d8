package dev.holdfast.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.operator.Answers;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.operator.OperatorService;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a node says of its cluster, as pages; the nodes are played. */
class ClusterPagesTest {

  private static final String MARKUP = "<script>alert(1)</script>";

  private final List<OperatorRequest> asked = new CopyOnWriteArrayList<>();

  private static Map<String, @Nullable Object> shard(
      long number, String owner, long epoch, boolean isMoving, @Nullable String failure) {
    Map<String, @Nullable Object> shard = new LinkedHashMap<>();
    shard.put("shard", number);
    shard.put("owner", owner);
    shard.put("epoch", epoch);
    shard.put("lag", 7L * epoch);
    shard.put("restorableSince", "2026-11-23T09:30:00Z");
    shard.put("moving", isMoving);
    shard.put("failure", failure);
    return shard;
  }

  private static Map<String, @Nullable Object> node(String name, List<?> shards) {
    Map<String, @Nullable Object> node = new LinkedHashMap<>();
    node.put("node", name);
    node.put("health", "DEGRADED");
    node.put("reasons", List.of(Map.of("code", "c", "state", "DEGRADED", "text", MARKUP)));
    node.put("shards", shards);
    node.put("clockAheadMillis", Map.of("b", 12L));
    node.put("diskUsableBytes", 3L << 30);
    return node;
  }

  private @Nullable String perform(OperatorRequest request, Answers answers) {
    asked.add(request);
    switch (request.verb()) {
      case "cluster-status" -> answers.add(node("a", List.of(shard(0, "a", 1, false, null))));
      case "cluster-nodes" -> {
        answers.add(
            node("a", List.of(shard(0, "a", 3, true, null), shard(1, "b", 4, false, null))));
        answers.add(node("b", List.of(shard(0, "c", 2, false, MARKUP))));
        answers.add(Map.of("node", "c", "failure", MARKUP));
      }
      case "objects" -> {
        answers.add(Map.of("namespace", "notes", "id", "00", "bytes", 5L));
        return "Shard 2: It has no owner that this node knows.";
      }
      case "namespaces" -> answers.add(Map.of("namespace", "notes"));
      case "stats" -> answers.add(Map.of("namespaces", Map.of("notes", Map.of())));
      case "consumers" -> {
        answers.add(Map.of("shard", 0L, "topic", "sales", "name", "index", "position", 7L));
        answers.add(Map.of("shard", 1L, "topic", "sales", "name", "index", "position", 9L));
      }
      case "consumer-reset" -> answers.add(Map.of("reset", "now"));
      case "cluster-transfer" -> {
        return "Node b owns shard 0.";
      }
      default -> throw new OperatorException(Reason.WRONG_REQUEST, "not played");
    }
    return null;
  }

  private static HoldfastConsole start(OperatorService service, ConsoleRole role) throws Exception {
    return HoldfastConsole.start(
        service,
        ConsoleOptions.DEFAULT
            .withAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .withToken(ConsoleToken.of(role, "0123456789abcdef01234567")));
  }

  private static Browser in(HoldfastConsole console) throws Exception {
    return Browser.in(console.address(), "0123456789abcdef01234567");
  }

  @Test
  void pageShowsWhatEachMemberSaysAndWhichDoesNotAnswer() throws Exception {
    try (HoldfastConsole console = start(this::perform, ConsoleRole.OPERATOR)) {
      String page = in(console).get("cluster").body();

      assertThat(page)
          .contains(">Cluster</a>", "DEGRADED", "3.00 GiB", "12 ms")
          .contains("It does not answer: &lt;script", "a: is being moved", "b: &lt;script")
          .doesNotContain("<script>alert");
      // The newest owner that anybody knows, and the lag as each says it.
      assertThat(page)
          .contains(
              "<td>a</td><td class=\"n\">3</td><td class=\"n\">21</td><td class=\"n\">14</td>")
          .contains(
              "<td>b</td><td class=\"n\">4</td><td class=\"n\">28</td><td class=\"n\">-</td>");
      assertThat(in(console).get("objects").body())
          .contains("This list is not whole. Shard 2: It has no owner")
          .doesNotContain("Next page");
    }
  }

  @Test
  void operatorMovesAShardAfterAQuestionAndAViewerDoesNot() throws Exception {
    try (HoldfastConsole console = start(this::perform, ConsoleRole.OPERATOR)) {
      Browser browser = in(console);
      assertThat(browser.get("cluster/move?shard=0&to=b").body())
          .contains("Shard 0 goes to node b");
      assertThat(browser.submit("cluster/move", Map.of("shard", "0", "to", "b")).body())
          .contains("The shard was moved.");
      List<OperatorRequest> moves =
          new ArrayList<>(asked.stream().filter(each -> isMove(each)).toList());
      assertThat(moves).hasSize(1);
      assertThat(moves.getFirst().arguments()).containsEntry("shard", 0L).containsEntry("to", "b");
      assertThat(browser.submit("cluster/move", Map.of("shard", "x", "to", "b")).statusCode())
          .isEqualTo(400);
    }
    asked.clear();
    try (HoldfastConsole console = start(this::perform, ConsoleRole.VIEWER)) {
      Browser browser = in(console);
      assertThat(browser.get("cluster").body()).doesNotContain("Move a shard");
      assertThat(browser.get("cluster/move?shard=0&to=b").statusCode()).isEqualTo(403);
      assertThat(browser.submit("cluster/move", Map.of("shard", "0", "to", "b")).statusCode())
          .isEqualTo(403);
      assertThat(asked).noneMatch(ClusterPagesTest::isMove);
    }
  }

  private static boolean isMove(OperatorRequest request) {
    return request.verb().equals("cluster-transfer");
  }

  @Test
  void consumerIsResetInTheShardOfItsLineAlone() throws Exception {
    try (HoldfastConsole console = start(this::perform, ConsoleRole.OPERATOR)) {
      Browser browser = in(console);
      assertThat(browser.get("events").body())
          .contains("events/act?action=now&topic=sales&amp;consumer=index&amp;shard=1");
      assertThat(browser.get("events/act?action=now&topic=sales&consumer=index&shard=1").body())
          .contains(
              "in shard 1",
              "events/act?action=now&amp;topic=sales&amp;consumer=index&amp;shard=1\"");
      browser.submit(
          "events/act",
          Map.of("action", "now", "topic", "sales", "consumer", "index", "shard", "1"));
      assertThat(asked)
          .filteredOn(each -> each.verb().equals("consumer-reset"))
          .singleElement()
          .satisfies(each -> assertThat(each.arguments()).containsEntry("shard", 1L));
    }
  }

  @Test
  void oneMachineHasNoSuchPage() throws Exception {
    OperatorService machine =
        (request, answers) -> {
          if (request.verb().startsWith("cluster-")) {
            throw new OperatorException(Reason.WRONG_REQUEST, "There is no operation");
          }
          return perform(request, answers);
        };
    try (HoldfastConsole console = start(machine, ConsoleRole.OPERATOR)) {
      assertThat(in(console).get("cluster").statusCode()).isEqualTo(404);
      assertThat(in(console).get("objects").body()).doesNotContain(">Cluster</a>");
    }
  }
}
