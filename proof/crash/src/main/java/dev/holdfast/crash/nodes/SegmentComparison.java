package dev.holdfast.crash.nodes;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Compares the segments of the copies of a shard, byte for byte, up to the end of the last group
 * that all have: what is behind it is of an older file. Reads the format by itself. Stateless.
 */
final class SegmentComparison {

  private static final int HEADER_BYTES = 4096;
  private static final int SALT_IN_HEADER = 32;
  private static final int GROUP_HEADER_BYTES = 64;
  private static final int GROUP_MAGIC = 0x48475250;
  private static final int SALT_IN_GROUP = 8;
  private static final int BODY_LENGTH_IN_GROUP = 32;

  private SegmentComparison() {}

  /**
   * {@return where copies differ, as sentences}
   *
   * @param directories the directory of each node
   * @param shards the number of shards
   * @throws IOException if a file cannot be read
   */
  static List<String> differences(Map<String, Path> directories, int shards) throws IOException {
    List<String> differences = new ArrayList<>();
    for (int shard = 0; shard < shards; shard++) {
      Map<String, Map<String, byte[]>> copies = new TreeMap<>();
      for (Map.Entry<String, Path> each : directories.entrySet()) {
        Path journal = each.getValue().resolve("shards/%04d/journal".formatted(shard));
        if (Files.exists(journal)) { // a node does not keep every shard
          copies.put(each.getKey(), segments(journal));
        }
      }
      compare(shard, copies, differences);
    }
    return differences;
  }

  private static Map<String, byte[]> segments(Path journal) throws IOException {
    Map<String, byte[]> segments = new TreeMap<>();
    try (Stream<Path> files = Files.list(journal)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".log")).toList()) {
        byte[] bytes = upToLastGroup(Files.readAllBytes(file));
        if (bytes.length > HEADER_BYTES) {
          segments.put(String.valueOf(file.getFileName()), bytes);
        }
      }
    }
    return segments;
  }

  private static byte[] upToLastGroup(byte[] file) {
    if (file.length < HEADER_BYTES) {
      return new byte[0];
    }
    ByteBuffer bytes = ByteBuffer.wrap(file);
    long salt = bytes.getLong(SALT_IN_HEADER);
    long end = HEADER_BYTES;
    while (end + GROUP_HEADER_BYTES <= file.length
        && bytes.getInt((int) end) == GROUP_MAGIC
        && bytes.getLong((int) end + SALT_IN_GROUP) == salt) {
      end += GROUP_HEADER_BYTES + bytes.getLong((int) end + BODY_LENGTH_IN_GROUP);
    }
    return Arrays.copyOf(file, (int) Math.min(end, file.length));
  }

  private static void compare(
      int shard, Map<String, Map<String, byte[]>> copies, List<String> differences) {
    TreeSet<String> names = new TreeSet<>();
    copies.values().forEach(each -> names.addAll(each.keySet()));
    if (names.isEmpty()) {
      differences.add("shard " + shard + " has no segment");
    }
    for (String name : names) {
      String firstNode = "";
      byte[] first = null;
      for (Map.Entry<String, Map<String, byte[]>> copy : copies.entrySet()) {
        byte[] bytes = copy.getValue().get(name);
        // The newest segment may have begun on some nodes only, when they were ended.
        if (bytes == null && !name.equals(names.last())) {
          differences.add(
              "shard %d: node %s has no segment %s".formatted(shard, copy.getKey(), name));
        } else if (bytes != null && first == null) {
          firstNode = copy.getKey();
          first = bytes;
        } else if (bytes != null && first != null) {
          int length =
              name.equals(names.last())
                  ? Math.min(first.length, bytes.length)
                  : Math.max(first.length, bytes.length);
          int at =
              Arrays.mismatch(
                  first,
                  0,
                  Math.min(length, first.length),
                  bytes,
                  0,
                  Math.min(length, bytes.length));
          if (at >= 0) {
            differences.add(
                "shard %d: segment %s of nodes %s and %s differs at byte %d"
                    .formatted(shard, name, firstNode, copy.getKey(), at));
          }
        }
      }
    }
  }
}
