package dev.holdfast.journal.file;

import dev.holdfast.TimeSource;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.journal.file.SegmentWalk.Place;
import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordVisitor;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The history that the segments hold, found through an index of each segment.
 *
 * <p>The newest segment is indexed in memory: by each reader, and by the journal's own thread every
 * few megabytes, so that a reader finds little left to do; appends and flushes do no work for it.
 * When a segment is full its index is written to a file beside it. A missing index is rebuilt from
 * the segment. The most recently used indexes are kept in memory.
 *
 * <p>Thread-safe.
 */
public final class SegmentHistory implements JournalHistory {

  private static final String HEADER_DAMAGED = "the header of the segment is damaged";

  private final Disk disk;
  private final Segments segments;
  private final LongSupplier durablePosition;
  private final LongSupplier spareBytes;
  private final TimeSource time;
  private final long journalId;

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final Map<Long, SegmentIndex> indexes = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<Long, SegmentHeader> headers = new LinkedHashMap<>();

  /** Sizes of the index files that are known to exist. */
  private final Map<Long, Long> indexFileBytes = new HashMap<>();

  /**
   * Full segments whose index was made from their records, because the file of it was of no use.
   */
  private final Set<Long> rebuilt = new HashSet<>();

  /** Full segments whose files end with their last group, but for zeros. */
  private final Set<Long> withoutRest = new HashSet<>();

  public SegmentHistory(Disk disk, Segments segments, Ends ends, TimeSource time, long journalId) {
    this.disk = disk;
    this.segments = segments;
    this.durablePosition = ends.durablePosition();
    this.spareBytes = ends.spareBytes();
    this.time = time;
    this.journalId = journalId;
  }

  /**
   * The end of the journal, as other components have it.
   *
   * @param durablePosition the last record that counts
   * @param spareBytes the size of the files that wait to become segments
   */
  public record Ends(LongSupplier durablePosition, LongSupplier spareBytes) {}

  @Override
  public long journalId() {
    return journalId;
  }

