package dev.holdfast.crash.nodes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where the copies of the shards are when nothing changes any more: as the nodes say it, and as
 * their directories are. Stateless.
 */
final class RestingCopies {

  private RestingCopies() {}

  /**
   * {@return what is not yet as it must be, as sentences}
   *
   * @param status what each node has said of the shards
   * @param directories the directory of each node
   * @param shards the number of shards
   * @param copies how many copies each shard has
   */
  static List<String> differences(
      Map<String, String> status, Map<String, Path> directories, int shards, int copies) {
    List<String> differences = new ArrayList<>();
    if (!status.keySet().equals(directories.keySet())) {
      differences.add(
          "of the nodes %s, %s answer".formatted(directories.keySet(), status.keySet()));
      return differences;
    }
    Map<String, List<String>> kept = new TreeMap<>();
    Map<String, Integer> owned = new TreeMap<>();
    status.keySet().forEach(name -> kept.put(name, new ArrayList<>()));
    status.keySet().forEach(name -> owned.put(name, 0));
    for (int shard = 0; shard < shards; shard++) {
      Map<String, String> said = new TreeMap<>();
      for (Map.Entry<String, String> each : status.entrySet()) {
        String words = each.getValue().split(" ", -1)[shard];
        if (!words.endsWith(":0")) {
          said.put(each.getKey(), words);
          kept.computeIfAbsent(each.getKey(), _ -> new ArrayList<>()).add(directory(shard));
        }
      }
      if (said.size() != copies || new TreeSet<>(said.values()).size() != 1) {
        differences.add("shard %d has the copies %s".formatted(shard, said));
      }
      said.values().stream()
          .findFirst()
          .ifPresent(words -> owned.merge(words.split(":", -1)[1], 1, Integer::sum));
    }
    kept.forEach(
        (name, expected) -> {
          List<String> found = directories(Objects.requireNonNull(directories.get(name), name));
          if (!found.equals(expected)) {
            differences.add(
                "node %s keeps the shards %s and has the directories %s"
                    .formatted(name, expected, found));
          }
        });
    Map<String, Integer> counts =
        kept.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, each -> each.getValue().size()));
    requireEven("copies", counts, differences);
    requireEven("owners", owned, differences);
    String members = status.keySet().stream().sorted().collect(Collectors.joining(","));
    status.forEach(
        (name, said) -> {
          if (!said.endsWith(" " + members)) {
            differences.add(
                "node %s does not know the members %s: %s".formatted(name, members, said));
          }
        });
    return differences;
  }

  private static void requireEven(
      String what, Map<String, Integer> counts, List<String> differences) {
    var numbers = counts.values().stream().mapToInt(Integer::intValue).summaryStatistics();
    if (numbers.getMax() - numbers.getMin() > 1) {
      differences.add("%s are not even: %s".formatted(what, new TreeMap<>(counts)));
    }
  }

  /** {@return whether a node has a directory of a shard} */
  static boolean hasCopy(Path node, int shard) {
    return Files.exists(node.resolve("shards").resolve(directory(shard)));
  }

  private static String directory(int shard) {
    return "%04d".formatted(shard);
  }

  private static List<String> directories(Path node) {
    try (Stream<Path> entries = Files.list(node.resolve("shards"))) {
      return entries.map(each -> String.valueOf(each.getFileName())).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
