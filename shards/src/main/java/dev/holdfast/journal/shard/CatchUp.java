package dev.holdfast.journal.shard;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.journal.file.SegmentHeader;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.image.IncomingImage;
import dev.holdfast.journal.image.ReplicaImage;
import dev.holdfast.journal.replica.Saved;
import dev.holdfast.journal.replica.SavedFile;
import dev.holdfast.journal.replica.SavedPoint;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What another replica has more, checked and durable beside what this one has. Nothing of it counts
 * before it is placed. In general it is segments. If the other one does not have those any more
 * that follow the own ones, it is files of the objects as well, and all segments that there are.
 *
 * <p>What was fetched stays when the rest cannot be had, and is not fetched again.
 */
final class CatchUp {

  /** A segment that is checked and synced: that it can be read would not say so. */
  private static final String FETCHED_SUFFIX = ".fetched";

  /** One that may be neither. */
  private static final String UNFINISHED_SUFFIX = ".fetched.new";

  /** More than any node may have: the next owner waits so long. */
  private static final long LEASE_MILLIS_MAX = 60_000;

  private final Disk disk;
  private final Segments segments;
  private final ReplicaState state;
  private final boolean hasRecords;
  private final @Nullable Files files;

  /**
   * Files of the objects.
   *
   * @param image the files
   * @param owner what their owner has said of them: up to which position they may have records, the
   *     first position that they need, and whose checkpoints are of them
   */
  private record Files(IncomingImage image, Saved owner) {}

  private CatchUp(
      Disk disk, Segments segments, ReplicaState state, boolean hasRecords, @Nullable Files files) {
    this.disk = disk;
    this.segments = segments;
    this.state = state;
    this.hasRecords = hasRecords;
    this.files = files;
  }

  /**
   * {@return what the owner has said of its files; null if this replica keeps those that it has}
   */
  @Nullable Saved ofFiles() {
    return files == null ? null : files.owner();
  }

  /** {@return the state that the replica has once this is placed} */
  ReplicaState state() {
    return state;
  }

  /**
   * Fetches what another replica has more.
   *
   * @param replica the directory of this replica
   * @param here what it has
   * @param atLeastIndex the entry that the other one must have
   * @throws JournalFailedException if the other one does not have it
   * @throws JournalCorruptException if what comes is damaged, or does not continue this replica
   * @throws DataDirectoryException if it cannot be written here
   */
  static CatchUp fetch(
      Disk disk,
      Path replica,
      Segments segments,
      SavedPoint here,
      ReplicaSource source,
      long atLeastIndex) {
    ReplicaState there = source.state(here.segment());
    requireNewer(here, there, atLeastIndex);
    // The files of this node may need records that the others have purged.
    if (lacksSegments(here, there) || there.purged() != here.purges().done()) {
      return fetchFiles(disk, replica, segments, here, source, atLeastIndex);
    }
    long next = Math.max(1, here.segment());
    requireContinued(segments, here, there, next, next);
    boolean hasRecords = there.lastPosition() > here.lastPosition();
    if (hasRecords) {
      fetch(disk, segments, there, source);
    }
    requireUnpurged(here.segment(), there, source);
    return new CatchUp(disk, segments, there, hasRecords, null);
  }

  /** {@return whether the records after those of this replica are nowhere any more} */
  private static boolean lacksSegments(SavedPoint here, ReplicaState there) {
    return !there.segments().isEmpty()
        && there.segments().getFirst() > Math.max(1, here.segment())
        && (here.journalId() == 0 || here.journalId() == there.journalId());
  }

  private static CatchUp fetchFiles(
      Disk disk,
      Path replica,
      Segments segments,
      SavedPoint here,
      ReplicaSource source,
      long atLeastIndex) {
    try {
      ReplicaImage given = source.image();
      IncomingImage image = IncomingImage.fetch(disk, replica, source, given);
      Saved owner = new SavedFile(disk, image.directory()).read();
      ReplicaState there = source.state(0); // later: it has what the files have
      requireNewer(here, there, atLeastIndex);
      if (owner == null
          || owner.point().journalId() != there.journalId()
          || owner.point().lastPosition() > there.lastPosition()
          || owner.lowWaterMark() < 1
          || owner.owned().last() > owner.point().lastPosition()) {
        throw new DataDirectoryException(
            image.directory(),
            "The files of another node belong to another journal; this node asks for them again",
            null);
      }
      if (owner.point().purges().done() != there.purged()) {
        throw purgedMeanwhile(); // the files may need what is void in the segments
      }
      requireContinued(segments, here, there, 1, owner.lowWaterMark());
      boolean hasRecords = there.segment() != 0;
      if (hasRecords) {
        fetch(disk, segments, there, source);
      }
      disk.forceDirectory(segments.directory());
      requireUnpurged(0, there, source);
      source.releaseImage(given.id());
      return new CatchUp(disk, segments, there, hasRecords, new Files(image, owner));
    } catch (IOException e) {
      throw new DataDirectoryException(
          replica, "Files of another node cannot be written (" + e.getMessage() + ")", e);
    }
  }

