package dev.holdfast.journal.shard;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.replica.Purges;
import dev.holdfast.journal.replica.Saved;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The segments of a replica that nothing is written to any more. They are the same bytes on every
 * replica, so a damaged one is replaced by that of another. Thread-safe.
 */
public final class SealedSegments {

  /** Maximum number of bytes that are read at once for another node. */
  public static final int CHUNK_BYTES_MAX = 1 << 20;

  private static final String COPY_SUFFIX = ".copy";

  private final Disk disk;
  private final Segments segments;
  private final SegmentCopy copy;
  private final Supplier<Saved> durable;

  /**
   * @param durable gives what is durable here
   */
  SealedSegments(Disk disk, Segments segments, long journalId, Supplier<Saved> durable) {
    this.durable = durable;
    this.disk = disk;
    this.segments = segments;
    this.copy = new SegmentCopy(disk, journalId);
  }

  /** Where the bytes of a segment come from. */
  public interface Source {

    /**
     * Reads some bytes of the segment.
     *
     * @param offset in the file
     * @return the bytes at the offset: as many as there are, at most {@link #CHUNK_BYTES_MAX}; none
     *     at the end
     */
    byte[] read(long offset);
  }

  /**
   * {@return the last purge that the segments are without, by the index of its entry; 0 if there
   * was none, and -1 while one is being done}
   */
  public long purged() {
    Purges purges = durable.get().point().purges();
    return purges.isDone() ? purges.done() : -1;
  }

  /** What was purged here must not come back, and what is needed here must not be void yet. */
  private void requireSamePurges(LongSupplier purgedThere) {
    long here = purged();
    if (here < 0 || here != purgedThere.getAsLong()) {
      throw purging();
    }
  }

  private static JournalFailedException purging() {
    return new JournalFailedException(
        "The segments of one of the two nodes are being purged; it is tried again.", null);
  }

  /**
   * Returns the sealed segment after another one.
   *
   * @param segment first position of a segment; less than 1 for the first
   * @return the first position of the next one that is sealed; empty if there is none
   */
  public OptionalLong after(long segment) {
    Long next = segments.after(segment);
    return next == null || segments.after(next) == null
        ? OptionalLong.empty()
        : OptionalLong.of(next);
  }

  /**
   * {@return the sealed segment that holds a position; empty if none does}
   *
   * @param position the position
   */
  public OptionalLong holding(long position) {
    Long found = segments.holding(position);
    return found == null || segments.after(found) == null
        ? OptionalLong.empty()
        : OptionalLong.of(found);
  }

  /**
   * Reads a segment and checks all that is in it.
   *
   * @param segment its first position
   * @return whether all its records can be read
   */
  public boolean isSound(long segment) {
    return damage(segment, segments.fileOf(segment)) == null || isRemoved(segment);
  }

  /** Meanwhile: the history that the shard gives begins later. */
  private boolean isRemoved(long segment) {
    Long found = segments.holding(segment);
    return found == null || found != segment;
  }

  /** {@return where the damage of a file begins; null if there is none} */
  private @Nullable JournalCorruptException damage(long segment, Path file) {
    Long next = segments.after(segment);
    if (next == null) {
      throw new IllegalArgumentException("The segment " + segment + " is not sealed.");
    }
    try {
      copy.checked(file, segment, next);
      return null;
    } catch (JournalCorruptException e) {
      return e;
    }
  }

  /**
   * Reads some bytes of a segment for another node.
   *
   * @param segment its first position
   * @param offset in the file
   * @return the bytes, at most {@link #CHUNK_BYTES_MAX}; none at the end of the file
   * @throws IllegalArgumentException if there is no such segment, it is not sealed, or the offset
   *     is negative
   * @throws JournalFailedException if this replica is being purged
   * @throws DataDirectoryException if the file cannot be read
   */
  public byte[] read(long segment, long offset) {
    if (purged() < 0) {
      throw purging();
    }
    OptionalLong found = holding(segment);
    if (offset < 0 || found.isEmpty() || found.getAsLong() != segment) {
      throw new IllegalArgumentException(
          "There are no bytes from " + offset + " on of a sealed segment " + segment + ".");
    }
    return OwnState.read(disk, segments.fileOf(segment), offset);
  }

  /**
   * Replaces a segment by that of another replica, once all that is in it was checked. The old file
   * stays if that fails.
   *
   * @param segment its first position
   * @param source gives the bytes of the other one
   * @param purgedThere gives what {@link #purged} says there
   * @throws JournalCorruptException if what comes is damaged or not the same segment
   * @throws JournalFailedException if this replica, or the other one, is being purged
   * @throws DataDirectoryException if the file cannot be written
   */
  public void replace(long segment, Source source, LongSupplier purgedThere) {
    Path file = segments.fileOf(segment);
    Path other = file.resolveSibling(file.getFileName() + COPY_SUFFIX);
    try {
      requireSamePurges(purgedThere);
      copy.copy(segment, source, other);
      JournalCorruptException damage = damage(segment, other);
      if (damage != null) {
        disk.delete(other);
        throw damage;
      }
      if (isRemoved(segment)) {
        disk.delete(other);
        return;
      }
      try {
        requireSamePurges(purgedThere);
      } catch (RuntimeException e) {
        disk.delete(other); // it may have what this replica has purged meanwhile
        throw e;
      }
      // What is durable under the new name is what was checked: it was forced before.
      disk.move(other, file);
      disk.forceDirectory(segments.directory());
    } catch (IOException e) {
      throw new DataDirectoryException(
          file, "The damaged segment cannot be replaced (" + e.getMessage() + ")", e);
    }
  }

  /** Removes what a replacement has left that ended in the middle. */
  static void discardCopies(Disk disk, Path directory) throws IOException {
    for (Path each : disk.list(directory)) {
      if (String.valueOf(each.getFileName()).endsWith(COPY_SUFFIX)) {
        disk.delete(each);
      }
    }
  }
}
