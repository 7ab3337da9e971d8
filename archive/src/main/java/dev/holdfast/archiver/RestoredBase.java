package dev.holdfast.archiver;

import dev.holdfast.ObjectId;
import dev.holdfast.archiver.Base.Pack;
import dev.holdfast.archiver.BaseFiles.Place;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.spi.disk.StoredName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Writes the files of a base image into a new data directory. Confined to one thread. */
final class RestoredBase {

  /** The name of an object's file; docs/formats/sqlite-files.md has it. */
  private static final Pattern OBJECT =
      Pattern.compile("sqlite/([^/]+)/[0-9a-f]{3}/([0-9a-f]{64})\\.sqlite");

  private final BaseFiles bases;
  private final Disk disk;
  private final Path directory;
  private final Set<String> names = new TreeSet<>();
  private final Set<ObjectKey> objects;
  private final boolean isShard;

  /**
   * @param objects receives the objects whose files are written
   * @param isShard whether the image is one of a shard
   */
  RestoredBase(
      BaseFiles bases, Disk disk, Path directory, Set<ObjectKey> objects, boolean isShard) {
    this.isShard = isShard;
    this.objects = objects;
    this.bases = bases;
    this.disk = disk;
    this.directory = directory;
  }

  /**
   * Writes the files, durably.
   *
   * @param done receives how much is written after each pack, in bytes
   * @throws DamagedEntryException if a pack is missing or damaged
   * @throws IOException if the store or the disk fails
   */
  void write(Base base, LongConsumer done) throws IOException {
    Place place = Place.of(base);
    long bytes = 0;
    List<Pack> packs = base.packs();
    for (int i = 0; i < packs.size(); i++) {
      byte[] pack = bases.read(place, i, packs.get(i));
      for (Piece piece : Piece.of(pack, place.pack(i) + " in " + bases, isShard)) {
        write(piece);
      }
      bytes += pack.length;
      done.accept(bytes);
    }
    List<Path> files = names.stream().map(directory::resolve).toList();
    FileTree.forceFiles(disk, files);
    FileTree.forceNames(disk, files, directory);
  }

  private void write(Piece piece) throws IOException {
    Path file = StoredName.resolve(directory, piece.name());
    if (names.add(piece.name())) {
      Matcher object = OBJECT.matcher(piece.name());
      if (object.matches()) {
        ObjectId id = ObjectId.of(HexFormat.of().parseHex(object.group(2)), null);
        objects.add(new ObjectKey(object.group(1), id));
      }
      FileTree.ensureParent(disk, file);
    }
    try (DiskFile open = disk.open(file, Mode.CREATE)) {
      ByteBuffer bytes = piece.bytes();
      open.write(bytes.array(), bytes.arrayOffset(), bytes.remaining(), piece.fileOffset());
    }
  }
}
