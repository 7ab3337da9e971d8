package dev.holdfast.crash.nodes;

import dev.holdfast.cluster.StoppedNode;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.operator.OperatorService;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Compares the objects that the copies of the nodes have, after the nodes were ended at one
 * position of each shard. Of each node the files of its objects, as its rounds have brought them
 * forward, and its segments behind that are read as {@code inspect} reads them, so both engines and
 * the files of both are seen as the next owner would see them.
 *
 * <p>Compared are: which objects there are, in which shard; their pending alarms; and of each
 * object every key, with the bytes of its value, and every row of every table. The bytes of the
 * files are not: free pages, and how much of the journal is in a file already, differ between
 * copies. Of a namespace with many objects in a shard, only the first ones are read, by their ids,
 * which are hashes. Stateless.
 */
final class ContentComparison {

  /** How many objects of a namespace in a shard are read: each costs a copy of its file. */
  private static final int OBJECTS_MAX = 125;

  private ContentComparison() {}

  /**
   * The content of a node.
   *
   * @param objects the content of each object by its shard, namespace and id
   * @param read how many of them were read
   */
  record Content(Map<String, String> objects, int read) {}

  /**
   * Reads the content of the copies of a node that does not run.
   *
   * @param directory of the node, which is not changed
   * @return the content
   */
  static Content read(Path directory) {
    try (StoppedNode stopped = StoppedNode.read(directory)) {
      return read(stopped.operations());
    }
  }

  static Content read(OperatorService stopped) {
    Map<String, String> contents = new TreeMap<>();
    Map<String, Integer> counts = new TreeMap<>();
    for (Map<String, @Nullable Object> object : ask(stopped, OperatorRequest.of("objects"))) {
      String namespace = text(object, "namespace");
      String id = text(object, "id");
      String place = "shard %s, %s ".formatted(object.get("shard"), namespace);
      boolean isRead = counts.merge(place, 1, Integer::sum) <= OBJECTS_MAX;
      contents.put(
          place + id,
          "alarm " + object.get("alarm") + (isRead ? content(stopped, namespace, id) : ""));
    }
    return new Content(
        contents, counts.values().stream().mapToInt(count -> Math.min(count, OBJECTS_MAX)).sum());
  }

  private static String content(OperatorService stopped, String namespace, String id) {
    StringBuilder content = new StringBuilder();
    OperatorRequest keys = about("list", namespace, id).with("limit", Integer.MAX_VALUE);
    for (Map<String, @Nullable Object> pair : ask(stopped, keys)) {
      byte[] value = (byte[]) Objects.requireNonNull(pair.get("value"));
      content.append('\n').append(pair.get("key")).append('=');
      content.append(HexFormat.of().formatHex(value));
    }
    for (Map<String, @Nullable Object> object : ask(stopped, about("object", namespace, id))) {
      for (Object table : (List<?>) Objects.requireNonNull(object.get("tables"))) {
        Object name = ((Map<?, ?>) table).get("name");
        OperatorRequest rows =
            about("sql", namespace, id)
                .with("sql", "SELECT * FROM \"" + name + "\" ORDER BY rowid")
                .with("limit", Integer.MAX_VALUE);
        content.append('\n').append(name);
        ask(stopped, rows).forEach(row -> content.append('\n').append(row));
      }
    }
    return content.toString();
  }

  private static OperatorRequest about(String verb, String namespace, String id) {
    return OperatorRequest.of(verb).with("namespace", namespace).with("object", id);
  }

  private static List<Map<String, @Nullable Object>> ask(
      OperatorService stopped, OperatorRequest request) {
    List<Map<String, @Nullable Object>> answers = new ArrayList<>();
    stopped.perform(request, answers::add);
    return answers;
  }

  private static String text(Map<String, @Nullable Object> answer, String name) {
    return String.valueOf(answer.get(name));
  }

  /**
   * {@return where the nodes differ that keep a shard, as sentences}
   *
   * @param shard the number of the shard
   * @param contents the content of each of them by its name
   */
  static List<String> differences(int shard, Map<String, Map<String, String>> contents) {
    Map<String, Map<String, String>> ofShard = new TreeMap<>();
    contents.forEach(
        (node, found) -> {
          Map<String, String> kept = new TreeMap<>(found);
          kept.keySet().removeIf(object -> !object.startsWith("shard " + shard + ","));
          ofShard.put(node, kept);
        });
    return differences(ofShard);
  }

  /**
   * {@return where nodes differ, as sentences}
   *
   * @param contents the content of each node by its name
   */
  static List<String> differences(Map<String, Map<String, String>> contents) {
    List<String> differences = new ArrayList<>();
    TreeSet<String> objects = new TreeSet<>();
    contents.values().forEach(each -> objects.addAll(each.keySet()));
    for (String object : objects) {
      Map<String, List<String>> nodes = new LinkedHashMap<>();
      contents.forEach(
          (node, found) ->
              nodes
                  .computeIfAbsent(found.getOrDefault(object, "nothing"), _ -> new ArrayList<>())
                  .add(node));
      if (nodes.size() > 1) {
        differences.add("the object %s differs between the nodes %s".formatted(object, nodes));
      }
    }
    return differences;
  }
}
