package dev.holdfast.journal.shard;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.image.OutgoingImage;
import dev.holdfast.journal.image.ReplicaImage;
import dev.holdfast.journal.replica.CopyHold;
import dev.holdfast.journal.replica.Saved;
import dev.holdfast.journal.replica.SavedPoint;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What a replica gives to others: its segments, up to what it has applied, and files of the
 * objects. Thread-safe.
 */
final class OwnState implements ReplicaSource {

  private final Disk disk;
  private final Segments segments;
  private final CopyHold hold;
  private final Supplier<Saved> applied;
  private final LongFunction<OptionalLong> terms;
  private final LongSupplier purged;
  private final Runnable requireErased;
  private final OutgoingImage images;

  /**
   * @param hold keeps what is being given
   * @param applied gives what the replica has applied: what it would save now
   * @param terms asks the log for the term of an entry
   * @param purged gives the last purge of which nothing is left here
   * @param requireErased fails while files of objects may have what segments are without
   * @param images gives files of the objects
   */
  OwnState(
      Disk disk,
      Segments segments,
      CopyHold hold,
      Supplier<Saved> applied,
      LongFunction<OptionalLong> terms,
      LongSupplier purged,
      Runnable requireErased,
      OutgoingImage images) {
    this.disk = disk;
    this.segments = segments;
    this.hold = hold;
    this.applied = applied;
    this.terms = terms;
    this.purged = purged;
    this.requireErased = requireErased;
    this.images = images;
  }

  /**
   * {@inheritDoc}
   *
   * @throws JournalFailedException if the log does not know the last entry, or a purge is not done
   */
  @Override
  public ReplicaState state(long segment) {
    Saved now = applied.get();
    SavedPoint point = now.point();
    requireDone(point);
    hold.asked(segment);
    OptionalLong term = terms.apply(point.index());
    if (term.isEmpty()) {
      throw new JournalFailedException(
          "The log of this node does not have entry " + point.index() + " of the shard now.", null);
    }
    NodeId owner = now.owner();
    // Later ones are of groups that were applied meanwhile.
    List<Long> asked =
        segments.from(segment).stream()
            .filter(each -> each >= segment && each <= point.segment())
            .toList();
    return new ReplicaState(
        point.journalId(),
        point.index(),
        term.getAsLong(),
        point.epoch(),
        owner == null ? null : owner.name(),
        point.lastPosition(),
        point.segment(),
        point.salt(),
        point.segmentBytes(),
        point.endOffset(),
        point.historyFrom(),
        point.leaseMillis(),
        point.purges().done(),
        asked);
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException if there is no such segment, or the offset is negative
   * @throws JournalFailedException if a purge is not done
   * @throws DataDirectoryException if the file cannot be read
   */
  @Override
  public byte[] read(long segment, long offset) {
    requireDone(applied.get().point());
    hold.asked(segment);
    Long found = segments.holding(segment);
    if (offset < 0 || found == null || found != segment) {
      throw new IllegalArgumentException(
          "There are no bytes from " + offset + " on of a segment " + segment + ".");
    }
    return read(disk, segments.fileOf(segment), offset);
  }

  @Override
  public long purged() {
    return purged.getAsLong();
  }

  @Override
  public ReplicaImage image() {
    requireDone(applied.get().point());
    requireErased.run();
    return images.image();
  }

  @Override
  public byte[] readImage(long image, int file, long offset) {
    return images.readImage(image, file, offset);
  }

  @Override
  public void releaseImage(long image) {
    images.releaseImage(image);
  }

  private static void requireDone(SavedPoint point) {
    if (!point.purges().isDone()) {
      throw new JournalFailedException(
          "The segments of this node are being purged now; they are given afterwards.", null);
    }
  }

  /** {@return bytes of a segment, at most {@link SealedSegments#CHUNK_BYTES_MAX}} */
  static byte[] read(Disk disk, Path file, long offset) {
    try (DiskFile open = disk.open(file, Mode.READ)) {
      byte[] bytes = new byte[Math.clamp(open.size() - offset, 0, SealedSegments.CHUNK_BYTES_MAX)];
      if (open.read(bytes, 0, bytes.length, offset) != bytes.length) {
        throw new IOException("the file became shorter");
      }
      return bytes;
    } catch (IOException e) {
      throw new DataDirectoryException(file, "The segment cannot be read", e);
    }
  }
}
