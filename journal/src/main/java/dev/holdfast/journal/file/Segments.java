package dev.holdfast.journal.file;

import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The segment files of a journal directory, in the order of their positions. Thread-safe: the
 * leader adds, one thread of the journal removes, recovery reads.
 */
public final class Segments {

  private static final Pattern SEGMENT_NAME = Pattern.compile("[0-7][0-9a-f]{15}\\.log");

  private static final Pattern INDEX_NAME = Pattern.compile("[0-7][0-9a-f]{15}\\.index");

  private final Path directory;
  private final ConcurrentSkipListSet<Long> firstPositions = new ConcurrentSkipListSet<>();

  private Segments(Path directory) {
    this.directory = directory;
  }

  /**
   * Returns which segment a file belongs to.
   *
   * @param file in the directory of a journal
   * @return the first position of the segment that it is, or whose index it is; null if it is
   *     neither
   */
  public static @Nullable Long firstPositionIn(Path file) {
    String name = String.valueOf(file.getFileName());
    return SEGMENT_NAME.matcher(name).matches() || INDEX_NAME.matcher(name).matches()
        ? Long.valueOf(name.substring(0, 16), 16)
        : null;
  }

  public static Segments list(Disk disk, Path directory) throws IOException {
    Segments segments = new Segments(directory);
    for (Path file : disk.list(directory)) {
      String name = String.valueOf(file.getFileName());
      if (SEGMENT_NAME.matcher(name).matches()) {
        segments.add(Long.parseLong(name.substring(0, 16), 16));
      }
    }
    return segments;
  }

  public Path directory() {
    return directory;
  }

  /** {@return the file of the segment that begins with a position} */
  public Path fileOf(long firstPosition) {
    return fileOf(directory, firstPosition);
  }

  /** {@return the file of the segment of a directory that begins with a position} */
  public static Path fileOf(Path directory, long firstPosition) {
    return directory.resolve(String.format("%016x.log", firstPosition));
  }

  /** {@return the file of the index of a segment} */
  public Path indexFileOf(long firstPosition) {
    return directory.resolve(String.format("%016x.index", firstPosition));
  }

  public void add(long firstPosition) {
    firstPositions.add(firstPosition);
  }

  void remove(long firstPosition) {
    firstPositions.remove(firstPosition);
  }

  public boolean isEmpty() {
    return firstPositions.isEmpty();
  }

  /** {@return the oldest segment; null if there is none} */
  public @Nullable Long oldest() {
    return firstPositions.ceiling(0L); // one step: the last one may be removed by another thread
  }

  /** {@return how many segments there are} */
  public int count() {
    return firstPositions.size();
  }

  /** {@return the segment that holds a position; null if it was deleted} */
  public @Nullable Long holding(long position) {
    return firstPositions.floor(position);
  }

  /** {@return the segment before one; null if it is the oldest} */
  @Nullable Long before(long firstPosition) {
    return firstPositions.lower(firstPosition);
  }

  /** {@return the segment after one; null if it is the newest} */
  public @Nullable Long after(long firstPosition) {
    return firstPositions.higher(firstPosition);
  }

  public long newest() {
    return firstPositions.last();
  }

  /**
   * Returns the first positions of the segments from the one that holds a position on, in order.
   *
   * @param position if it is before all segments, all are returned
   */
  public List<Long> from(long position) {
    Long holder = firstPositions.floor(position);
    return new ArrayList<>(holder == null ? firstPositions : firstPositions.tailSet(holder, true));
  }

  /** {@return the first positions of the segments that are entirely before a position, in order} */
  public List<Long> entirelyBefore(long position) {
    Long holder = firstPositions.floor(position);
    return holder == null ? List.of() : new ArrayList<>(firstPositions.headSet(holder, false));
  }
}
