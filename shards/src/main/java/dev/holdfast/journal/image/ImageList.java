package dev.holdfast.journal.image;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.FileSum;
import dev.holdfast.spi.disk.StoredName;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The list of the files of an image; {@code docs/formats/shard-image.md} has the layout. A list
 * from another node is not trusted: names lead to the files of views only, each once.
 */
final class ImageList {

  /** What the owner says of its copies, for the file {@code saved} of the other node. */
  static final String SAVED = "saved";

  /** The files and directories of views, in the directory of a replica. */
  static final List<String> VIEWS = List.of("rocksdb", "rocksdb.flushed", "sqlite");

  /** The longest list: some million files. */
  static final int BYTES_MAX = 512 << 20;

  private static final Pattern LINE = Pattern.compile("([0-9]{1,18}) ([0-9a-f]{8}) (\\S+)");

  private ImageList() {}

  /**
   * A file.
   *
   * @param name its name in the directory of a replica
   * @param bytes its size
   * @param checksum its CRC-32C
   */
  record Entry(String name, long bytes, int checksum) {}

  static byte[] encode(List<Entry> files) {
    StringBuilder lines = new StringBuilder();
    for (Entry each : files) {
      lines.append(each.bytes()).append(' ');
      lines.append(String.format("%08x", each.checksum())).append(' ');
      lines.append(each.name()).append('\n');
    }
    return lines.toString().getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Reads a list.
   *
   * @param file for messages
   * @throws DataDirectoryException if it is none
   */
  static List<Entry> decode(byte[] list, Path file) {
    String text;
    try {
      text = StandardCharsets.US_ASCII.newDecoder().decode(ByteBuffer.wrap(list)).toString();
    } catch (CharacterCodingException e) {
      throw malformed(file, "it has other characters than ASCII");
    }
    List<Entry> files = new ArrayList<>();
    String last = "";
    for (String line : text.lines().toList()) {
      var found = LINE.matcher(line);
      if (!found.matches() || !StoredName.isOfShard(found.group(3))) {
        throw malformed(file, "it has the line \"" + line + "\"");
      }
      String name = found.group(3);
      if (name.compareTo(last) <= 0) {
        throw malformed(file, name + " is after " + last);
      }
      last = name;
      files.add(
          new Entry(
              name, Long.parseLong(found.group(1)), Integer.parseUnsignedInt(found.group(2), 16)));
    }
    return files;
  }

  private static DataDirectoryException malformed(Path file, String why) {
    return new DataDirectoryException(
        file, "The list of the files of another node is not one: " + why, null);
  }

  static int checksum(byte[] bytes) {
    return FileSum.of(bytes).checksum();
  }
}
