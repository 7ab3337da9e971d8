package dev.holdfast.journal;

import dev.holdfast.journal.file.JournalBounds;
import org.jspecify.annotations.Nullable;

/**
 * The two groups of group commit, the positions they hold and the two buffers they take turns with.
 *
 * <p>Guarded by the lock of {@link GroupCommit}, but for the positions, which anybody may read.
 */
final class Gathering {

  private final JournalOptions options;

  // Rings: a leader that has no memory left can still note where its group begins.
  private final long[] beginPositions = new long[JournalBounds.GROUP_BEGINS_MAX];
  private final long[] beginOffsets = new long[JournalBounds.GROUP_BEGINS_MAX];
  private int begins;

  private Group gathering;
  private @Nullable Group flushing;
  private byte[] idleBuffer = new byte[0];
  private volatile long lastPosition;
  private volatile long durablePosition;

  Gathering(JournalOptions options, GroupCommit.Start start) {
    this.options = options;
    this.lastPosition = start.lastPosition();
    this.durablePosition = start.lastPosition();
    this.gathering = new Group(start.lastPosition() + 1, start.place(), idleBuffer);
  }

  /** {@return the group that takes the next record} */
  Group group() {
    return gathering;
  }

  /** {@return the group that is on its way to the disk; null if none is} */
  @Nullable Group inFlight() {
    return flushing;
  }

  long lastPosition() {
    return lastPosition;
  }

  long durablePosition() {
    return durablePosition;
  }

  /** {@return the group that a position, appended and not yet durable, is in} */
  Group groupOf(long position) {
    Group inFlight = flushing;
    return inFlight != null && position <= inFlight.lastPosition() ? inFlight : gathering;
  }

  boolean hasRoom(PendingRecord record) {
    long bytes = record.recordBytes();
    return gathering.segmentHasRoom(bytes)
        && (isLarge(record)
            ? gathering.isEmpty()
            : gathering.bufferHasRoom(bytes, options.gatherBytesMax()));
  }

  /** {@return whether a record is written from where its payload lies, instead of being copied} */
  boolean isLarge(PendingRecord record) {
    return record.recordBytes() > options.largeRecordBytes();
  }

  /**
   * Gives a record its time and takes the memory that it needs. If there is none, nothing has
   * changed.
   */
  void makeRoom(PendingRecord record, long wallMillis) {
    gathering.makeRoom(record, isLarge(record));
    record.stamp(wallMillis);
  }

  /** Adds a record that room was made for, and returns its position. */
  long add(PendingRecord record) {
    if (isLarge(record)) {
      gathering.addLarge(record);
    } else {
      gathering.add(record);
    }
    lastPosition = gathering.lastPosition();
    return lastPosition;
  }

  /** Lets the gathering group, still empty, be the first of a segment. */
  void beginSegment(Group.Place place) {
    gathering.beginSegment(place);
    begins = 0;
  }

  /** Notes where a group of the newest segment begins. */
  void noteBegin(long position, long offset) {
    if (begins == 2 * JournalBounds.GROUP_BEGINS_MAX) {
      begins = JournalBounds.GROUP_BEGINS_MAX;
    }
    beginPositions[begins % JournalBounds.GROUP_BEGINS_MAX] = position;
    beginOffsets[begins % JournalBounds.GROUP_BEGINS_MAX] = offset;
    begins++;
  }

  /** {@return where the group begins that holds a position, or one before it; null if unknown} */
  GroupCommit.@Nullable Start startBefore(long position) {
    for (int i = begins - 1; i >= Math.max(0, begins - JournalBounds.GROUP_BEGINS_MAX); i--) {
      long begin = beginPositions[i % JournalBounds.GROUP_BEGINS_MAX];
      if (begin <= position) {
        return new GroupCommit.Start(
            begin - 1,
            new Group.Place(
                beginOffsets[i % JournalBounds.GROUP_BEGINS_MAX],
                gathering.place().segmentBytes()));
      }
    }
    return null;
  }

  /** Seals the gathering group for its flush and lets the next one gather. */
  Group seal(long lowWaterMark) {
    Group sealed = gathering;
    Group next =
        new Group(lastPosition + 1, sealed.place().behind(sealed.groupBytes()), idleBuffer);
    sealed.seal(lowWaterMark);
    idleBuffer = new byte[0];
    flushing = sealed;
    gathering = next;
    return sealed;
  }

  /** Takes note that the flushing group is durable. */
  void flushed() {
    Group flushed = flushing;
    if (flushed != null) {
      durablePosition = flushed.lastPosition();
      idleBuffer = flushed.buffer();
      flushing = null;
      noteBegin(flushed.firstPosition(), flushed.place().offsetBytes());
    }
  }
}
