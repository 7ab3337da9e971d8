package dev.holdfast.journal.replica;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.journal.file.ArrayFile;
import dev.holdfast.journal.file.GroupHeader;
import dev.holdfast.journal.file.SegmentHeader;
import dev.holdfast.journal.file.SegmentReader;
import dev.holdfast.journal.file.SegmentSupply;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.file.Spare;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Writes accepted groups to the segments of a replica, without a sync. Confined to the thread of
 * the log, but for {@link #force}, which only the saver calls.
 */
public final class ReplicaSegments {

  private static final int CHUNK_BYTES = 1 << 20;

  private final Disk disk;
  private final Segments segments;
  private final SegmentSupply supply;
  private @Nullable DiskFile file;

  /** The segments before the newest one that may not be durable. */
  private final Queue<DiskFile> full = new ConcurrentLinkedQueue<>();

  public ReplicaSegments(Disk disk, Segments segments, SegmentSupply supply) {
    this.disk = disk;
    this.segments = segments;
    this.supply = supply;
  }

  /** Removes the files behind a point: the log brings them again. */
  public static void removeBehind(Disk disk, Path directory, SavedPoint point) throws IOException {
    for (Path each : disk.list(directory)) {
      if (isBehind(each, point.segment())) {
        disk.delete(each);
      }
    }
    disk.forceDirectory(directory);
  }

  /**
   * Continues at a point.
   *
   * @throws JournalCorruptException if the newest segment is missing or is another one
   */
  public void resume(SavedPoint point) throws IOException {
    if (point.segment() == 0) {
      return;
    }
    Path path = segments.fileOf(point.segment());
    if (!disk.exists(path)) {
      throw new JournalCorruptException(
          path, 0, point.segment(), "the newest segment of the replica is missing");
    }
    try (SegmentReader reader = SegmentReader.open(disk, path)) {
      SegmentHeader header = reader.header();
      if (header == null
          || header.journalId() != point.journalId()
          || header.salt() != point.salt()
          || header.firstPosition() != point.segment()) {
        throw new JournalCorruptException(
            path, 0, point.segment(), "its header is damaged, or it is another segment");
      }
    }
    file = disk.open(path, Mode.WRITE);
  }

  /** The index of the newest segment may cover more than the segment has after a crash. */
  private static boolean isBehind(Path file, long newest) {
    Long first = Segments.firstPositionIn(file);
    boolean isIndex = String.valueOf(file.getFileName()).endsWith(".index");
    return first != null && (first > newest || (isIndex && first == newest));
  }

  /**
   * Writes a group that fits into one entry.
   *
   * @return the point after it
   * @throws JournalCorruptException if its bytes are not a group that continues the segment: only a
   *     mistake of its owner can be the reason, and to skip it would make replicas differ
   */
  public SavedPoint write(SavedPoint before, LogEntry.Group group, Executor closer)
      throws IOException {
    long offset = group.place().offsetBytes();
    int length = group.bytes().remaining();
    byte[] pages = new byte[length + padding(offset + length)];
    group.bytes().duplicate().get(pages, 0, length);
    Path path = segments.fileOf(group.place().segment());
    try (SegmentReader reader = SegmentReader.of(new ArrayFile(pages, length), path)) {
      GroupHeader header = checked(before, group, reader, length);
      DiskFile target = begun(before, group, header, closer);
      target.write(pages, 0, pages.length, offset);
      return after(before, group, header);
    }
  }

  /**
   * Writes a group from a file.
   *
   * @param parts the file with the whole group
   */
  public SavedPoint writeFrom(SavedPoint before, LogEntry.Group group, Path parts, Executor closer)
      throws IOException {
    try (SegmentReader reader = SegmentReader.open(disk, parts);
        DiskFile source = disk.open(parts, Mode.READ)) {
      long length = source.size();
      GroupHeader header = checked(before, group, reader, length);
      DiskFile target = begun(before, group, header, closer);
      long offset = group.place().offsetBytes();
      byte[] chunk = new byte[CHUNK_BYTES];
      for (long done = 0; done < length; done += CHUNK_BYTES) {
        int count = (int) Math.min(CHUNK_BYTES, length - done);
        if (source.read(chunk, 0, count, done) != count) {
          throw new IOException(parts + " ended at byte " + done + " while it was read");
        }
        target.write(chunk, 0, count, offset + done);
      }
      byte[] zeros = new byte[padding(offset + length)];
      target.write(zeros, 0, zeros.length, offset + length);
      return after(before, group, header);
    }
  }

  private static int padding(long end) {
    return (int) -end & (SegmentHeader.PAGE_BYTES - 1);
  }

  private static SavedPoint after(SavedPoint before, LogEntry.Group group, GroupHeader header) {
    LogEntry.Place place = group.place();
    return before.after(
        header.nextPosition() - 1, place, header.salt(), place.offsetBytes() + header.groupBytes());
  }

  private GroupHeader checked(
      SavedPoint before, LogEntry.Group group, SegmentReader reader, long length)
      throws IOException {
    GroupHeader header = reader.groupHeader();
    LogEntry.Place place = group.place();
    boolean fits =
        header != null
            && header.recordCount() > 0
            && header.firstPosition() == group.firstPosition()
            && header.lowWaterMark() == 0
            && header.groupBytes() == length
            && place.segmentBytes() % SegmentHeader.PAGE_BYTES == 0
            && place.offsetBytes() + length <= place.segmentBytes();
    if (header == null || !fits || !continues(before, group, header)) {
      throw corrupt(group, "the group does not continue the segment");
    }
    if (!reader.isValid(header, 0)) {
      throw corrupt(group, "the group is damaged");
    }
    return header;
  }

  private static boolean begins(LogEntry.Group group) {
    return group.place().offsetBytes() == SegmentHeader.LENGTH_BYTES;
  }

  private static boolean continues(SavedPoint before, LogEntry.Group group, GroupHeader header) {
    LogEntry.Place place = group.place();
    return begins(group)
        ? place.segment() == group.firstPosition()
        : place.segment() == before.segment()
            && place.offsetBytes() == before.endOffset()
            && place.segmentBytes() == before.segmentBytes()
            && header.salt() == before.salt();
  }

  private JournalCorruptException corrupt(LogEntry.Group group, String message) {
    LogEntry.Place place = group.place();
    return new JournalCorruptException(
        segments.fileOf(place.segment()),
        place.offsetBytes(),
        group.firstPosition(),
        message + ", as the log has it");
  }

  /** {@return the file for a group, which is a new one if the group begins a segment} */
  private DiskFile begun(
      SavedPoint before, LogEntry.Group group, GroupHeader header, Executor closer)
      throws IOException {
    if (begins(group)) {
      begin(before, group.place(), header.salt(), closer);
    }
    DiskFile open = file;
    if (open == null) {
      throw corrupt(group, "there is no segment");
    }
    return open;
  }

  private void begin(SavedPoint before, LogEntry.Place place, long salt, Executor closer)
      throws IOException {
    Spare spare = supply.take(place.segmentBytes(), place.segmentBytes());
    SegmentHeader header =
        new SegmentHeader(
            place.segment(),
            before.journalId(),
            salt,
            /* lowWaterMark= */ 0,
            place.segmentBytes(),
            place.segmentMillis(),
            /* isMarked= */ false);
    try (DiskFile next = disk.open(spare.file(), Mode.WRITE)) {
      next.write(header.encode(), 0, SegmentHeader.LENGTH_BYTES, 0);
    }
    Path path = segments.fileOf(place.segment());
    disk.move(spare.file(), path);
    DiskFile last = file;
    file = disk.open(path, Mode.WRITE);
    segments.add(place.segment());
    if (last != null) {
      full.add(last);
      closer.execute(() -> forceFull(path));
    }
  }

  /** Soon, so that a save has less to do. */
  private void forceFull(Path next) {
    try {
      forceFull();
    } catch (IOException e) {
      throw new DataDirectoryException(
          next, "The segment before this one cannot be made durable", e);
    }
  }

  private void forceFull() throws IOException {
    for (DiskFile each = full.poll(); each != null; each = full.poll()) {
      try (DiskFile open = each) {
        open.force();
      }
    }
  }

  /** Deletes room for segments that was one. */
  public void discardSpares() throws IOException {
    supply.discardUsed();
  }

  /** What is not used of the newest segment becomes zeros: it may be records of an older one. */
  public void eraseRest(SavedPoint point) throws IOException {
    DiskFile open = file;
    if (open != null) {
      long end = open.size();
      byte[] zeros = new byte[CHUNK_BYTES];
      long from = point.endOffset() + padding(point.endOffset());
      for (long at = from; at < end; at += CHUNK_BYTES) {
        open.write(zeros, 0, (int) Math.min(CHUNK_BYTES, end - at), at);
      }
    }
  }

  /** {@return the newest segment; null if there is none} It is closed by the saver. */
  public @Nullable DiskFile newest() {
    return file;
  }

  /**
   * Makes durable what was written when a segment was the newest, and the names of all segments. A
   * save may have begun before a segment was full, and state what was applied after that: it must
   * not count on a later task of the saver.
   */
  public void force(@Nullable DiskFile newest) throws IOException {
    if (newest != null) {
      newest.force(); // first: if it is full by now, it is closed next
      forceFull();
      disk.forceDirectory(segments.directory());
    }
  }

  /** Closes the files without a sync. */
  public void close() throws IOException {
    DiskFile open = file;
    file = null;
    if (open != null) {
      full.add(open);
    }
    for (DiskFile each = full.poll(); each != null; each = full.poll()) {
      each.close();
    }
  }
}
