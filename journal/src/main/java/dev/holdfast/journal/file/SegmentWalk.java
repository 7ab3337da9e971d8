package dev.holdfast.journal.file;

import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.spi.RecordVisitor;
import dev.holdfast.spi.RecoveryLog.Selection;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Walks over the groups of one segment, from front to back. All readers of segments use it, so the
 * rule which group continues another is written once; {@code docs/formats/journal.md} states it.
 *
 * <p>A reader decides two things. A {@link Step} says what the reader asks of a group besides a
 * header that continues the group before, and what it takes from the group. The method says what
 * happens where no group continues: {@link #next} stops there, {@link #require} refuses the
 * segment, and {@link #resume} goes on after the damage. {@link #laterGroup} distinguishes a torn
 * tail from damage.
 *
 * <p>Confined to one thread.
 */
public final class SegmentWalk {

  /** Takes a group if it is whole: for a reader that knows that its records are. */
  public static final Step HEADER = (_, _, _) -> true;

  /** Takes a group if all of its records are valid. */
  public static final Step RECORDS = SegmentReader::isValid;

  /** Takes a group without records. */
  static final Step EMPTY = (_, group, _) -> group.recordCount() == 0;

  /** What a reader does with a group. */
  @FunctionalInterface
  public interface Step {

    /**
     * Takes a group.
     *
     * @param reader has its records
     * @param group the header, which continues the group before
     * @param offset of the group
     * @return whether the group is valid, as far as the reader asks
     * @throws IOException if it cannot be read
     */
    boolean take(SegmentReader reader, GroupHeader group, long offset) throws IOException;
  }

  /**
   * A step that passes records to a visitor, each after its checksum was verified.
   *
   * @param first records before this position are left out, and a group before it is not read
   * @param last records after this position are left out
   * @param wanted the records to pass
   * @param visitor gets them
   */
  public record Selected(long first, long last, Selection wanted, RecordVisitor visitor)
      implements Step {

    /** Passes all records of a kind that a reader wants, from a position on. */
    public static Selected from(long first, Selection wanted, RecordVisitor visitor) {
      return new Selected(first, Long.MAX_VALUE, wanted, visitor);
    }

    @Override
    public boolean take(SegmentReader reader, GroupHeader group, long offset) throws IOException {
      return group.nextPosition() <= first
          || reader.read(
              group,
              offset,
              record -> wanted.includes(record.viewId(), record.kind()),
              record -> {
                if (record.position() >= first && record.position() <= last) {
                  visitor.visit(record);
                }
              });
    }
  }

  /**
   * The start of a group, or the end of the last one.
   *
   * @param segment first position of its segment
   * @param position of its first record
   * @param offset in the segment
   */
  public record Place(long segment, long position, long offset) {

    /**
     * {@return the start of the first group of a segment}
     *
     * @param segment its first position
     */
    public static Place startOf(long segment) {
      return new Place(segment, segment, SegmentHeader.LENGTH_BYTES);
    }

    /**
     * {@return this place if a walk to a position can begin here; else the start of its segment}
     *
     * @param target the first position of the segment that has the position
     * @param searched the position
     */
    public Place towards(long target, long searched) {
      return segment == target && position <= searched ? this : startOf(target);
    }
  }

  /**
   * Groups that follow each other.
   *
   * @param firstPosition the first record of the first one
   * @param bytes the groups, after room for the header of a segment
   */
  public record Groups(long firstPosition, ByteBuffer bytes) {}

  private final SegmentReader reader;
  private final long segment;
  private final long salt;
  private long position;
  private long offset;
  private long groupOffset;

  /**
   * Begins a walk.
   *
   * @param reader reads the segment
   * @param salt of the segment: groups of another one are not seen
   * @param from the start of a group
   */
  public SegmentWalk(SegmentReader reader, long salt, Place from) {
    this.reader = reader;
    this.salt = salt;
    this.segment = from.segment();
    this.position = from.position();
    this.offset = from.offset();
    this.groupOffset = from.offset();
  }

  /**
   * {@return a walk over a whole segment}
   *
   * @param reader reads the segment
   * @param header of the segment
   */
  public static SegmentWalk of(SegmentReader reader, SegmentHeader header) {
    return new SegmentWalk(reader, header.salt(), Place.startOf(header.firstPosition()));
  }

  /** {@return the position of the next record} */
  public long position() {
    return position;
  }

  /** {@return the offset where the next group is expected} */
  public long offset() {
    return offset;
  }

  /** {@return the offset of the last group that was passed; the start of the walk if none was} */
  public long groupOffset() {
    return groupOffset;
  }

  /** {@return where the next group is expected} */
  public Place place() {
    return new Place(segment, position, offset);
  }

  /**
   * Passes a group.
   *
   * @param step takes the group
   * @return the header of the group; null if no group continues here, or the step does not take it
   * @throws IOException if it cannot be read
   */
  public @Nullable GroupHeader next(Step step) throws IOException {
    GroupHeader group = continuing();
    if (group == null || !step.take(reader, group, offset)) {
      return null;
    }
    pass(group);
    return group;
  }

  /**
   * Passes a group that must be there.
   *
   * @param step takes the group
   * @param damage a part of a sentence that says what is wrong otherwise
   * @return the header of the group
   * @throws JournalCorruptException if no group continues here, or the step does not take it
   * @throws IOException if it cannot be read
   */
  public GroupHeader require(Step step, String damage) throws IOException {
    GroupHeader group = next(step);
    if (group == null) {
      throw new JournalCorruptException(reader.path(), offset, position, damage);
    }
    return group;
  }

  /**
   * Passes all groups up to a position; each must be there.
   *
   * @param last the position of the last record
   * @param step takes the groups
   * @param damage a part of a sentence that says what is wrong otherwise
   * @throws JournalCorruptException if a group is missing, or the step does not take it
   * @throws IOException if one cannot be read
   */
  public void requireUpTo(long last, Step step, String damage) throws IOException {
    while (position <= last) {
      require(step, damage);
    }
  }

  /**
   * Reads whole groups, from the one that has a position on.
   *
   * @param searched the position, which is not before the walk
   * @param last later groups than the one with this position are left out
   * @param bytesMax the size beyond which no second group is added
   * @return the groups, whose records are not checked; null if no group with the position is found
   * @throws IOException if they cannot be read
   */
  public @Nullable Groups read(long searched, long last, int bytesMax) throws IOException {
    GroupHeader group = continuing();
    while (group != null && group.nextPosition() <= searched) {
      pass(group);
      group = continuing();
    }
    if (group == null) {
      return null;
    }
    long first = position;
    long from = offset;
    do {
      pass(group);
      group = continuing();
    } while (group != null
        && group.nextPosition() - 1 <= last
        && offset + group.groupBytes() - from <= bytesMax);
    byte[] bytes = new byte[Math.toIntExact(SegmentHeader.LENGTH_BYTES + offset - from)];
    reader.read(from, bytes, SegmentHeader.LENGTH_BYTES);
    return new Groups(first, ByteBuffer.wrap(bytes));
  }

  /** {@return whether a header of a group of this segment is here, whether it continues or not} */
  boolean isAtGroup() throws IOException {
    return reader.groupAt(offset, salt) != null;
  }

  /** {@return whether the header of a group that continues is here} */
  public boolean isAtContinuing() throws IOException {
    return continuing() != null;
  }

  private @Nullable GroupHeader continuing() throws IOException {
    GroupHeader group = reader.groupAt(offset, salt);
    return group != null && group.firstPosition() == position ? group : null;
  }

  private void pass(GroupHeader group) {
    groupOffset = offset;
    offset += group.groupBytes();
    position = group.nextPosition();
  }

  /**
   * Searches for a group after the place where the walk has stopped. A torn tail has none, because
   * each group was durable before the next one was begun.
   *
   * @return its offset; -1 if there is none
   */
  long laterGroup() throws IOException {
    // A header directly at the end belongs to the torn group if it has the expected position.
    return reader.findGroup(isAtContinuing() ? offset + 8 : offset, salt, position);
  }

  /**
   * Bytes between valid groups, or between the last one and evidence of later ones.
   *
   * @param offset where they begin
   * @param firstPosition the first position that cannot be read
   * @param endPosition the first position that can be read again, or is known to have existed
   */
  public record Hole(long offset, long firstPosition, long endPosition) {}

  /**
   * Goes on at the first valid group after the place where the walk has stopped; stays there if
   * there is none.
   *
   * @return what cannot be read; null if nothing shows that there was more
   */
  public @Nullable Hole resume() throws IOException {
    long known = position;
    for (long at = laterGroup(); at >= 0; at = reader.findGroup(at + 8, salt, position)) {
      GroupHeader group = reader.groupAt(at, salt);
      if (group != null && reader.isValid(group, at)) {
        Hole hole = new Hole(offset, position, group.firstPosition());
        offset = at;
        position = group.firstPosition();
        return hole;
      }
      known = group == null ? known : Math.max(known, group.nextPosition());
    }
    return known > position ? new Hole(offset, position, known) : null;
  }
}
