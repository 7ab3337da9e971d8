package dev.holdfast.journal.replica;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.replica.OwnedPositions.Span;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.nio.BufferUnderflowException;
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

  static final int FIXED_BYTES = 136;

  private static final long MAGIC = 0x4846534156454421L; // HFSAVED!
  private static final int VERSION = 2;
  private static final int LEASE_OFFSET = 104;
  private static final int PURGED_OFFSET = 112;
  private static final int COUNT_OFFSET = 120;
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
    int purgeBytes = bytes.getInt(COUNT_OFFSET + 8);
    if (bytes.getLong() != MAGIC || bytes.getInt(12) != checksum(content)) {
      throw damaged();
    }
    if (bytes.getInt() != VERSION) {
      throw new DataDirectoryException(
          file,
          "The replica was written by another version of Holdfast; open it with that version",
          null);
    }
    if (content.length != FIXED_BYTES + (long) spans * SPAN_BYTES + nameBytes + purgeBytes) {
      throw damaged();
    }
    bytes.getInt();
    try {
      return decode(bytes, spans, nameBytes);
    } catch (IllegalArgumentException | BufferUnderflowException e) {
      throw damaged();
    }
  }

  private static Saved decode(ByteBuffer bytes, int spans, int nameBytes) {
    Purges purges = purges(bytes, FIXED_BYTES + spans * SPAN_BYTES + nameBytes);
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
            bytes.getLong(LEASE_OFFSET),
            purges);
    long incarnation = bytes.getLong();
    long lowWaterMark = bytes.getLong();
    bytes.position(FIXED_BYTES);
    List<Span> owned = new ArrayList<>();
    for (int i = 0; i < spans; i++) {
      owned.add(new Span(bytes.getLong(), bytes.getLong()));
    }
    byte[] name = new byte[nameBytes];
    bytes.get(name);
    NodeId owner = nameBytes > 0 ? new NodeId(new String(name, StandardCharsets.US_ASCII)) : null;
    return new Saved(point, incarnation, lowWaterMark, new OwnedPositions(owned), owner);
  }

  private static Purges purges(ByteBuffer bytes, int offset) {
    ByteBuffer rest = bytes.duplicate().position(offset);
    List<Purges.Pending> pending = new ArrayList<>();
    while (rest.hasRemaining()) {
      long index = rest.getLong();
      int length = rest.getInt();
      if (!(LogEntry.decode(rest.slice(rest.position(), length)) instanceof LogEntry.Purge purge)) {
        throw new IllegalArgumentException("an entry that is none of a purge");
      }
      pending.add(new Purges.Pending(index, purge));
      rest.position(rest.position() + length);
    }
    return new Purges(bytes.getLong(PURGED_OFFSET), pending);
  }

  private static byte[] encode(List<Purges.Pending> purges) {
    List<ByteBuffer> entries = purges.stream().map(each -> each.entry().encode()).toList();
    int length = entries.stream().mapToInt(each -> 12 + each.remaining()).sum();
    ByteBuffer bytes = ByteBuffer.allocate(length);
    for (int i = 0; i < entries.size(); i++) {
      bytes.putLong(purges.get(i).index()).putInt(entries.get(i).remaining()).put(entries.get(i));
    }
    return bytes.array();
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
    byte[] purges = encode(point.purges().pending());
    byte[] content =
        new byte[FIXED_BYTES + spans.size() * SPAN_BYTES + name.length + purges.length];
    ByteBuffer bytes = ByteBuffer.wrap(content);
    bytes.putLong(MAGIC).putInt(VERSION).putInt(0).putLong(point.journalId());
    bytes.putLong(point.index()).putLong(point.epoch()).putLong(point.lastPosition());
    bytes.putLong(point.segment()).putLong(point.salt()).putLong(point.segmentBytes());
    bytes.putLong(point.endOffset()).putLong(point.historyFrom());
    bytes.putLong(saved.incarnation()).putLong(saved.lowWaterMark());
    bytes.putLong(point.leaseMillis()).putLong(point.purges().done());
    bytes.putInt(spans.size()).putInt(name.length).putInt(purges.length).putInt(0);
    spans.forEach(span -> bytes.putLong(span.first()).putLong(span.last()));
    bytes.put(name).put(purges);
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