  /**
   * What was read before a purge of the other node, and what was read after it, do not belong. In
   * the middle of one it says nothing: then one that is behind it must not speak for it.
   */
  private static void requireUnpurged(long segment, ReplicaState there, ReplicaSource source) {
    ReplicaState now = source.state(segment);
    if (now.purged() != there.purged() || now.index() < there.index()) {
      throw purgedMeanwhile();
    }
  }

  private static JournalFailedException purgedMeanwhile() {
    return new JournalFailedException(
        "Another node has purged its segments meanwhile; they are fetched again.", null);
  }

  /** Never from before a purge that this replica has: what was purged would come back. */
  private static void requireNewer(SavedPoint here, ReplicaState there, long atLeastIndex) {
    if (there.purged() < here.purges().last()) {
      throw new JournalFailedException(
          "Another node has not yet purged what this one has; it is asked again.", null);
    }
    if (there.index() < Math.max(atLeastIndex, here.index())) {
      throw new JournalFailedException(
          "Another node has entries of the shard up to "
              + there.index()
              + " only; needed are those up to "
              + Math.max(atLeastIndex, here.index())
              + ".",
          null);
    }
  }

  /**
   * Another node is not trusted: its segments must follow those of this replica, or what its files
   * have.
   *
   * @param from the first segment begins with this position at the earliest
   * @param to and with this one at the latest
   */
  private static void requireContinued(
      Segments segments, SavedPoint here, ReplicaState there, long from, long to) {
    List<Long> named = there.segments();
    boolean isSame = here.journalId() == 0 || there.journalId() == here.journalId();
    boolean isLater =
        there.lastPosition() > here.lastPosition()
            || (there.lastPosition() == here.lastPosition()
                && there.segment() == here.segment()
                && there.salt() == here.salt()
                && there.endOffset() == here.endOffset());
    boolean isWhole =
        there.segment() == 0
            ? named.isEmpty() && there.lastPosition() == 0
            : !named.isEmpty()
                && there.historyFrom() >= here.historyFrom()
                && there.historyFrom() <= there.segment()
                && named.getFirst() >= from
                && named.getFirst() <= to
                && named.getLast() == there.segment()
                && there.lastPosition() >= there.segment();
    for (int i = 1; i < named.size(); i++) {
      isWhole &= named.get(i - 1) < named.get(i);
    }
    isWhole &= there.leaseMillis() >= 0 && there.leaseMillis() <= LEASE_MILLIS_MAX;
    if (!isSame || !isLater || !isWhole) {
      throw new JournalCorruptException(
          segments.directory(),
          here.endOffset(),
          here.lastPosition() + 1,
          "what another node has of the shard does not continue this copy: its journal is "
              + there.journalId()
              + ", with segments from "
              + (named.isEmpty() ? 0 : named.getFirst())
              + " on, up to position "
              + there.lastPosition());
    }
  }

  private static void fetch(
      Disk disk, Segments segments, ReplicaState there, ReplicaSource source) {
    SegmentCopy copy = new SegmentCopy(disk, there.journalId());
    List<Long> named = there.segments();
    for (int i = 0; i < named.size(); i++) {
      long segment = named.get(i);
      Path target = fetchedFile(segments, segment);
      try {
        if (i < named.size() - 1) {
          fetchSealed(disk, segments, copy, segment, named.get(i + 1), source);
        } else {
          fetchNewest(disk, copy, there, source, target);
        }
      } catch (IOException e) {
        throw new DataDirectoryException(
            target, "A segment of another node cannot be written (" + e.getMessage() + ")", e);
      }
    }
  }

  private static void fetchSealed(
      Disk disk, Segments segments, SegmentCopy copy, long segment, long next, ReplicaSource source)
      throws IOException {
    Path target = fetchedFile(segments, segment);
    if (disk.exists(target) && isSound(copy, segment, next, target, source.read(segment, 0))) {
      return; // by an earlier try
    }
    Path unfinished = unfinished(target);
    copy.copy(segment, offset -> source.read(segment, offset), unfinished);
    copy.checked(unfinished, segment, next);
    disk.move(unfinished, target);
    disk.forceDirectory(segments.directory()); // so that a later run finds it
  }

