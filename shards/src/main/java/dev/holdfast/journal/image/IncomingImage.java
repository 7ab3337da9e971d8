package dev.holdfast.journal.image;

import dev.holdfast.HoldfastException;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.image.ImageList.Entry;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileSum;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.spi.disk.Syncs;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The image of the files of a shard that a replica fetches from the owner, in a directory beside
 * its own. It counts from the moment on in which the file {@code placing} is durable: then its
 * files are put in the place of those of the replica, by whichever process comes next. A kill
 * before that leaves the replica as it was.
 *
 * <p>Confined to one thread at a time.
 */
public final class IncomingImage {

  private static final String DIRECTORY = "fetched";
  private static final String FILES = "files";
  private static final String LIST = "list";
  private static final Logger LOG = System.getLogger("dev.holdfast");

  private static final String PLACING = "placing";
  private static final int PLACING_HEADER_BYTES = 16;

  private static final int SYNCED_AT_ONCE = 1024;

  private final Disk disk;
  private final Path replica;
  private final List<Entry> files;

  private IncomingImage(Disk disk, Path replica, List<Entry> files) {
    this.disk = disk;
    this.replica = replica;
    this.files = files;
  }

  /** Puts segments that were fetched in the place of earlier ones. */
  @FunctionalInterface
  public interface SegmentPlacement {

    /**
     * Does so, durably; idempotent.
     *
     * @param first the first position of the first segment that the replica has then
     * @throws IOException if that fails
     */
    void place(long first) throws IOException;
  }

  private static Path directoryOf(Path replica) {
    return replica.resolve(DIRECTORY);
  }

  /**
   * {@return whether an image is being put in its place: the next opening of the replica does the
   * rest}
   *
   * @param replica the directory of the replica
   * @throws IOException if that cannot be read
   */
  public static boolean isPlacing(Disk disk, Path replica) throws IOException {
    return disk.exists(placingOf(replica));
  }

  private static Path placingOf(Path replica) {
    return directoryOf(replica).resolve(PLACING);
  }

  /** {@return the directory with the files of the image, among them {@code saved} of its owner} */
  public Path directory() {
    return directoryOf(replica).resolve(FILES);
  }

  private Path fileOf(Entry entry) {
    return directory().resolve(entry.name());
  }

  // ---------------------------------------------------------------- fetching

  /**
   * Fetches an image. Files that an earlier try has fetched are not fetched again. All is durable
   * when this returns, and nothing counts.
   *
   * @param replica the directory of the replica
   * @param source the owner
   * @param image what the owner has
   * @throws DataDirectoryException if what comes is damaged, or no image of a shard
   * @throws IOException if it cannot be written
   */
  public static IncomingImage fetch(Disk disk, Path replica, ImageSource source, ReplicaImage image)
      throws IOException {
    IncomingImage incoming = new IncomingImage(disk, replica, list(disk, replica, source, image));
    incoming.requireRoom();
    incoming.fetchFiles(source, image.id());
    incoming.makeDurable(source, image);
    return incoming;
  }

  private static List<Entry> list(Disk disk, Path replica, ImageSource source, ReplicaImage image)
      throws IOException {
    Path file = directoryOf(replica).resolve(LIST);
    if (disk.exists(file)) {
      byte[] known = readAll(disk, file);
      if (known.length == image.listBytes() && isOf(image, known)) {
        return ImageList.decode(known, file);
      }
    }
    discard(disk, replica);
    if (image.listBytes() < 0 || image.listBytes() > ImageList.BYTES_MAX) {
      throw damaged(file, "its list has " + image.listBytes() + " bytes");
    }
    byte[] list = new byte[(int) image.listBytes()];
    int length = 0;
    while (length < list.length) {
      byte[] piece = source.readImage(image.id(), ImageSource.LIST, length);
      if (piece.length == 0 || piece.length > list.length - length) {
        throw damaged(file, "its list is not as long as it was said to be");
      }
      System.arraycopy(piece, 0, list, length, piece.length);
      length += piece.length;
    }
    if (!isOf(image, list)) {
      throw damaged(file, "its list is damaged");
    }
    List<Entry> files = ImageList.decode(list, file);
    disk.ensureDirectory(directoryOf(replica));
    disk.replace(file, list);
    return files;
  }