  @Override
  public long oldestPosition() {
    lock.lock(); // a segment seen here is not dropped after a floor that was set before
    try {
      Long first = segments.oldest();
      return first == null ? durablePosition.getAsLong() + 1 : first;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long oldestWallMillis() {
    return oldestWallMillis(0);
  }

  /** {@return the time from which on every record from a position on is kept} */
  public long oldestWallMillis(long position) {
    lock.lock(); // otherwise the segment could be removed before its header is read
    try {
      long nowMillis = time.wallMillis();
      for (long segment : segments.from(position)) {
        long begunMillis = header(segment).wallMillis();
        if (begunMillis <= nowMillis) {
          return begunMillis;
        }
      }
      return Long.MAX_VALUE;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long bytes() {
    return segmentBytes() + spareBytes.getAsLong();
  }

  /** {@return the size of a segment, also of one whose header is damaged} */
  public long bytesOf(long segment) throws IOException {
    lock.lock();
    try {
      SegmentHeader known = headers.get(segment);
      if (known != null) {
        return known.allocatedBytes();
      }
      try (DiskFile open = disk.open(segments.fileOf(segment), Mode.READ)) {
        return open.size();
      }
    } finally {
      lock.unlock();
    }
  }

  /** {@return the size of the segments and their indexes} */
  public long segmentBytes() {
    lock.lock();
    try {
      long bytes = 0;
      for (long segment : segments.from(0)) {
        bytes += header(segment).allocatedBytes() + indexFileBytes(segment);
      }
      return bytes;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public JournalHistory.Reader reader() {
    return new ForwardReader(this, segments, durablePosition);
  }

  /** {@return the size of the segments from the one that has a position on, without indexes} */
  @Override
  public long bytesFrom(long position) {
    lock.lock();
    try {
      long bytes = 0;
      for (long segment : segments.from(position)) {
        bytes += header(segment).allocatedBytes();
      }
      return bytes;
    } finally {
      lock.unlock();
    }
  }

  /** {@return the size of a segment's index beside it; 0 if there is none yet} */
  private long indexFileBytes(long segment) {
    assert lock.isHeldByCurrentThread();
    Long known = indexFileBytes.get(segment);
    if (known != null) {
      return known;
    }
    Path file = segments.indexFileOf(segment);
    try {
      if (!disk.exists(file)) {
        return 0;
      }
      try (DiskFile open = disk.open(file, Mode.READ)) {
        indexFileBytes.put(segment, open.size());
        return open.size();
      }
    } catch (IOException e) {
      throw new DataDirectoryException(file, "The history of the journal cannot be read", e);
    }
  }

  /**
   * Returns when a segment was full: no record in it is later. That is when the next one was begun,
   * but the clock may have been wrong then. A time in the future came from a clock that was ahead:
   * then the next segment that was begun with a right clock counts. A clock that was behind makes
   * no segment older than the ones before it.
   *
   * @param segment its first position
   * @param nowMillis the time
   * @return milliseconds since 1970; the largest long if unknown
   */
  public long fullMillis(long segment, long nowMillis) {
    lock.lock();
    try {
      long latestMillis = Long.MIN_VALUE;
      for (long each : segments.from(0)) {
        long begunMillis = header(each).wallMillis();
        if (begunMillis <= nowMillis) {
          latestMillis = Math.max(latestMillis, begunMillis);
          if (each > segment) {
            return latestMillis;
          }
        }
      }
      return Long.MAX_VALUE;
    } finally {
      lock.unlock();
    }
  }

  /**
   * When a segment was begun.
   *
   * @param bytes the size of the segment
   */
  public record Begun(long wallMillis, long bytes) {}

  /** {@return all segments from the one that has a position on, in order} */
  public List<Begun> begun(long position) {
    lock.lock();
    try {
      return segments.from(position).stream()
          .map(this::header)
          .map(header -> new Begun(header.wallMillis(), header.allocatedBytes()))
          .toList();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long positionAt(long wallMillis) {
    lock.lock();
    try {
      // The last segment that was begun at or before the time, and after it the segments that were
      // begun by a wrong clock: with a time in the future, or earlier than the segments before
      // them.
      List<Long> candidates = new ArrayList<>();
      Long later = null;
      long nowMillis = time.wallMillis();
      long latestMillis = Long.MIN_VALUE;
      for (long segment : segments.from(0)) {
        long begunMillis = header(segment).wallMillis();
        if (begunMillis >= latestMillis && begunMillis <= nowMillis) {
          if (begunMillis > wallMillis) {
            later = segment;
            nowMillis = begunMillis; // a later time than this in an older segment is wrong
            break;
          }
          latestMillis = begunMillis;
          candidates.clear();
        }
        candidates.add(segment);
      }
      long found = oldestPosition() - 1;
      for (long segment : candidates) {
        SegmentIndex index = index(segment);
        found = index.positionAt(wallMillis, nowMillis);
        if (found < index.nextPosition() - 1) {
          later = null;
          break;
        }
      }
      if (later != null) {
        // Its first records can have waited until it was begun, and were stamped before.
        found = index(later).positionAt(wallMillis, time.wallMillis());
      }
      return Math.min(found, durablePosition.getAsLong());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public HistoryCursor newestFirst(ObjectKey key, long fromPosition) {
    return new SegmentCursor(this, key, Math.min(fromPosition, durablePosition.getAsLong()));
  }

  @Override
  public long[] lastChanges(List<ObjectKey> keys) {
    return lastChanges(keys, 0);
  }

  /** {@return the same, as far as the segments from a position on show it} */
  public long[] lastChanges(List<ObjectKey> keys, long fromPosition) {
    long[] changes = new long[keys.size()];
    Arrays.fill(changes, Long.MIN_VALUE);
    long[] hashes = keys.stream().mapToLong(SegmentIndex::hashOf).toArray();
    int missing = hashes.length;
    // Segment by segment: an index that is read from its file serves all objects.
    Long segment = segments.holding(durablePosition.getAsLong());
    while (segment != null && segment >= fromPosition && missing > 0) {
      lock.lock();
      try {
        if (segments.holding(segment) == null) {
          break; // retention has dropped it, and those before it
        }
        missing -= findChanges(index(segment), hashes, changes);
        segment = segments.before(segment);
      } finally {
        lock.unlock();
      }
    }
    return changes;
  }

  /**
   * Looks up the objects that have no change yet. A hash stands for an object here: that two of a
   * journal share one is less likely than a wrong clock.
   */
  private static int findChanges(SegmentIndex index, long[] hashes, long[] changes) {
    int found = 0;
    for (int each = 0; each < hashes.length; each++) {
      if (changes[each] == Long.MIN_VALUE) {
        int ordinal = index.newest(hashes[each], Long.MAX_VALUE);
        while (ordinal != SegmentIndex.NONE && !index.kind(ordinal).isBatch()) {
          ordinal = index.before(ordinal);
        }
        if (ordinal != SegmentIndex.NONE) {
          changes[each] = index.wallMillis(ordinal);
          found++;
        }
      }
    }
    return found;
  }

  @Override
  public void forEach(long fromPosition, long toPosition, RecordVisitor visitor) {
    long last = Math.min(toPosition, durablePosition.getAsLong());
    for (long segment : segments.from(fromPosition)) {
      if (segment > last) {
        return;
      }
      try (SegmentReader reader = open(segment)) {
        readSegment(reader, segment, new Range(fromPosition, last), visitor);
      } catch (NoSuchFileException e) {
        if (holds(segment)) {
          throw new JournalCorruptException(
              segments.fileOf(segment), 0, segment, "the segment is missing");
        }
        return; // dropped meanwhile
      } catch (IOException e) {
        throw new DataDirectoryException(
            segments.fileOf(segment), "The history of the journal cannot be read", e);
      }
    }
  }

  private void readSegment(SegmentReader reader, long segment, Range range, RecordVisitor visitor)
      throws IOException {
    SegmentHeader header = reader.requireHeader(segment, HEADER_DAMAGED);
    Long next = segments.after(segment);
    long last = next == null ? range.last() : Math.min(range.last(), next - 1);
    SegmentWalk walk = new SegmentWalk(reader, header.salt(), Place.startOf(segment));
    SegmentWalk.Step step =
        new SegmentWalk.Selected(range.first(), range.last(), (_, _) -> true, visitor);
    while (walk.position() <= last) {
      if (walk.next(step) == null) {
        if (!holds(segment)) {
          return; // dropped meanwhile, and its file is reused
        }
        throw new JournalCorruptException(
            reader.path(), walk.offset(), walk.position(), "the history is damaged here");
      }
    }
  }

  private record Range(long first, long last) {}

  /** {@return the newest record after a position that was purged; 0 if there is none} */
  public long lastPurgedAfter(long position) {
    lock.lock();
    try {
      long hash = SegmentIndex.hashOf(VoidRecord.NO_OBJECT);
      for (long segment : segments.from(position).reversed()) {
        SegmentIndex index = index(segment);
        int ordinal = index.newest(hash, Long.MAX_VALUE);
        while (ordinal != SegmentIndex.NONE
            && !VoidRecord.isPurged(
                index.kind(ordinal), index.viewId(ordinal), index.payloadBytes(ordinal))) {
          ordinal = index.before(ordinal); // of a view, but about no object
        }
        if (ordinal != SegmentIndex.NONE) {
          return index.position(ordinal) > position ? index.position(ordinal) : 0;
        }
      }
      return 0;
    } finally {
      lock.unlock();
    }
  }

  /** The place of a record. */
  record Found(long segment, SegmentIndex index, int ordinal) {}

  /** {@return the newest record of a hash at or before a position; null if none is kept} */
  @Nullable Found find(long hash, long position) {
    lock.lock();
    try {
      for (Long segment = segments.holding(position);
          segment != null;
          segment = segments.before(segment)) {
        SegmentIndex index = index(segment);
        int ordinal = index.newest(hash, position);
        if (ordinal != SegmentIndex.NONE) {
          return new Found(segment, index, ordinal);
        }
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  /** {@return the record of the same object before one; null if none is kept} */
  @Nullable Found before(Found place, long hash) {
    lock.lock();
    try {
      int ordinal = place.index().before(place.ordinal());
      return ordinal != SegmentIndex.NONE
          ? new Found(place.segment(), place.index(), ordinal)
          : find(hash, place.segment() - 1);
    } finally {
      lock.unlock();
    }
  }

  /** {@return whether retention has kept a segment} */
  public boolean holds(long segment) {
    lock.lock();
    try {
      Long found = segments.holding(segment);
      return found != null && found == segment;
    } finally {
      lock.unlock();
    }
  }

  /** {@return the file of a segment} */
  public Path fileOf(long segment) {
    return segments.fileOf(segment);
  }

  public SegmentReader open(long segment) throws IOException {
    return SegmentReader.open(disk, segments.fileOf(segment));
  }

  /** Brings the index of the newest segment up to date, and writes the indexes of full ones. */
  public void advance() throws IOException {
    lock.lock();
    try {
      for (long segment : List.copyOf(rebuilt)) {
        writeIndex(segment);
      }
      for (long segment : segments.from(0).reversed()) {
        if (segments.isEmpty() || segment != segments.newest()) {
          if (disk.exists(segments.indexFileOf(segment))) {
            return; // and so has every older one, or it is rebuilt when needed
          }
          writeIndex(segment);
        } else {
          index(segment);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Removes a segment while no reader searches it.
   *
   * @param floor called while no reader can see the segment: records from this position on stay
   * @return false if the segment stays
   */
  public boolean drop(long segment, LongSupplier floor, Removal removal) throws IOException {
    lock.lock();
    try {
      Long next = segments.after(segment);
      if (next == null || next > floor.getAsLong()) {
        return false;
      }
      // The file first: if it stayed while its successors were removed, history would have a gap,
      // and would be taken for damaged when the journal is opened again.
      try {
        removal.run();
      } finally {
        if (!disk.exists(segments.fileOf(segment))) {
          segments.remove(segment);
        }
      }
      indexes.remove(segment);
      headers.remove(segment);
      indexFileBytes.remove(segment);
      rebuilt.remove(segment);
      withoutRest.remove(segment);
      disk.delete(segments.indexFileOf(segment));
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Removes records of objects from a full segment: replaces its file by one with void records,
   * unless it has none of them. What lies after its last group goes as well: that can be records of
   * an older segment. A crash leaves the old file or the new one, both whole.
   *
   * @param segment its first position
   * @param extents for each object the position up to which its records go; no view needs them
   * @param salt for the new file
   * @param unfinished the file to write first; deleted when the journal is opened
   */
  public void purge(long segment, Map<ObjectKey, Long> extents, long salt, Path unfinished)
      throws IOException {
    Path file = segments.fileOf(segment);
    Long next = segments.after(segment);
    if (next == null || !mayHave(segment, extents)) {
      return;
    }
    disk.delete(unfinished);
    boolean done = false;
    try {
      PurgedSegment.write(disk, file, next, extents, new PurgedSegment.Fresh(unfinished, salt));
      done = true;
    } finally {
      if (!done) {
        disk.delete(unfinished);
      }
    }
    lock.lock();
    try {
      // A crash leaves no index beside a file of another salt: it would not be used, but taken for
      // damaged.
      disk.delete(segments.indexFileOf(segment));
      disk.forceDirectory(segments.directory());
      indexes.remove(segment);
      headers.remove(segment);
      indexFileBytes.remove(segment);
      disk.move(unfinished, file);
      disk.forceDirectory(segments.directory());
      withoutRest.add(segment);
      writeIndex(segment);
    } finally {
      lock.unlock();
    }
  }

  private boolean mayHave(long segment, Map<ObjectKey, Long> extents) throws IOException {
    Place end;
    long salt;
    lock.lock();
    try {
      SegmentIndex index = index(segment);
      for (Map.Entry<ObjectKey, Long> each : extents.entrySet()) {
        if (index.newest(SegmentIndex.hashOf(each.getKey()), each.getValue())
            != SegmentIndex.NONE) {
          return true;
        }
      }
      if (withoutRest.contains(segment)) {
        return false;
      }
      end = new Place(segment, index.nextPosition(), index.endOffset());
      salt = header(segment).salt();
    } finally {
      lock.unlock();
    }
    try (SegmentReader reader = open(segment)) {
      if (PurgedSegment.hasRest(reader, new SegmentWalk(reader, salt, end))) {
        return true;
      }
    }
    lock.lock();
    try {
      withoutRest.add(segment);
    } finally {
      lock.unlock();
    }
    return false;
  }

  private void writeIndex(long segment) throws IOException {
    assert lock.isHeldByCurrentThread();
    SegmentIndexFile.write(
        disk, segments.indexFileOf(segment), index(segment), header(segment).salt());
    rebuilt.remove(segment);
  }

  /** Deletes the file of a segment, or reuses it. */
  public interface Removal {
    void run() throws IOException;
  }

  /** {@return the index of a segment, complete up to the durable end; the caller holds the lock} */
  private SegmentIndex index(long segment) {
    assert lock.isHeldByCurrentThread();
    // The end first: if it is after this segment, the next one is seen below.
    long durableEnd = durablePosition.getAsLong() + 1;
    SegmentIndex known = indexes.get(segment);
    Long next = segments.after(segment);
    try {
      if (known == null && next != null) {
        known = SegmentIndexFile.read(disk, segments.indexFileOf(segment), header(segment));
        if (known == null) {
          rebuilt.add(segment);
        }
      }
      if (known == null) {
        SegmentHeader header = header(segment);
        known = new SegmentIndex(segment, header.wallMillis(), SegmentHeader.LENGTH_BYTES);
      }
      long end = next != null ? next : durableEnd;
      if (known.nextPosition() < end) {
        extend(known, end);
      }
    } catch (IOException e) {
      throw new DataDirectoryException(
          segments.fileOf(segment), "The history of the journal cannot be read", e);
    }
    assert known.firstPosition() == segment;
    if (indexes.putIfAbsent(segment, known) == null) {
      trim(segment);
    }
    return known;
  }

  /** Reads the headers of the records that the index lacks, up to a position. */
  private void extend(SegmentIndex index, long end) throws IOException {
    assert lock.isHeldByCurrentThread();
    long segment = index.firstPosition();
    long salt = header(segment).salt();
    try (SegmentReader reader = open(segment)) {
      // The newest segment is asked for after every few records that are appended.
      reader.readAhead(end - index.nextPosition());
      SegmentWalk walk =
          new SegmentWalk(
              reader, salt, new Place(segment, index.nextPosition(), index.endOffset()));
      while (index.nextPosition() < end) {
        walk.require(
            (_, group, offset) -> reader.index(group, offset, index),
            "the history before position " + end + " is damaged here");
        index.endsAt(walk.offset());
      }
    }
  }

  private void trim(long used) {
    assert lock.isHeldByCurrentThread();
    long bytes = 0;
    for (SegmentIndex index : indexes.values()) {
      bytes += index.heapBytes();
    }
    var eldest = indexes.entrySet().iterator();
    while (bytes > JournalBounds.INDEX_BYTES_KEPT_MAX && eldest.hasNext()) {
      Map.Entry<Long, SegmentIndex> entry = eldest.next();
      // The newest index cannot be read back from a file.
      if (entry.getKey() != used && entry.getKey() != segments.newest()) {
        bytes -= entry.getValue().heapBytes();
        eldest.remove();
      }
    }
  }

  private SegmentHeader header(long segment) {
    assert lock.isHeldByCurrentThread();
    SegmentHeader known = headers.get(segment);
    if (known != null) {
      return known;
    }
    Path file = segments.fileOf(segment);
    try (SegmentReader reader = SegmentReader.open(disk, file)) {
      SegmentHeader header = reader.requireHeader(segment, HEADER_DAMAGED);
      headers.put(segment, header);
      return header;
    } catch (IOException e) {
      throw new DataDirectoryException(file, "The history of the journal cannot be read", e);
    }
  }
}
