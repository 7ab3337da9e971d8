package dev.holdfast.journal.replica;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FormatVersion;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The file that has the {@link Bases} of a replica; {@code docs/formats/log-entry.md} has the
 * layout. Confined to one thread at a time.
 */
public final class BasesFile {

  public static final String NAME = "bases";

  private static final long MAGIC = 0x4846424153455321L; // HFBASES!
  private static final int VERSION = 2;
  private static final int FIXED_BYTES = 48;
  private static final int RECORD_BYTES = 48;

  /** The first has the number 1, as in the journal. */
  private static final RecordKind[] KINDS = {
    RecordKind.BATCH,
    RecordKind.CHECKPOINT,
    RecordKind.RESTORE,
    RecordKind.BATCH_WITHOUT_UNDO,
    RecordKind.UNDO_PART,
    RecordKind.NOTE
  };

  private final Disk disk;
  private final Path file;

  /**
   * @param directory of the replica
   */
  public BasesFile(Disk disk, Path directory) {
    this.disk = disk;
    this.file = directory.resolve(NAME);
  }

  /**
   * Reads the file.
   *
   * @param journalId the id of the journal; 0 if it is not known yet: a replica that ended before
   *     it had saved its first entry
   * @return what it has; nothing if there is none
   * @throws DataDirectoryException if it is damaged, of another journal or of another version
   */
  public Bases read(long journalId) throws IOException {
    if (!disk.exists(file)) {
      return Bases.NONE;
    }
    byte[] content;
    try (DiskFile open = disk.open(file, Mode.READ)) {
      content = new byte[Math.toIntExact(Math.max(FIXED_BYTES, open.size()))];
      if (open.read(content, 0, content.length, 0) != content.length) {
        throw damaged(null);
      }
    }
    ByteBuffer bytes = ByteBuffer.wrap(content);
    long magic = bytes.getLong();
    int version = bytes.getInt();
    if (magic != MAGIC || bytes.getInt() != checksum(content)) {
      throw damaged(null);
    }
    if (version != VERSION) {
      throw FormatVersion.refusal(file, "The replica", version, VERSION);
    }
    long found = bytes.getLong();
    if (journalId != 0 && found != journalId) {
      throw new DataDirectoryException(
          file, "The file is of another shard; restore the whole directory of the node", null);
    }
    try {
      return decode(bytes);
    } catch (BufferUnderflowException | IllegalArgumentException | IndexOutOfBoundsException e) {
      throw damaged(e);
    }
  }

  private static Bases decode(ByteBuffer bytes) {
    long end = bytes.getLong();
    long reach = bytes.getLong();
    int count = bytes.getInt();
    bytes.getInt();
    List<LocalRecord> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long position = bytes.getLong();
      RecordKind kind = KINDS[bytes.get() - 1];
      int viewId = Byte.toUnsignedInt(bytes.get());
      byte[] namespace = new byte[Short.toUnsignedInt(bytes.getShort())];
      int payloadBytes = bytes.getInt();
      byte[] id = new byte[ObjectId.LENGTH_BYTES];
      bytes.get(id).get(namespace);
      records.add(
          LocalRecord.of(
              position,
              kind,
              viewId,
              new ObjectKey(new String(namespace, StandardCharsets.UTF_8), ObjectId.of(id, null)),
              bytes.slice(bytes.position(), payloadBytes)));
      bytes.position(bytes.position() + payloadBytes);
    }
    if (bytes.hasRemaining()) {
      throw new IllegalArgumentException("bytes after the last record");
    }
    return new Bases(end, reach, records);
  }

  private DataDirectoryException damaged(@Nullable Exception cause) {
    return new DataDirectoryException(
        file,
        "The file is damaged; it states what the files of the objects of this replica have. Remove"
            + " the replica and add it again: the other nodes have its data",
        cause);
  }

  /** Replaces the file durably: one of the two versions always exists. */
  public void write(long journalId, Bases bases) throws IOException {
    disk.replace(file, encode(journalId, bases));
  }

  /** {@return the content of the file} */
  public static byte[] encode(long journalId, Bases bases) {
    List<byte[]> namespaces =
        bases.records().stream()
            .map(each -> each.key().namespace().getBytes(StandardCharsets.UTF_8))
            .toList();
    long length = FIXED_BYTES;
    for (int i = 0; i < namespaces.size(); i++) {
      length +=
          RECORD_BYTES
              + namespaces.get(i).length
              + (long) bases.records().get(i).payload().remaining();
    }
    byte[] content = new byte[Math.toIntExact(length)];
    ByteBuffer bytes = ByteBuffer.wrap(content);
    bytes.putLong(MAGIC).putInt(VERSION).putInt(0).putLong(journalId).putLong(bases.end());
    bytes.putLong(bases.reach());
    bytes.putInt(bases.records().size()).putInt(0);
    for (int i = 0; i < namespaces.size(); i++) {
      LocalRecord record = bases.records().get(i);
      byte[] namespace = namespaces.get(i);
      bytes
          .putLong(record.position())
          .put((byte) (Arrays.asList(KINDS).indexOf(record.kind()) + 1));
      bytes.put((byte) record.viewId()).putShort((short) namespace.length);
      bytes.putInt(record.payload().remaining());
      bytes.put(record.key().id().toBytes()).put(namespace).put(record.payload().duplicate());
    }
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