  private static boolean isOf(ReplicaImage image, byte[] list) {
    return ImageList.checksum(list) == image.listChecksum();
  }

  private static DataDirectoryException damaged(Path file, String why) {
    return new DataDirectoryException(
        file, "What another node gives of the files of the shard is refused: " + why, null);
  }

  private void requireRoom() throws IOException {
    long missing = 0;
    for (Entry each : files) {
      if (each.bytes() > Long.MAX_VALUE / 2 - missing) {
        throw damaged(fileOf(each), "its files are too large");
      }
      missing += Math.max(0, each.bytes() - Math.max(0, FileTree.sizeOf(disk, fileOf(each))));
    }
    if (!disk.hasRoomForCopy(directoryOf(replica), missing)) {
      throw new IOException("the disk has no room for the " + missing + " bytes of the files");
    }
  }

  private void fetchFiles(ImageSource source, long id) throws IOException {
    int next = 0;
    while (next < files.size()) {
      Entry file = files.get(next);
      long size = FileTree.sizeOf(disk, fileOf(file));
      if (size == file.bytes()) {
        next++;
        continue;
      }
      if (size > file.bytes()) {
        disk.delete(fileOf(file));
      }
      long offset = size > file.bytes() ? 0 : Math.max(0, size);
      byte[] piece = source.readImage(id, next + 1, offset);
      if (piece.length == 0 && offset < file.bytes()) {
        throw damaged(fileOf(file), "it ends too early");
      }
      next = write(next, offset, piece);
    }
  }

  /** {@return the first file that is not complete} */
  private int write(int first, long from, byte[] piece) throws IOException {
    int next = first;
    long offset = from;
    int at = 0;
    while (next < files.size()) {
      Entry file = files.get(next);
      int count = (int) Math.min(piece.length - at, file.bytes() - offset);
      if (count == 0 && file.bytes() > offset) {
        return next; // the piece ends here
      }
      FileTree.ensureParent(disk, fileOf(file));
      try (DiskFile open = disk.open(fileOf(file), Mode.CREATE)) {
        open.write(piece, at, count, offset);
      }
      at += count;
      if (offset + count < file.bytes()) {
        return next;
      }
      next++;
      offset = 0;
    }
    if (at < piece.length) {
      throw damaged(directory(), "it has more than its list says");
    }
    return next;
  }

  private void makeDurable(ImageSource source, ReplicaImage image) throws IOException {
    for (int from = 0; from < files.size(); from += SYNCED_AT_ONCE) {
      Syncs.all(
          files.subList(from, Math.min(files.size(), from + SYNCED_AT_ONCE)).stream()
              .<Syncs.Sync>map(each -> () -> checkAndForce(each))
              .toList());
      try {
        // Nothing comes: the owner hears that the image, and what belongs to it, is still needed.
        source.readImage(image.id(), ImageSource.LIST, image.listBytes());
      } catch (HoldfastException e) {
        // All of it is here; whether the rest still fits is looked at later.
        LOG.log(Level.DEBUG, "The owner does not hear that an image is still needed.", e);
      }
    }
    FileTree.forceNames(disk, files.stream().map(this::fileOf).toList(), replica);
  }

  /** What is durable is what was checked: all of it is read before. */
  private void checkAndForce(Entry entry) throws IOException {
    try (DiskFile open = disk.open(fileOf(entry), Mode.WRITE)) {
      FileSum sum = FileSum.of(open);
      open.force();
      if (sum.equals(new FileSum(entry.bytes(), entry.checksum()))) {
        return;
      }
    }
    disk.delete(fileOf(entry)); // the next try fetches it again
    throw damaged(fileOf(entry), "it is damaged");
  }

  // ---------------------------------------------------------------- placing

