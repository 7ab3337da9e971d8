package dev.holdfast.journal.check;

import dev.holdfast.journal.check.SegmentSurvey.Extent;
import dev.holdfast.journal.file.SegmentReader;
import dev.holdfast.journal.file.SegmentWalk;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The groups of a damaged journal that can be read. Confined to one thread. */
public final class SurveyedGroups {

  private final Disk disk;
  private final List<Extent> extents;

  SurveyedGroups(Disk disk, List<Extent> extents) {
    this.disk = disk;
    this.extents = List.copyOf(extents);
  }

  /**
   * Records that can be read, without a gap.
   *
   * @param firstPosition the first of them
   * @param endPosition the position after the last
   */
  public record Stretch(long firstPosition, long endPosition) {}

  /**
   * Groups that follow each other.
   *
   * @param file the segment that has them
   * @param salt that of the segment
   * @param begunMillis when the segment was begun, milliseconds since 1970
   * @param found the groups
   */
  @SuppressWarnings("exports") // verify sees the package of the groups
  public record Groups(Path file, long salt, long begunMillis, SegmentWalk.Groups found) {}

  /** {@return what can be read, in the order of the segments} */
  public List<Stretch> stretches() {
    return extents.stream()
        .filter(each -> each.endPosition() > each.firstPosition())
        .map(each -> new Stretch(each.firstPosition(), each.endPosition()))
        .toList();
  }

  /**
   * Reads the group that has a record, and later ones.
   *
   * @param position the position of the record, which can be read
   * @param bytesMax the size beyond which no second group is added
   * @return the groups
   * @throws IOException if they cannot be read any more
   */
  public Groups read(long position, int bytesMax) throws IOException {
    for (Extent each : extents) {
      if (each.firstPosition() <= position && position < each.endPosition()) {
        return read(each, position, bytesMax);
      }
    }
    throw new IllegalArgumentException("Position " + position + " cannot be read");
  }

  private Groups read(Extent extent, long position, int bytesMax) throws IOException {
    try (SegmentReader reader = SegmentReader.open(disk, extent.file())) {
      SegmentWalk.Groups found =
          new SegmentWalk(reader, extent.salt(), extent.start())
              .read(position, extent.endPosition() - 1, bytesMax);
      if (found == null) {
        throw new IOException(extent.file() + " was valid a moment ago, and no longer is");
      }
      return new Groups(extent.file(), extent.salt(), extent.begunMillis(), found);
    }
  }
}
