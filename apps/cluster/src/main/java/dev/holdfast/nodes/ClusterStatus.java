package dev.holdfast.nodes;

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
      return "Node " + answer.get("node") + " does not answer: " + answer.get("failure") + "\n";
    }
    StringBuilder text = new StringBuilder();
    text.append("Cluster ").append(answer.get("cluster"));
    text.append(", seen from node ").append(answer.get("node"));
    text.append(": ").append(answer.get("health"));
    text.append("; members ").append(joined(answer.get("members"))).append('\n');
    if (answer.get("reasons") instanceof List<?> reasons) {
      for (Object each : reasons) {
        if (each instanceof Map<?, ?> reason) {
          text.append(
              "%s %s: %s\n".formatted(reason.get("state"), reason.get("code"), reason.get("text")));
        }
      }
    }
    if (answer.get("balancing") instanceof Map<?, ?> balancing) {
      text.append("Evening is ").append(Boolean.TRUE.equals(balancing.get("on")) ? "on" : "off");
      if (balancing.get("step") != null) {
        text.append("; now ").append(balancing.get("step"));
      }
      if (balancing.get("problem") != null) {
        text.append("; not done: ").append(balancing.get("problem"));
      }
      text.append('\n');
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
    return value instanceof List<?> ? joined(value) : Objects.toString(value, "-");
  }

  private static String joined(@Nullable Object names) {
    return names instanceof List<?> list
        ? String.join(", ", list.stream().map(String::valueOf).toList())
        : "-";
  }
}
