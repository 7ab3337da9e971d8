package dev.holdfast.backend.sqlite.recovery;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.PageFile;
import dev.holdfast.backend.sqlite.file.PageSize;
import dev.holdfast.backend.sqlite.wal.RebuiltFile;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Pages that recovery is about to write in place, and that the journal could not repair if a power
 * cut tore them: it has only their differences, because another node had them whole. They are
 * durable in a file beside the databases before a database is written. {@code
 * docs/formats/sqlite-files.md} has the layout.
 *
 * <p>Confined to the thread that recovers.
 */
final class RedoPages implements AutoCloseable {

  static final String NAME = "redo.pages";

  private static final long MAGIC = 0x48465245444F5021L; // HFREDOP!
  private static final int VERSION = 1;
  private static final int HEADER_BYTES = 16;

  /** Blocks begin at multiples: a cut while one is appended must not damage those before it. */
  private static final int ALIGNMENT_BYTES = 4096;

  private static final int BLOCK_BYTES = 16;
  private static final int ENTRY_BYTES = 56;

  /** A block has at least one page, and no further one beyond this. */
  private static final int BODY_BYTES = 4 << 20;

  private static final int BODY_BYTES_MAX = BODY_BYTES + (1 << 17);

  private final Disk disk;
  private final ObjectFiles files;
  private final Path path;

  /** The file, if this recovery has begun it. */
  private @Nullable DiskFile file;

  /** Whether the file has a block that is not durable. */
  private boolean isUnsynced;

  private long end;
  private ByteBuffer body = ByteBuffer.allocate(0);

  RedoPages(Disk disk, ObjectFiles files) {
    this.disk = disk;
    this.files = files;
    this.path = files.root().resolve(NAME);
  }

  // ---------------------------------------------------------------- after a crash

  /**
   * Writes the pages of an earlier recovery again, durably, to the files that were not saved since,
   * and deletes them.
   */
  void replay(Recovery.Lacking lacking) throws IOException {
    disk.delete(path.resolveSibling(NAME + ".new")); // of a replacement that did not end
    if (!disk.exists(path)) {
      return;
    }
    Set<Path> written = new LinkedHashSet<>();
    try (DiskFile opened = disk.open(path, Mode.READ)) {
      long offset = ALIGNMENT_BYTES;
      ByteBuffer block = isValid(opened) ? block(opened, offset) : null;
      while (block != null) {
        offset = aligned(offset + BLOCK_BYTES + block.remaining());
        while (block.hasRemaining()) {
          replay(block, lacking, written);
        }
        block = block(opened, offset);
      }
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw new IOException(path + " is malformed", e);
    }
    for (Path each : written) {
      files.force(each);
    }
    disk.delete(path);
  }

