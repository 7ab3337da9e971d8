package dev.holdfast.cluster.member;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The lines {@code name=value} of the file {@code node}. Stateless. */
final class NodeLines {

  private static final int BYTES_MAX = 1 << 20; // 128 shards, 5 members with the longest names

  private NodeLines() {}

  static Map<String, String> read(Disk disk, Path file) throws IOException {
    byte[] bytes = new byte[BYTES_MAX];
    int length;
    try (DiskFile open = disk.open(file, Mode.READ)) {
      length = open.read(bytes, 0, (int) Math.min(BYTES_MAX, open.size()), 0);
    }
    Map<String, String> values = new HashMap<>();
    for (String line : new String(bytes, 0, length, StandardCharsets.UTF_8).split("\n", -1)) {
      int equals = line.indexOf('=');
      if (equals > 0) {
        values.put(line.substring(0, equals), line.substring(equals + 1));
      }
    }
    return values;
  }

  static byte[] bytes(Map<String, String> values) {
    StringBuilder text = new StringBuilder();
    values.forEach((name, value) -> text.append(name).append('=').append(value).append('\n'));
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }
}
