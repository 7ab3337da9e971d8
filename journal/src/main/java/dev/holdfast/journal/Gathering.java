package dev.holdfast.journal;

import dev.holdfast.journal.file.JournalBounds;
import org.jspecify.annotations.Nullable;

/**
 * The two groups of group commit, the positions they hold and the two buffers that they alternate
 * between.
 *
 * <p>Guarded by the lock of {@link GroupCommit}, except the positions, which any thread may read.
 */
final class Gathering {

  private final JournalOptions options;

  // Ring buffers: a leader that has no memory left can still record where its group begins.
  private final long[] beginPositions = new long[JournalBounds.GROUP_BEGINS_MAX];
  private final long[] beginOffsets = new long[JournalBounds.GROUP_BEGINS_MAX];
  private int begins;

  private Group gathering;
  private @Nullable Group flushing;
  private byte[] idleBuffer = new byte[0];

  /**
   * If seen true by another append, an error (out of memory, for example) ended this one midway.
   */
  private boolean adding;

  /** The error that ended an append midway, if it could be caught. */
  private @Nullable Throwable torn;

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

  /** {@return the group that is being written; null if there is none} */
  @Nullable Group inFlight() {
    return flushing;
  }

  long lastPosition() {
    return lastPosition;
  }

  long durablePosition() {
    return durablePosition;
  }

  /** {@return the group that holds a position that is appended and not yet durable} */
  Group groupOf(long position) {
    assert position > durablePosition && position <= lastPosition;
    Group inFlight = flushing;
    return inFlight != null && position <= inFlight.lastPosition() ? inFlight : gathering;
  }

  boolean hasRoom(PendingRecord record) {
    long bytes = record.allBytes();
    return gathering.segmentHasRoom(bytes)
        && (isLarge(record)
            ? gathering.isEmpty()
            : gathering.bufferHasRoom(bytes, options.gatherBytesMax()));
  }

  /** {@return whether a record is written directly from its payload, instead of being copied} */
  boolean isLarge(PendingRecord record) {
    return record.recordBytes() > options.largeRecordBytes();
  }

  /** Adds a record and returns its position. If memory is short, it fails before any change. */
  long append(PendingRecord record, long wallMillis) {
    assert !adding;
    gathering.makeRoom(record, isLarge(record));
    record.stamp(wallMillis);
    adding = true;
    try {
      long position = add(record);
      adding = false;
      return position;
    } catch (RuntimeException | Error e) {
      torn = e;
      throw e;
    }
  }

  /**
   * {@return whether an append has ended in the middle of a record: the group cannot be written}
   */
  boolean isTorn() {
    return adding;
  }

  IllegalStateException tornAppend() {
    return new IllegalStateException("An append has ended in the middle of a record.", torn);
  }

  private long add(PendingRecord record) {
    assert gathering.lastPosition() == lastPosition;
    PendingRecord before = record.before();
    if (before != null) {
      gathering.add(before);
    }
    if (isLarge(record)) {
      gathering.addLarge(record);
    } else {
      gathering.add(record);
    }
    assert gathering.lastPosition() == lastPosition + (before == null ? 1 : 2);
    lastPosition = gathering.lastPosition();
    return lastPosition;
  }

  /** Makes the gathering group, still empty, the first of a segment. */
  void beginSegment(Group.Place place) {
    assert flushing == null;
    gathering.beginSegment(place);
    begins = 0;
  }

  /** Records where a group of the newest segment begins. */
  void noteBegin(long position, long offset) {
    assert begins == 0 || isAfterLastBegin(position, offset);
    if (begins == 2 * JournalBounds.GROUP_BEGINS_MAX) {
      begins = JournalBounds.GROUP_BEGINS_MAX;
    }
    beginPositions[begins % JournalBounds.GROUP_BEGINS_MAX] = position;
    beginOffsets[begins % JournalBounds.GROUP_BEGINS_MAX] = offset;
    begins++;
  }

  /** A group without records, which has only a mark, begins at the position of the next one. */
  private boolean isAfterLastBegin(long position, long offset) {
    int last = (begins - 1) % JournalBounds.GROUP_BEGINS_MAX;
    return beginPositions[last] <= position && beginOffsets[last] <= offset;
  }

  /**
   * {@return the start of the group that holds a position, or of one before it; null if unknown}
   */
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

  /**
   * Seals the gathering group for its flush; the other group gathers next.
   *
   * @throws IllegalStateException if an append has ended in the middle of a record
   */
  Group seal(long lowWaterMark) {
    if (adding) {
      throw tornAppend();
    }
    assert flushing == null || flushing.failure() != null;
    Group sealed = gathering;
    Group next =
        new Group(lastPosition + 1, sealed.place().behind(sealed.groupBytes()), idleBuffer);
    sealed.seal(lowWaterMark);
    idleBuffer = new byte[0];
    flushing = sealed;
    gathering = next;
    assert next.firstPosition() == sealed.lastPosition() + 1;
    return sealed;
  }

  /** Records that the flushing group is durable. */
  void flushed() {
    Group flushed = flushing;
    if (flushed != null) {
      assert flushed.firstPosition() == durablePosition + 1;
      durablePosition = flushed.lastPosition();
      idleBuffer = flushed.buffer();
      flushing = null;
      noteBegin(flushed.firstPosition(), flushed.place().offsetBytes());
    }
  }
}
