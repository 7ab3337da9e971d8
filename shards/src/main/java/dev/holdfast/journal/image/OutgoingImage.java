package dev.holdfast.journal.image;

import dev.holdfast.TimeSource;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.journal.image.ImageList.Entry;
import dev.holdfast.spi.backup.StagedCopies;
import dev.holdfast.spi.backup.ViewImage;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileSum;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The image of the files of a shard that its owner gives to other nodes. There is at most one,
 * which several nodes may read. It is deleted when none needs it, when nobody has asked for
 * anything in ten minutes, and when the objects are closed. Thread-safe.
 */
public final class OutgoingImage implements ImageSource {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  private static final String DIRECTORY = "outgoing";

  static final long SILENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

  private static final int FILES_IN_CHUNK_MAX = 1024;

  private final Disk disk;
  private final Path directory;
  private final TimeSource time;

  // Guarded by this.
  private @Nullable Offer offer;
  private @Nullable StagedCopies making;
  private @Nullable Made made;
  private long floor = Long.MAX_VALUE;
  private long askedNanos;
  private long lastId;

  /**
   * What an ownership gives.
   *
   * @param maker copies the files
   * @param mark gives the first position that they need after a crash, durably
   * @param state gives further files of an image, by their names
   */
  private record Offer(
      ImageMaker maker, LongSupplier mark, Function<ViewImage, Map<String, byte[]>> state) {}

  private static final class Made {
    final ReplicaImage described;
    final StagedCopies copies;
    final List<Entry> files;
    final byte[] list;
    int users;

    Made(ReplicaImage described, StagedCopies copies, List<Entry> files, byte[] list) {
      this.described = described;
      this.copies = copies;
      this.files = files;
      this.list = list;
    }
  }

  /**
   * Creates it; touches no file.
   *
   * @param replica the directory of the replica
   * @param time says how long nobody has asked
   * @param id the images have the next numbers
   */
  public OutgoingImage(Disk disk, Path replica, TimeSource time, long id) {
    this.disk = disk;
    this.directory = replica.resolve(DIRECTORY);
    this.time = time;
    this.lastId = id;
  }

  /**
   * Deletes what a process that was killed has left.
   *
   * @throws IOException if it cannot be deleted
   */
  public static void discard(Disk disk, Path replica) throws IOException {
    FileTree.delete(disk, replica.resolve(DIRECTORY));
  }

  /**
   * From now on images can be made.
   *
   * @param maker copies the files
   * @param mark gives the first position that the files need after a crash, durably
   * @param state gives further files of an image, by their names
   */
  public synchronized void offer(
      ImageMaker maker, LongSupplier mark, Function<ViewImage, Map<String, byte[]>> state) {
    offer = new Offer(maker, mark, state);
  }

  /** The objects are closed: from now on there is no image. */
  public synchronized void withdraw() {
    offer = null;
    drop();
  }

  /**
   * {@return the first position that a node needs which is copying the files; the largest long if
   * none is} No segment with it, or a later one, may be removed.
   */
  public synchronized long floor() {
    dropIfSilent();
    return floor;
  }

  /** Deletes the image if nobody has asked for anything for long. */
  public synchronized void dropIfSilent() {
    if (made != null && time.monotonicNanos() - askedNanos >= SILENCE_NANOS) {
      drop();
    }
  }

  private void drop() {
    Made last = made;
    made = null;
    if (last != null) {
      floor = Long.MAX_VALUE;
      delete(last.copies);
    }
  }