  /**
   * From now on the image counts: {@link #finish} puts it in its place.
   *
   * @param first the first position of the first segment that the replica has then
   * @param saved the new content of its file {@code saved}
   * @throws IOException if that cannot be made durable
   */
  public void begin(long first, byte[] saved) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(PLACING_HEADER_BYTES + saved.length);
    bytes.putLong(first).putInt(0).putInt(0).put(saved);
    bytes.putInt(Long.BYTES, ImageList.checksum(bytes.array()));
    disk.replace(placingOf(replica), bytes.array());
  }

  /**
   * Puts an image that counts in its place, as far as that was not done before. No file of the
   * replica is open.
   *
   * @param replica the directory of the replica
   * @param segments places the segments
   * @return whether there was one
   * @throws DataDirectoryException if what states it is damaged
   * @throws IOException if a file cannot be placed; the replica is then unusable until this is
   *     repeated
   */
  public static boolean finish(Disk disk, Path replica, SegmentPlacement segments)
      throws IOException {
    Path placing = placingOf(replica);
    if (!disk.exists(placing)) {
      return false;
    }
    byte[] stated = readAll(disk, placing);
    ByteBuffer bytes = ByteBuffer.wrap(stated);
    int checksum = stated.length < PLACING_HEADER_BYTES ? 0 : bytes.getInt(Long.BYTES);
    if (stated.length >= PLACING_HEADER_BYTES) {
      bytes.putInt(Long.BYTES, 0);
    }
    if (stated.length < PLACING_HEADER_BYTES || ImageList.checksum(stated) != checksum) {
      throw new DataDirectoryException(
          placing,
          "The file is damaged; it states what is in the place of the files of this replica."
              + " Remove the replica and add it again: the other nodes have its data",
          null);
    }
    Path list = directoryOf(replica).resolve(LIST);
    IncomingImage image =
        new IncomingImage(disk, replica, ImageList.decode(readAll(disk, list), list));
    image.placeFiles();
    segments.place(bytes.getLong(0));
    byte[] saved = new byte[stated.length - PLACING_HEADER_BYTES];
    bytes.get(PLACING_HEADER_BYTES, saved);
    disk.replace(replica.resolve(ImageList.SAVED), saved); // last: it says what is here
    discard(disk, replica);
    return true;
  }

  private void placeFiles() throws IOException {
    Set<Path> places = new HashSet<>();
    List<Entry> placed =
        files.stream().filter(each -> !each.name().equals(ImageList.SAVED)).toList();
    for (Entry each : placed) {
      Path place = replica.resolve(each.name());
      places.add(place);
      FileTree.ensureParent(disk, place);
    }
    FileTree.forceNames(
        disk, places, replica); // a file that is moved into a directory that is lost is lost, too
    for (Entry each : placed) {
      if (disk.exists(fileOf(each))) {
        disk.move(fileOf(each), replica.resolve(each.name()));
      }
    }
    Set<Path> changed = new HashSet<>(places);
    for (String view : ImageList.VIEWS) {
      removeOthers(replica.resolve(view), places, changed);
    }
    FileTree.forceNames(disk, changed, replica);
    for (Entry each : placed) {
      Path place = replica.resolve(each.name());
      if (FileTree.sizeOf(disk, place) != each.bytes()) {
        throw new DataDirectoryException(
            place,
            "The file is missing, or is not what was fetched from the owner. Remove the replica and"
                + " add it again: the other nodes have its data",
            null);
      }
    }
  }

  /** Files that only the replica had: later records were about to change them. */
  private void removeOthers(Path view, Set<Path> places, Set<Path> changed) throws IOException {
    FileTree.forEach(
        disk,
        view,
        file -> {
          if (!places.contains(file)) {
            disk.delete(file);
            changed.add(file);
          }
        });
  }

  /**
   * Deletes an image that is not needed, or was placed.
   *
   * @throws IOException if it cannot be deleted
   */
  public static void discard(Disk disk, Path replica) throws IOException {
    Path directory = directoryOf(replica);
    if (!disk.exists(directory)) {
      return;
    }
    disk.delete(placingOf(replica));
    disk.forceDirectory(directory); // before anything changes the files that it would replace
    FileTree.delete(disk, directory);
    disk.forceDirectory(replica);
  }

  private static byte[] readAll(Disk disk, Path file) throws IOException {
    try (DiskFile open = disk.open(file, Mode.READ)) {
      byte[] bytes = new byte[Math.toIntExact(open.size())];
      if (open.read(bytes, 0, bytes.length, 0) != bytes.length) {
        throw new IOException(file + " became shorter");
      }
      return bytes;
    }
  }
}
