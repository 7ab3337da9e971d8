package dev.holdfast.journal.shard;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.NodeDirectory;
import dev.holdfast.journal.image.IncomingImage;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Which shards the directory of a node has. */
public final class ShardDirectories {

  private static final String SHARDS = "shards";
  private static final String ADOPTING = "adopting=";
  private static final String NODE = "node=";
  private static final String MEMBERS = "shard.";
  private static final String RECOVERING = "recovering=";
  private static final int BYTES_MAX = 1 << 20;

  private ShardDirectories() {}

  /**
   * Returns the directories of the shards of a node that does not run, to read them; they need not
   * exist.
   *
   * @param disk where they are
   * @param data the directory of the node
   * @return one for each shard, in their order
   * @throws DataDirectoryException if the file that states their number cannot be read, or a kill
   *     has ended a change in the middle whose rest the next opening does: what is read would not
   *     be what the node has
   */
  public static List<Path> shards(Disk disk, Path data) {
    int count = 0;
    for (String line : lines(disk, data)) {
      requireWhole(data, line);
      if (line.matches(SHARDS + "=[0-9]{1,3}")) {
        count = Integer.parseInt(line.substring(SHARDS.length() + 1));
      }
    }
    if (count < 1) {
      throw new DataDirectoryException(
          data.resolve(NodeDirectory.FILE_NAME),
          "The file does not say how many shards the node has; it is damaged",
          null);
    }
    List<Path> shards = new ArrayList<>();
    for (int shard = 0; shard < count; shard++) {
      Path directory = shard(data, shard);
      requirePlaced(disk, directory);
      shards.add(directory);
    }
    return shards;
  }

  private static void requireWhole(Path data, String line) {
    if (line.startsWith(ADOPTING)) {
      throw new DataDirectoryException(
          data,
          "The change of the directory into the directory of a node was interrupted. Repeat"
              + " ./holdfast cluster adopt, or open the node once; nothing was changed",
          null);
    }
    if (line.startsWith(RECOVERING)) {
      throw new DataDirectoryException(
          data,
          "The directory is being made a cluster of one, and that was interrupted. Repeat"
              + " ./holdfast cluster recover; nothing was changed",
          null);
    }
  }

  private static void requirePlaced(Disk disk, Path shard) {
    try {
      if (IncomingImage.isPlacing(disk, shard)) {
        throw new DataDirectoryException(
            shard,
            "A kill has ended this node while files of an owner replaced the files of this copy."
                + " Open the node once, close it, and repeat this; nothing was changed",
            null);
      }
    } catch (IOException e) {
      throw new DataDirectoryException(shard, "The copy of the shard cannot be read", e);
    }
  }

  /**
   * {@return the directory of a shard of a node, which need not exist}
   *
   * @param data the directory of the node
   * @param shard the number of the shard
   */
  public static Path shard(Path data, int shard) {
    return data.resolve(SHARDS).resolve("%04d".formatted(shard));
  }

  /**
   * Returns whether a node must have a copy of a shard: it has taken part in its cluster, and is
   * one of the nodes that keep the shard, as far as it has heard.
   *
   * @param disk where it is
   * @param data the directory of the node
   * @param shard the number of the shard
   * @return whether it must
   * @throws DataDirectoryException if the file that says so cannot be read
   */
  public static boolean isKept(Disk disk, Path data, int shard) {
    List<String> lines = lines(disk, data);
    String name = "";
    String members = "";
    for (String line : lines) {
      if (line.startsWith(NODE)) {
        name = line.substring(NODE.length());
      } else if (line.startsWith(MEMBERS + shard + "=")) {
        members = line.substring(line.indexOf(' ') + 1);
      }
    }
    return lines.contains("joined=true") && ("," + members).contains("," + name + "=");
  }

  private static List<String> lines(Disk disk, Path data) {
    Path file = data.resolve(NodeDirectory.FILE_NAME);
    try (DiskFile open = disk.open(file, Mode.READ)) {
      byte[] bytes = new byte[(int) Math.min(BYTES_MAX, open.size())];
      int length = Math.max(0, open.read(bytes, 0, bytes.length, 0));
      return new String(bytes, 0, length, StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new DataDirectoryException(
          file, "The file that says whose the directory is cannot be read", e);
    }
  }
}
