package dev.holdfast.faults;

import dev.holdfast.spi.RecordKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * Drops one record of a journal that nobody has open, so that no checksum shows it: the record
 * becomes a void one of the same length, as in {@code docs/formats/journal.md}, which is read here
 * without the code that writes it. Stateless.
 */
public final class DroppedRecord {

  private static final int PAGE_BYTES = 4096;
  private static final int GROUP_BYTES = 64;
  private static final int RECORD_BYTES = 64;
  private static final int GROUP_MAGIC = 0x48475250;

  /**
   * A record of a journal.
   *
   * @param position its position
   * @param kind the number of its kind
   * @param viewId its view
   * @param namespace of its object
   * @param id of its object, in hexadecimal digits
   */
  public record Found(long position, int kind, int viewId, String namespace, String id) {

    /** {@return whether it changes its object} */
    public boolean isChained() {
      return kind == 1 || kind == 3 || kind == 4 || kind == 5;
    }
  }

  private interface Visitor {
    void visit(long position, int group, int offset);
  }

  private DroppedRecord() {}

  /**
   * {@return all records of a journal}
   *
   * @param journal the directory of its segments, or of the chunks of a generation of an archive
   * @throws IOException if a file cannot be read
   */
  public static List<Found> all(Path journal) throws IOException {
    List<Found> found = new ArrayList<>();
    for (Path segment : segments(journal)) {
      byte[] bytes = Files.readAllBytes(segment);
      forEach(
          bytes,
          (position, _, at) -> {
            ByteBuffer record = ByteBuffer.wrap(bytes);
            int namespaceBytes = Short.toUnsignedInt(record.getShort(at + 18));
            found.add(
                new Found(
                    position,
                    bytes[at + 16],
                    Byte.toUnsignedInt(bytes[at + 17]),
                    new String(bytes, at + RECORD_BYTES, namespaceBytes, StandardCharsets.UTF_8),
                    HexFormat.of().formatHex(bytes, at + 24, at + 56)));
          });
    }
    return found;
  }

  /**
   * Drops a record.
   *
   * @param journal the directory of its segments, or of the chunks of a generation of an archive
   * @param position of the record
   * @throws IOException if a file cannot be written
   */
  public static void drop(Path journal, long position) throws IOException {
    for (Path segment : segments(journal)) {
      byte[] bytes = Files.readAllBytes(segment);
      boolean[] isHere = new boolean[1];
      forEach(
          bytes,
          (found, group, at) -> {
            if (found == position) {
              isHere[0] = true;
              makeVoid(bytes, at);
              seal(bytes, group);
            }
          });
      if (isHere[0]) {
        Files.write(segment, bytes);
        String name = String.valueOf(segment.getFileName());
        if (name.endsWith(".log")) {
          Files.deleteIfExists(segment.resolveSibling(name.replace(".log", ".index")));
        }
        return;
      }
    }
    throw new IllegalArgumentException("no record at position " + position);
  }

  private static List<Path> segments(Path journal) throws IOException {
    try (Stream<Path> files = Files.list(journal)) {
      return files
          .filter(each -> each.toString().endsWith(".log") || each.toString().endsWith(".chunk"))
          .sorted()
          .toList();
    }
  }

  private static void forEach(byte[] bytes, Visitor visitor) {
    ByteBuffer segment = ByteBuffer.wrap(bytes);
    long salt = segment.getLong(32);
    int group = PAGE_BYTES;
    while (group + GROUP_BYTES <= bytes.length
        && segment.getInt(group) == GROUP_MAGIC
        && segment.getLong(group + 8) == salt) {
      int at = group + GROUP_BYTES;
      for (int ordinal = 0; ordinal < segment.getInt(group + 24); ordinal++) {
        visitor.visit(segment.getLong(group + 16) + ordinal, group, at);
        at += recordBytes(segment, at);
      }
      group = at;
    }
  }

  private static int recordBytes(ByteBuffer segment, int at) {
    int bodyBytes = Short.toUnsignedInt(segment.getShort(at + 18)) + segment.getInt(at);
    return (RECORD_BYTES + bodyBytes + 7) & ~7;
  }

  private static void makeVoid(byte[] bytes, int at) {
    ByteBuffer segment = ByteBuffer.wrap(bytes);
    int payloadBytes = Short.toUnsignedInt(segment.getShort(at + 18)) + segment.getInt(at);
    byte[] head = new byte[RECORD_BYTES];
    ByteBuffer.wrap(head).putInt(0, payloadBytes).putLong(8, segment.getLong(at + 8));
    head[16] = 2;
    head[17] = (byte) RecordKind.VOID_VIEW;
    CRC32C crc = new CRC32C();
    crc.update(new byte[payloadBytes]);
    crc.update(head, 8, RECORD_BYTES - 8);
    ByteBuffer.wrap(head).putInt(4, (int) crc.getValue());
    Arrays.fill(bytes, at, at + RECORD_BYTES + payloadBytes, (byte) 0);
    System.arraycopy(head, 0, bytes, at, RECORD_BYTES);
  }

  /** Computes the digest of a group and the checksum of its header again. */
  private static void seal(byte[] bytes, int group) {
    ByteBuffer segment = ByteBuffer.wrap(bytes);
    CRC32C digest = new CRC32C();
    int at = group + GROUP_BYTES;
    for (int ordinal = 0; ordinal < segment.getInt(group + 24); ordinal++) {
      digest.update(bytes, at + 4, Integer.BYTES);
      at += recordBytes(segment, at);
    }
    segment.putInt(group + 28, (int) digest.getValue());
    CRC32C header = new CRC32C();
    header.update(bytes, group + 8, GROUP_BYTES - 8);
    segment.putInt(group + 4, (int) header.getValue());
  }
}
