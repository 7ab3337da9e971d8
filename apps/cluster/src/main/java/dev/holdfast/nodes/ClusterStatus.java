package dev.holdfast.nodes;

import dev.holdfast.launcher.PlainText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The answer to {@code cluster-status}, for people and as JSON. Stateless. */
final class ClusterStatus {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private static final List<String> COLUMNS =
      List.of("shard", "owner", "copies", "epoch", "lag", "restorableSince", "failure");

  private ClusterStatus() {}

  static String json(Object answer) {
    return JSON.writeValueAsString(answer).replace("\r\n", "\n") + "\n";
  }

  static String text(Map<String, @Nullable Object> answer) {
    if (answer.get("failure") != null) {
      return shown("Node " + answer.get("node") + " does not answer: " + answer.get("failure"));
    }
    StringBuilder text = new StringBuilder();
    text.append(
        shown(
            "Cluster %s, seen from node %s: %s; members %s"
                .formatted(
                    answer.get("cluster"),
                    answer.get("node"),
                    answer.get("health"),
                    joined(answer.get("members")))));
    if (answer.get("reasons") instanceof List<?> reasons) {
      for (Object each : reasons) {
        if (each instanceof Map<?, ?> reason) {
          text.append(
              shown(
                  "%s %s: %s"
                      .formatted(reason.get("state"), reason.get("code"), reason.get("text"))));
        }
      }
    }
    if (answer.get("balancing") instanceof Map<?, ?> balancing) {
      text.append(
          shown(
              "Evening is "
                  + (Boolean.TRUE.equals(balancing.get("on")) ? "on" : "off")
                  + (balancing.get("step") == null ? "" : "; now " + balancing.get("step"))
                  + (balancing.get("problem") == null
                      ? ""
                      : "; not done: " + balancing.get("problem"))));
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("shard", "owner", "copies", "epoch", "lag", "restorable since", "failure"));
    if (answer.get("shards") instanceof List<?> shards) {
      for (Object each : shards) {
        if (each instanceof Map<?, ?> shard) {
          rows.add(COLUMNS.stream().map(name -> cell(shard.get(name))).toList());
        }
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < COLUMNS.size(); column++) {
        int place = column;
        int width = rows.stream().mapToInt(other -> other.get(place).length()).max().orElse(0);
        line.append(row.get(column)).append(" ".repeat(width - row.get(column).length() + 2));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  private static String cell(@Nullable Object value) {
    return PlainText.line(value instanceof List<?> ? joined(value) : Objects.toString(value, "-"));
  }

  /** {@return one line, whatever the names and failures in it} */
  private static String shown(String text) {
    return PlainText.line(text) + "\n";
  }

  private static String joined(@Nullable Object names) {
    return names instanceof List<?> list
        ? String.join(", ", list.stream().map(String::valueOf).toList())
        : "-";
  }
}
