package dev.holdfast.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Counts what the records of a namespace take in a journal, by docs/formats/journal.md. */
final class JournalBytes {

  private static final int SEGMENT_HEADER = 4_096;
  private static final int SALT_AT = 32;
  private static final int GROUP_MAGIC = 0x48475250;
  private static final int GROUP_HEADER = 64;
  private static final int RECORD_HEADER = 64;

  private JournalBytes() {}

  /**
   * {@return how many bytes of records a namespace has in the journal of a data directory}
   *
   * @param directory the data directory; may be in use
   * @param namespace the namespace
   */
  static long of(Path directory, String namespace) {
    try (Stream<Path> files = Files.list(directory.resolve("journal"))) {
      return files
          .filter(file -> file.toString().endsWith(".log"))
          .mapToLong(file -> ofSegment(file, namespace))
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long ofSegment(Path file, String namespace) {
    ByteBuffer bytes;
    try {
      bytes = ByteBuffer.wrap(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    long sum = 0;
    int at = SEGMENT_HEADER;
    while (at + GROUP_HEADER <= bytes.limit()
        && bytes.getInt(at) == GROUP_MAGIC
        && bytes.getLong(at + 8) == bytes.getLong(SALT_AT)) {
      int record = at + GROUP_HEADER;
      at = record + (int) bytes.getLong(at + 32);
      while (record < at) {
        int nameBytes = bytes.getShort(record + 18);
        byte[] name = new byte[nameBytes];
        bytes.get(record + RECORD_HEADER, name);
        int length = (RECORD_HEADER + nameBytes + bytes.getInt(record) + 7) / 8 * 8;
        sum += new String(name, StandardCharsets.UTF_8).equals(namespace) ? length : 0;
        record += length;
      }
    }
    return sum;
  }
}
