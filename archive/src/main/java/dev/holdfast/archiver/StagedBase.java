package dev.holdfast.archiver;

import dev.holdfast.archiver.Base.Pack;
import dev.holdfast.spi.backup.BackupTarget;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The files of a base image beside the data, before they are in the archive: a view is held only
 * while its files are copied on the disk, never while the store is asked. Nothing here survives the
 * process, so nothing is synced.
 *
 * <p>Confined to one thread at a time: that of the copy, then the one that archives.
 */
final class StagedBase implements BackupTarget {

  /** A pack has bytes of many files, so that a request of the store is worth its time. */
  static final int PACK_BYTES = 8 << 20;

  private static final int COPY_BYTES = 1 << 20;

  /** What a copy leaves free on the disk: the journal must go on. */
  private static final long FREE_BYTES = 256L << 20;

  private final Disk disk;
  private final Path directory;
  private final BooleanSupplier isClosing;
  private final TreeSet<String> names = new TreeSet<>();
  private final Map<String, String> versions = new HashMap<>();

  /**
   * @param isClosing whether the copy must end at its next file
   */
  StagedBase(Disk disk, Path directory, BooleanSupplier isClosing) {
    this.disk = disk;
    this.directory = directory;
    this.isClosing = isClosing;
  }

  // ---------------------------------------------------------------- receiving files

  @Override
  public boolean keep(String name, String version) throws IOException {
    requireOpen();
    return version.equals(versions.get(name));
  }

  @Override
  public void put(Source source) throws IOException {
    requireOpen();
    Path to = prepare(source.name());
    if (!source.part().isImmutable() || !link(source.file(), to)) {
      copy(source, to);
    }
    names.add(source.name());
    String version = source.version().get();
    if (version != null) {
      versions.put(source.name(), version);
    }
  }

  @Override
  public void put(String name, byte[] content) throws IOException {
    requireOpen();
    try (DiskFile file = disk.open(prepare(name), Mode.CREATE)) {
      file.write(content, 0, content.length, 0);
    }
    names.add(name);
  }

  private void requireOpen() throws IOException {
    if (isClosing.getAsBoolean()) {
      throw new IOException("The runtime is closed before the base image is complete");
    }
  }

  private Path prepare(String name) throws IOException {
    versions.remove(name);
    Path file = directory.resolve(name);
    Path parent = file.getParent();
    if (parent != null && !disk.exists(parent)) {
      disk.createDirectories(parent);
    }
    disk.delete(file);
    return file;
  }

  private static boolean link(Path file, Path to) {
    try {
      Files.createLink(to, file);
      return true;
    } catch (IOException | UnsupportedOperationException e) {
      return false; // a file system without links: copied instead
    }
  }

  private void copy(Source source, Path to) throws IOException {
    byte[] chunk = new byte[COPY_BYTES];
    try (DiskFile from = disk.open(source.file(), Mode.READ);
        DiskFile copy = disk.open(to, Mode.CREATE)) {
      // The size first: a log that grows while it is read would have no end.
      long length = Math.min(source.part().bytes(), from.size());
      if (disk.usableBytes(directory) < length + FREE_BYTES) {
        throw new IOException(
            "The disk of the data directory has no room for a copy of its files, which a base"
                + " image needs for a time");
      }
      long at = 0;
      while (at < length) {
        int count = from.read(chunk, 0, (int) Math.min(chunk.length, length - at), at);
        if (count <= 0) {
          break; // cut meanwhile
        }
        copy.write(chunk, 0, count, at);
        at += count;
      }
    }
  }

  /** Deletes the files, and what a process that was killed has left. */
  void delete() throws IOException {
    ArchiveRestore.deleteAll(directory);
    names.clear();
    versions.clear();
  }

  // ---------------------------------------------------------------- giving packs

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

    private final Iterator<String> files = names.iterator();
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
      try (DiskFile from = disk.open(directory.resolve(file), Mode.READ)) {
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