  private static void delete(StagedCopies copies) {
    try {
      copies.delete();
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "Copies of files for another node stay on the disk; the next opening deletes them.",
          e);
    }
  }

  @Override
  public synchronized ReplicaImage image() {
    dropIfSilent();
    Made ready = made;
    if (ready != null) {
      ready.users++;
      askedNanos = time.monotonicNanos();
      return ready.described;
    }
    Offer present = offer;
    if (present == null) {
      throw new JournalFailedException(
          "This node does not own the shard, or has not opened its objects yet.", null);
    }
    if (making == null) {
      floor = present.mark().getAsLong(); // first: what the copies will need stays
      StagedCopies copies = new StagedCopies(disk, directory, () -> isOver(present));
      making = copies;
      try {
        present
            .maker()
            .make(
                copies, image -> complete(present, copies, image), e -> failed(present, copies, e));
      } catch (RuntimeException | Error e) {
        failed(present, copies, e);
        throw e;
      }
    }
    Made already = made;
    if (already != null) { // by the calling thread
      already.users++;
      return already.described;
    }
    throw new JournalFailedException(
        "The owner is copying the files of the objects; they are asked for again.", null);
  }

  private synchronized boolean isOver(Offer of) {
    return !of.equals(offer);
  }

  /** While the objects are open: afterwards nothing of them may be touched. */
  private void complete(Offer of, StagedCopies copies, ViewImage image) {
    try {
      for (Map.Entry<String, byte[]> each : of.state().apply(image).entrySet()) {
        copies.put(each.getKey(), each.getValue());
      }
      List<Entry> files = new ArrayList<>();
      for (String name : copies.names()) {
        if (isOver(of)) {
          throw new IOException("The objects are closed before the image is complete");
        }
        FileSum sum = FileSum.of(disk, copies.fileOf(name));
        files.add(new Entry(name, sum.bytes(), sum.checksum()));
      }
      byte[] list = ImageList.encode(files);
      if (list.length > ImageList.BYTES_MAX) {
        throw new IOException("There are more files of objects than an image can have");
      }
      complete(of, copies, files, list);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private synchronized void complete(
      Offer of, StagedCopies copies, List<Entry> files, byte[] list) {
    making = null;
    if (isOver(of)) {
      floor = Long.MAX_VALUE;
      delete(copies);
      return;
    }
    ReplicaImage described = new ReplicaImage(++lastId, list.length, ImageList.checksum(list));
    made = new Made(described, copies, files, list);
    askedNanos = time.monotonicNanos();
  }

  private synchronized void failed(Offer of, StagedCopies copies, Throwable why) {
    making = null;
    if (made == null) {
      floor = Long.MAX_VALUE;
      delete(copies);
    } else {
      drop();
    }
    if (!isOver(of)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "The files of the objects could not be copied for another node; it asks again.",
          why);
    }
  }

  @Override
  public synchronized byte[] readImage(long image, int file, long offset) {
    Made found = found(image);
    if (found == null) {
      throw new JournalFailedException("The image is not there any more; ask for another.", null);
    }
    askedNanos = time.monotonicNanos();
    long size =
        file == LIST
            ? found.list.length
            : file < 0 || file > found.files.size() ? -1 : found.files.get(file - 1).bytes();
    if (offset < 0 || offset > size) {
      throw new IllegalArgumentException(
          "There are no bytes from " + offset + " on of file " + file + " of the image.");
    }
    if (file == LIST) {
      int end = (int) Math.min(size, offset + CHUNK_BYTES_MAX);
      return Arrays.copyOfRange(found.list, (int) offset, end);
    }
    try {
      return read(found, file, offset);
    } catch (IOException e) {
      throw new DataDirectoryException(directory, "A file of the image cannot be read", e);
    }
  }

  private byte[] read(Made image, int first, long from) throws IOException {
    byte[] chunk = new byte[CHUNK_BYTES_MAX];
    int length = 0;
    long offset = from;
    int end = Math.min(image.files.size(), first - 1 + FILES_IN_CHUNK_MAX);
    for (int i = first - 1; i < end && length < chunk.length; i++) {
      Entry each = image.files.get(i);
      int count = (int) Math.min(chunk.length - length, each.bytes() - offset);
      try (DiskFile open = disk.open(image.copies.fileOf(each.name()), Mode.READ)) {
        if (count > 0 && open.read(chunk, length, count, offset) != count) {
          throw new IOException(each.name() + " became shorter");
        }
      }
      length += count;
      offset = 0;
    }
    return Arrays.copyOf(chunk, length);
  }

  private @Nullable Made found(long image) {
    Made present = made;
    return present != null && present.described.id() == image ? present : null;
  }

  @Override
  public synchronized void releaseImage(long image) {
    Made found = found(image);
    if (found != null && --found.users == 0) {
      drop();
    }
  }
}
