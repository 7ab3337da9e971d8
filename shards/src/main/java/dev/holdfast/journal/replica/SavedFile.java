package dev.holdfast.journal.replica;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.replica.OwnedPositions.Span;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The file that states what a replica has durably in its own files; {@code
 * docs/formats/log-entry.md} has the layout. Confined to one thread at a time.
 */
public final class SavedFile {

  public static final String NAME = "saved";

  static final int FIXED_BYTES = 120;

  private static final long MAGIC = 0x4846534156454421L; // HFSAVED!
  private static final int VERSION = 1;
  private static final int LEASE_OFFSET = 104;
  private static final int COUNT_OFFSET = 112;
  private static final int SPAN_BYTES = 16;

  private final Disk disk;
  private final Path file;

  /**
   * @param directory of the replica
   */
  public SavedFile(Disk disk, Path directory) {
    this.disk = disk;
    this.file = directory.resolve(NAME);
  }

  /**
   * Reads the file.
   *
   * @return null if there is none
   * @throws DataDirectoryException if it is damaged or of a newer version
   */
  public @Nullable Saved read() throws IOException {
    if (!disk.exists(file)) {
      return null;
    }
    byte[] content;
    try (DiskFile open = disk.open(file, Mode.READ)) {
      content = new byte[Math.toIntExact(Math.max(FIXED_BYTES, open.size()))];
      if (open.read(content, 0, content.length, 0) != content.length) {
        throw damaged();
      }
    }
    ByteBuffer bytes = ByteBuffer.wrap(content);
    int spans = bytes.getInt(COUNT_OFFSET);
    int nameBytes = bytes.getInt(COUNT_OFFSET + 4);
    if (bytes.getLong() != MAGIC
        || bytes.getInt(12) != checksum(content)
        || content.length != FIXED_BYTES + (long) spans * SPAN_BYTES + nameBytes) {
      throw damaged();
    }
    if (bytes.getInt() != VERSION) {
      throw new DataDirectoryException(
          file,
          "The replica was written by a newer version of Holdfast; open it with that version",
          null);
    }
    bytes.getInt();
    return decode(bytes, spans);
  }

  private static Saved decode(ByteBuffer bytes, int spans) {
    SavedPoint point =
        new SavedPoint(
            bytes.getLong(),
            bytes.getLong(),
            bytes.getLong(),
            bytes.getLong(),
            bytes.getLong(),
            bytes.getLong(),
            bytes.getLong(),
            bytes.getLong(),
            bytes.getLong(),
            bytes.getLong(LEASE_OFFSET));
    long incarnation = bytes.getLong();
    long lowWaterMark = bytes.getLong();
    bytes.position(COUNT_OFFSET + 8);
    List<Span> owned = new ArrayList<>();
    for (int i = 0; i < spans; i++) {
      owned.add(new Span(bytes.getLong(), bytes.getLong()));
    }
    NodeId owner =
        bytes.hasRemaining()
            ? new NodeId(StandardCharsets.US_ASCII.decode(bytes).toString())
            : null;
    return new Saved(point, incarnation, lowWaterMark, new OwnedPositions(owned), owner);
  }

  private DataDirectoryException damaged() {
    return new DataDirectoryException(
        file,
        "The file is damaged; it states what this replica of the shard has. Remove the replica"
            + " and add it again: the other nodes have its data",
        null);
  }

  /** Replaces the file durably: one of the two versions always exists. */
  public void write(Saved saved) throws IOException {
    disk.replace(file, encode(saved));
  }

  /** {@return the content of the file} */
  public static byte[] encode(Saved saved) {
    SavedPoint point = saved.point();
    List<Span> spans = saved.owned().spans();
    NodeId owner = saved.owner();
    byte[] name = (owner == null ? "" : owner.name()).getBytes(StandardCharsets.US_ASCII);
    byte[] content = new byte[FIXED_BYTES + spans.size() * SPAN_BYTES + name.length];
    ByteBuffer bytes = ByteBuffer.wrap(content);
    bytes.putLong(MAGIC).putInt(VERSION).putInt(0).putLong(point.journalId());
    bytes.putLong(point.index()).putLong(point.epoch()).putLong(point.lastPosition());
    bytes.putLong(point.segment()).putLong(point.salt()).putLong(point.segmentBytes());
    bytes.putLong(point.endOffset()).putLong(point.historyFrom());
    bytes.putLong(saved.incarnation()).putLong(saved.lowWaterMark());
    bytes.putLong(point.leaseMillis()).putInt(spans.size()).putInt(name.length);
    spans.forEach(span -> bytes.putLong(span.first()).putLong(span.last()));
    bytes.put(name);
    bytes.putInt(12, checksum(content));
    return content;
  }

  private static int checksum(byte[] content) {
    CRC32C crc = new CRC32C();
    crc.update(content, 0, 12);
    crc.update(content, 16, content.length - 16);
    return (int) crc.getValue();
  }
}