  /**
   * @param begin how the segment begins that the other node has now: it may have purged it since
   */
  private static boolean isSound(
      SegmentCopy copy, long segment, long next, Path file, byte[] begin) {
    try {
      copy.checked(file, segment, next);
      return copy.begins(file, begin);
    } catch (JournalCorruptException e) {
      return false; // of a try that ended in the middle, or when the segment was the newest
    }
  }

  private static void fetchNewest(
      Disk disk, SegmentCopy copy, ReplicaState there, ReplicaSource source, Path target)
      throws IOException {
    long segment = there.segment();
    Path unfinished = unfinished(target);
    SegmentHeader header =
        copy.copy(segment, offset -> source.read(segment, offset), unfinished, there.endOffset());
    long end = copy.checked(unfinished, segment, there.lastPosition() + 1);
    if (end != there.endOffset()
        || header.salt() != there.salt()
        || header.allocatedBytes() != there.segmentBytes()) {
      throw new JournalCorruptException(
          unfinished,
          end,
          there.lastPosition() + 1,
          "the segment is not what another node said of it");
    }
    disk.move(unfinished, target);
  }

  private static Path unfinished(Path target) {
    String name = String.valueOf(target.getFileName());
    return target.resolveSibling(name.replace(FETCHED_SUFFIX, UNFINISHED_SUFFIX));
  }

  private static Path fetchedFile(Segments segments, long segment) {
    Path file = segments.fileOf(segment);
    return file.resolveSibling(file.getFileName() + FETCHED_SUFFIX);
  }

  /**
   * Gives the segments their names, durably. Up to the point that the replica has saved they have
   * what it had, so a kill in the middle leaves a replica that is as before. Nothing is written to
   * the segments of the replica meanwhile.
   */
  void place() throws IOException {
    if (!hasRecords) {
      return;
    }
    for (long segment : state.segments()) {
      disk.move(fetchedFile(segments, segment), segments.fileOf(segment));
    }
    disk.forceDirectory(segments.directory());
    state.segments().forEach(segments::add);
  }

  /**
   * Puts files of the objects, all segments and {@code saved} in the place of what the replica has.
   * Nothing of it is open.
   *
   * @param next what the replica states from now on
   */
  void placeWithFiles(Path replica, Saved next) throws IOException {
    if (files == null) {
      throw new IllegalStateException("There are no files.");
    }
    files.image().begin(firstSegment(), SavedFile.encode(next));
    finish(disk, replica);
    state.segments().forEach(segments::add);
  }

  /** {@return the first position of the first segment; after all records if there is none} */
  long firstSegment() {
    return hasRecords ? state.segments().getFirst() : state.lastPosition() + 1;
  }

  /**
   * Does the rest of what a process that was killed has begun to place. To be called before
   * anything of a replica is read.
   */
  static void finish(Disk disk, Path replica) throws IOException {
    Path directory = replica.resolve(ShardReplica.JOURNAL_DIRECTORY);
    IncomingImage.finish(disk, replica, first -> placeSegments(disk, directory, first));
  }

  private static void placeSegments(Disk disk, Path directory, long first) throws IOException {
    for (Path each : disk.list(directory)) {
      String name = String.valueOf(each.getFileName());
      Long own = Segments.firstPositionIn(each);
      if (own != null && own < first) {
        disk.delete(each);
      }
      if (name.endsWith(".index")) {
        disk.delete(each); // of a segment that may have been purged since
      }
      Path target = directory.resolve(withoutSuffix(name));
      Long fetched = name.endsWith(FETCHED_SUFFIX) ? Segments.firstPositionIn(target) : null;
      if (fetched != null && fetched >= first) {
        disk.move(each, target);
      }
    }
    discardOld(disk, directory, first); // others may have purged them since
    disk.forceDirectory(directory);
  }

  /** Removes segments that were fetched for a replica that has them now. */
  static void discardOld(Disk disk, Path directory, long newest) throws IOException {
    for (Path each : disk.list(directory)) {
      String name = String.valueOf(each.getFileName());
      boolean isOld =
          name.endsWith(FETCHED_SUFFIX) && isSegmentBefore(Path.of(withoutSuffix(name)), newest);
      if (isOld || name.endsWith(UNFINISHED_SUFFIX)) {
        disk.delete(each);
      }
    }
  }

  private static String withoutSuffix(String name) {
    return name.endsWith(FETCHED_SUFFIX)
        ? name.substring(0, name.length() - FETCHED_SUFFIX.length())
        : name;
  }

  private static boolean isSegmentBefore(Path file, long newest) {
    Long first = Segments.firstPositionIn(file);
    return first != null && first < newest;
  }
}