  private boolean isValid(DiskFile opened) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
    if (opened.read(header.array(), 0, HEADER_BYTES, 0) < HEADER_BYTES
        || header.getLong() != MAGIC) {
      throw new IOException(path + " is damaged");
    }
    if (header.getInt() != VERSION) {
      throw new IOException(path + " was written by a newer version: open it with that version");
    }
    return true;
  }

  /** {@return the body of the next block; null if it was not written as a whole} */
  private static @Nullable ByteBuffer block(DiskFile opened, long offset) throws IOException {
    ByteBuffer start = ByteBuffer.allocate(BLOCK_BYTES);
    if (opened.read(start.array(), 0, BLOCK_BYTES, offset) < BLOCK_BYTES) {
      return null;
    }
    long blockOffset = start.getLong();
    int bytes = start.getInt();
    int checksum = start.getInt();
    if (blockOffset != offset || bytes < 1 || bytes > BODY_BYTES_MAX) {
      return null;
    }
    byte[] content = new byte[bytes];
    boolean isWhole =
        opened.read(content, 0, bytes, offset + BLOCK_BYTES) == bytes
            && checksum == checksum(start.array(), content, bytes);
    return isWhole ? ByteBuffer.wrap(content) : null;
  }

  private void replay(ByteBuffer block, Recovery.Lacking lacking, Set<Path> written)
      throws IOException {
    long position = block.getLong();
    int pageBytes = block.getInt();
    int page = block.getInt();
    byte[] id = new byte[ObjectId.LENGTH_BYTES];
    byte[] namespace = new byte[block.getInt()];
    block.getInt();
    block.get(id).get(namespace);
    if (!PageSize.isValid(pageBytes)) {
      throw new IllegalArgumentException("a page of " + pageBytes + " bytes");
    }
    byte[] content = new byte[pageBytes];
    block.get(content);
    ObjectKey key =
        new ObjectKey(new String(namespace, StandardCharsets.UTF_8), ObjectId.of(id, null));
    Path database = files.database(key);
    // A file that is missing or shorter is not the one: recovery makes it, or refuses its object.
    if (lacking.lacks(key, position) && database.toFile().length() >= (long) page * pageBytes) {
      try (PageFile opened = files.openToRebuild(database, pageBytes)) {
        opened.write(page, content);
      }
      written.add(database);
    }
  }

  // ---------------------------------------------------------------- before files are written

  /**
   * Adds pages that are about to be written; {@link #force} follows.
   *
   * @param position the last batch that is in them
   */
  void add(ObjectKey key, long position, RebuiltFile rebuilt) throws IOException {
    byte[] namespace = key.namespace().getBytes(StandardCharsets.UTF_8);
    rebuilt.forEachNotWhole(
        (page, content) -> {
          int bytes = ENTRY_BYTES + namespace.length + content.length;
          if (body.remaining() < bytes) {
            writeBlock();
            body = ByteBuffer.allocate(Math.max(BODY_BYTES, bytes));
          }
          body.putLong(position).putInt(content.length).putInt(page);
          body.putInt(namespace.length).putInt(0);
          body.put(key.id().toBytes()).put(namespace).put(content);
        });
  }

  private void writeBlock() throws IOException {
    int bytes = body.position();
    if (bytes == 0) {
      return;
    }
    DiskFile open = file;
    long offset = open == null ? ALIGNMENT_BYTES : end;
    ByteBuffer start = ByteBuffer.allocate(BLOCK_BYTES);
    start.putLong(offset).putInt(bytes);
    start.putInt(checksum(start.array(), body.array(), bytes));
    if (open == null) {
      begin(start.array(), bytes);
    } else {
      isUnsynced = true;
      open.write(start.array(), 0, BLOCK_BYTES, offset);
      open.write(body.array(), 0, bytes, offset + BLOCK_BYTES);
    }
    end = aligned(offset + BLOCK_BYTES + bytes);
    body.clear();
  }

  /**
   * The file replaces the file of an earlier recovery, of which every page is durable. It has the
   * first block then, durably: mostly it is the only one.
   */
  private void begin(byte[] start, int bytes) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(ALIGNMENT_BYTES + BLOCK_BYTES + bytes);
    content.putLong(MAGIC).putInt(VERSION);
    content.position(ALIGNMENT_BYTES).put(start).put(body.array(), 0, bytes);
    disk.replace(path, content.array());
    file = disk.open(path, Mode.WRITE);
  }

  /** {@return the length of the file, if this recovery has begun it; otherwise 0} */
  long lengthBytes() {
    return file == null ? 0 : end;
  }

  /**
   * Ends the file, because every page in it is durable in its database. It stays until the next one
   * replaces it: what it would bring back, the journal brings forward.
   */
  void end() throws IOException {
    close();
    end = 0;
  }

  /** Makes durable what was added: it may be written in place then. */
  void force() throws IOException {
    writeBlock();
    DiskFile open = file;
    if (open != null && isUnsynced) {
      open.force();
      isUnsynced = false;
    }
  }

  /** Deletes the file: all databases are saved. */
  static void delete(Disk disk, ObjectFiles files) throws IOException {
    Path path = files.root().resolve(NAME);
    if (disk.exists(path)) {
      disk.delete(path);
    }
  }

  private static long aligned(long offset) {
    return (offset + ALIGNMENT_BYTES - 1) & -ALIGNMENT_BYTES;
  }

  private static int checksum(byte[] start, byte[] content, int bytes) {
    CRC32C crc = new CRC32C();
    crc.update(start, 0, 12);
    crc.update(content, 0, bytes);
    return (int) crc.getValue();
  }

  @Override
  public void close() throws IOException {
    DiskFile open = file;
    file = null;
    if (open != null) {
      open.close();
    }
  }
}
