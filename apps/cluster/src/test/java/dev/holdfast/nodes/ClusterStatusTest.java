package dev.holdfast.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What {@code cluster status} prints is what scripts read: it changes on purpose only. */
final class ClusterStatusTest {

  private static Map<String, @Nullable Object> shard(
      long number, @Nullable String owner, @Nullable Long lag, @Nullable String failure) {
    Map<String, @Nullable Object> shard = new LinkedHashMap<>();
    shard.put("shard", number);
    shard.put("owner", owner);
    shard.put("epoch", number * 7);
    shard.put("lag", lag);
    shard.put("restorableSince", owner == null ? null : "2026-11-24T15:00:00Z");
    shard.put("lastPosition", 42);
    shard.put("openHere", "a".equals(owner));
    shard.put("failure", failure);
    return shard;
  }

  private static Map<String, @Nullable Object> answer() {
    Map<String, @Nullable Object> answer = new LinkedHashMap<>();
    answer.put("cluster", "shop");
    answer.put("node", "a");
    answer.put("members", List.of("a", "b", "c"));
    answer.put("health", "DEGRADED");
    answer.put(
        "shards",
        List.of(
            shard(0, "a", 0L, null), shard(1, null, null, null), shard(2, "b", 1200L, "no room")));
    return answer;
  }

  private static String golden(String name) throws IOException {
    try (InputStream found = ClusterStatusTest.class.getResourceAsStream(name)) {
      assertThat(found).as(name).isNotNull();
      return new String(found.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void jsonIsAsRecorded() throws Exception {
    assertThat(ClusterStatus.json(answer())).isEqualTo(golden("status.json"));
  }

  @Test
  void textIsAsRecorded() throws Exception {
    assertThat(ClusterStatus.text(answer())).isEqualTo(golden("status.txt"));
  }

  @Test
  void memberThatDoesNotAnswerIsALine() {
    assertThat(ClusterStatus.text(Map.of("node", "b", "failure", "There is no connection.")))
        .isEqualTo("Node b does not answer: There is no connection.\n");
  }

  @Test
  void textOfANodeOrAnObjectMakesNoLine() {
    Map<String, @Nullable Object> answer = answer();
    answer.put(
        "reasons",
        List.of(
            Map.of("state", "DEGRADED", "code", "shard-hot", "text", "carts/x\nUP all: forged")));
    answer.put("balancing", Map.of("on", true, "step", "x\ny", "problem", "not\nDOWN"));
    answer.put("shards", List.of(shard(0, "a\nb", 0L, "no room\n1  b")));

    assertThat(ClusterStatus.text(answer).lines())
        .hasSize(5) // the cluster, a reason, evening, and a table of two
        .anyMatch(line -> line.endsWith("carts/x\\u000aUP all: forged"))
        .anyMatch(line -> line.endsWith("no room\\u000a1  b"));
    assertThat(ClusterStatus.text(Map.of("node", "b", "failure", "lost\nNode c is well")))
        .isEqualTo("Node b does not answer: lost\\u000aNode c is well\n");
  }
}
