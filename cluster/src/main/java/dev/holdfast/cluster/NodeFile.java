package dev.holdfast.cluster;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The file {@code node}, which says whose the directory is: lines of {@code name=value}. Written
 * once, durably, when the directory is new.
 */
final class NodeFile {

  static final String NAME = "node";

  private static final int BYTES_MAX = 4096;

  private NodeFile() {}

  /**
   * Reads the file, or writes it.
   *
   * @return the incarnation of the directory
   * @throws DataDirectoryException if the directory belongs to another node, or cannot be used
   */
  static long open(Disk disk, Path directory, ClusterOptions options, long fresh) {
    Path file = directory.resolve(NAME);
    try {
      Map<String, String> expected =
          Map.of(
              "cluster", options.cluster(),
              "node", options.self().name(),
              "shards", String.valueOf(options.shards()));
      if (!disk.exists(file)) {
        write(disk, file, expected, fresh);
        return fresh;
      }
      Map<String, String> found = read(disk, file);
      expected.forEach(
          (name, value) -> {
            if (!value.equals(found.get(name))) {
              throw new DataDirectoryException(
                  file,
                  "The directory is of "
                      + name
                      + " "
                      + found.get(name)
                      + ", and is opened for "
                      + value
                      + ". Open it as what it is, or give this node another directory",
                  null);
            }
          });
      return Long.parseUnsignedLong(found.getOrDefault("incarnation", ""), 16);
    } catch (IOException | NumberFormatException e) {
      throw new DataDirectoryException(
          file, "The file that says whose the directory is cannot be read or written", e);
    }
  }

  private static void write(Disk disk, Path file, Map<String, String> expected, long incarnation)
      throws IOException {
    StringBuilder text = new StringBuilder();
    expected.forEach((name, value) -> text.append(name).append('=').append(value).append('\n'));
    text.append("incarnation=").append(Long.toHexString(incarnation)).append('\n');
    disk.replace(file, text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static Map<String, String> read(Disk disk, Path file) throws IOException {
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
}
