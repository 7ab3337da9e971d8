package dev.holdfast.archiver;

import dev.holdfast.archiver.Base.Pack;
import dev.holdfast.spi.backup.StagedCopies;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The files of a base image beside the data, before they are in the archive: the store is asked
 * when no view is held any more.
 *
 * <p>Confined to one thread at a time: that of the copy, then the one that archives.
 */
final class StagedBase {

  /** A pack has bytes of many files, so that a request of the store is worth its time. */
  static final int PACK_BYTES = 8 << 20;

  private final Disk disk;
  private final StagedCopies copies;

  /**
   * @param isClosing whether the copy must end at its next file
   */
  StagedBase(Disk disk, Path directory, BooleanSupplier isClosing) {
    this.disk = disk;
    this.copies = new StagedCopies(disk, directory, isClosing);
  }

  /** {@return what receives the files} */
  StagedCopies copies() {
    return copies;
  }

  /**
   * {@return the files as packs; each is made when it is asked for}
   *
   * <p>A pack is a sequence of pieces: the length of a name, the name, an offset in the file, a
   * length, and the bytes from the offset on.
   */
  Packs packs() {
    return new Packs();
  }

  /** The packs of the image, one after the other. */
  final class Packs {

    private final Iterator<String> files = copies.names().iterator();
    private final List<Pack> done = new ArrayList<>();
    private @Nullable String name;
    private long offset;
    private byte @Nullable [] pack;

    /** {@return the present pack; null after the last one} */
    byte @Nullable [] current() throws IOException {
      if (pack == null) {
        pack = next();
      }
      return pack;
    }

    /** Goes on to the next pack: the present one is in the archive. */
    void advance() {
      byte[] content = pack;
      if (content != null) {
        CRC32C crc = new CRC32C();
        crc.update(content);
        done.add(new Pack(content.length, (int) crc.getValue()));
        pack = null;
      }
    }

    /** {@return the packs before the present one} */
    List<Pack> done() {
      return List.copyOf(done);
    }

    private byte @Nullable [] next() throws IOException {
      byte[] content = new byte[PACK_BYTES];
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (name != null || files.hasNext()) {
        String file = name == null ? files.next() : name;
        name = file;
        byte[] encoded = file.getBytes(StandardCharsets.UTF_8);
        int room = bytes.remaining() - Piece.HEADER_BYTES - encoded.length;
        if (room <= 0) {
          break;
        }
        add(file, encoded, room, bytes, content);
        if (name != null) {
          break; // the file goes on in the next pack
        }
      }
      return bytes.position() == 0 ? null : Arrays.copyOf(content, bytes.position());
    }

    /** Adds a piece of a file; it is the last one if {@link #name} is null afterwards. */
    private void add(String file, byte[] encoded, int room, ByteBuffer bytes, byte[] content)
        throws IOException {
      try (DiskFile from = disk.open(copies.fileOf(file), Mode.READ)) {
        int length = (int) Math.min(room, from.size() - offset);
        bytes.putShort((short) encoded.length).put(encoded).putLong(offset).putInt(length);
        if (from.read(content, bytes.position(), length, offset) < length && length > 0) {
          throw new IOException(file + " of the base image became shorter");
        }
        bytes.position(bytes.position() + length);
        offset += length;
        if (offset == from.size()) {
          name = null;
          offset = 0;
        }
      }
    }
  }
}
