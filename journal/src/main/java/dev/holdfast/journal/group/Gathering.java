package dev.holdfast.journal.group;

import dev.holdfast.journal.file.JournalBounds;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The groups of a journal that are not durable yet, the positions they hold, and a buffer for the
 * next one: one group gathers, and those sealed before it are in flight, in order. A journal that
 * writes to its own disk has one in flight, one that proposes to a replicated log several.
 *
 * <p>Guarded by the lock of the journal, except the positions, which any thread may read.
 */
public final class Gathering {

  /**
   * The point from which a journal continues.
   *
   * @param lastPosition the last record
   * @param place where the next group goes
   */
  public record Start(long lastPosition, Group.Place place) {}

  private final int gatherBytesMax;
  private final int largeRecordBytes;

  // Ring buffers: a leader that has no memory left can still record where its group begins.
  private final long[] beginPositions = new long[JournalBounds.GROUP_BEGINS_MAX];
  private final long[] beginOffsets = new long[JournalBounds.GROUP_BEGINS_MAX];
  private int begins;

  private Group gathering;

  /** Its first capacity is that of any journal: sealing needs no memory for it. */
  private final ArrayDeque<Group> inFlight = new ArrayDeque<>();

  private byte[] idleBuffer = new byte[0];

  /**
   * If seen true by another append, an error (out of memory, for example) ended this one midway.
   */
  private boolean adding;

  /** The error that ended an append midway, if it could be caught. */
  private @Nullable Throwable torn;

  private volatile long lastPosition;
  private volatile long durablePosition;

  /**
   * @param gatherBytesMax maximum bytes of a group
   * @param largeRecordBytes a larger record is not copied, and has a group of its own
   */
  public Gathering(int gatherBytesMax, int largeRecordBytes, Start start) {
    this.gatherBytesMax = gatherBytesMax;
    this.largeRecordBytes = largeRecordBytes;
    this.lastPosition = start.lastPosition();
    this.durablePosition = start.lastPosition();
    this.gathering = new Group(start.lastPosition() + 1, start.place(), idleBuffer);
  }

  /** {@return the group that takes the next record} */
  public Group group() {
    return gathering;
  }

  /** {@return the oldest group in flight; null if there is none} */
  public @Nullable Group inFlight() {
    return inFlight.peek();
  }

  /** {@return all groups in flight, the oldest first} */
  public List<Group> allInFlight() {
    return List.copyOf(inFlight);
  }

  /** {@return how many groups are in flight} */
  public int inFlightCount() {
    return inFlight.size();
  }

  public long lastPosition() {
    return lastPosition;
  }

  public long durablePosition() {
    return durablePosition;
  }

  /** {@return the group that holds a position that is appended and not yet durable} */
  public Group groupOf(long position) {
    assert position > durablePosition && position <= lastPosition;
    for (Group sealed : inFlight) {
      if (position <= sealed.lastPosition()) {
        return sealed;
      }
    }
    return gathering;
  }

  public boolean hasRoom(PendingRecord record) {
    long bytes = record.allBytes();
    return gathering.segmentHasRoom(bytes)
        && (isLarge(record) ? gathering.isEmpty() : gathering.bufferHasRoom(bytes, gatherBytesMax));
  }

  /** {@return whether a record is written directly from its payload, instead of being copied} */
  public boolean isLarge(PendingRecord record) {
    return record.recordBytes() > largeRecordBytes;
  }

  /** Adds a record and returns its position. If memory is short, it fails before any change. */
  public long append(PendingRecord record, long wallMillis) {
    assert !adding;
    gathering.makeRoom(record, isLarge(record), gatherBytesMax);
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
  public boolean isTorn() {
    return adding;
  }

  public IllegalStateException tornAppend() {
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
  public void beginSegment(Group.Place place) {
    gathering.beginSegment(place);
    begins = 0;
  }

  /** Records where a group of the newest segment begins, all groups before it being durable. */
  public void noteBegin(long position, long offset) {
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
  public @Nullable Start startBefore(long position) {
    for (int i = begins - 1; i >= Math.max(0, begins - JournalBounds.GROUP_BEGINS_MAX); i--) {
      long begin = beginPositions[i % JournalBounds.GROUP_BEGINS_MAX];
      if (begin <= position) {
        return new Start(
            begin - 1,
            new Group.Place(
                beginOffsets[i % JournalBounds.GROUP_BEGINS_MAX],
                gathering.place().segmentBytes()));
      }
    }
    return null;
  }

  /**
   * Seals the gathering group, which is in flight from now on; a new one gathers next.
   *
   * @throws IllegalStateException if an append has ended in the middle of a record
   */
  public Group seal(long lowWaterMark) {
    return seal(lowWaterMark, gathering.place().behind(gathering.groupBytes()));
  }

  /** Seals the gathering group, which has no record and is not written: the next has its place. */
  public Group sealUnwritten() {
    assert gathering.isEmpty();
    return seal(0, gathering.place());
  }

  private Group seal(long lowWaterMark, Group.Place nextPlace) {
    if (adding) {
      throw tornAppend();
    }
    Group sealed = gathering;
    Group next = new Group(lastPosition + 1, nextPlace, idleBuffer);
    sealed.seal(lowWaterMark);
    idleBuffer = new byte[0];
    inFlight.add(sealed);
    gathering = next;
    assert next.firstPosition() == sealed.lastPosition() + 1;
    return sealed;
  }

  /** Records that the oldest group in flight is durable. */
  public void flushed() {
    Group flushed = inFlight.poll();
    if (flushed != null) {
      assert flushed.firstPosition() == durablePosition + 1;
      durablePosition = flushed.lastPosition();
      idleBuffer = flushed.buffer();
    }
  }
}
