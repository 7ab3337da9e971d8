package dev.holdfast.journal.group;

import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.journal.file.GroupHeader;
import dev.holdfast.journal.file.SegmentHeader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The records that one flush will write, and the waiters for it.
 *
 * <p>Guarded by the lock of its journal while it gathers. After that the bytes belong to the thread
 * that writes it; the waiters stay guarded by the lock.
 */
public final class Group {

  /** The place of a group: after the group before it, or at the start of a segment. */
  public record Place(long offsetBytes, long segmentBytes) {

    /** Before the first segment. */
    public static final Place NOWHERE = new Place(0, 0);

    /** {@return the place of the first group of a segment} */
    public static Place first(long segmentBytes) {
      return new Place(SegmentHeader.LENGTH_BYTES, segmentBytes);
    }

    public Place behind(long groupBytes) {
      return new Place(offsetBytes + groupBytes, segmentBytes);
    }

    public boolean isFirst() {
      return offsetBytes == SegmentHeader.LENGTH_BYTES;
    }
  }

  private static final int BUFFER_BYTES_MIN = 16 << 10;

  private final long firstPosition;
  private Place place;
  private byte[] buffer;
  private int lengthBytes = GroupHeader.LENGTH_BYTES;
  private int recordCount;
  private final CRC32C digest = new CRC32C();
  private final byte[] checksumBytes = new byte[4];
  private @Nullable ByteBuffer largePayload;
  private long lowWaterMark;

  /** Whether a caller needs this group to be written soon. */
  private boolean demanded;

  private final List<DurabilityWaiter> waiters = new ArrayList<>(0);
  private final List<DurableCallback> callbacks = new ArrayList<>(0);
  private @Nullable DurabilityWaiter candidate;

  // Written before the group is passed to the notifier, which owns it from then on.
  private @Nullable JournalFailedException failure;
  private @Nullable Group notifiedAfter;
  private boolean handedOver;

  Group(long firstPosition, Place place, byte[] buffer) {
    assert firstPosition > 0;
    this.firstPosition = firstPosition;
    this.place = place;
    this.buffer = buffer.length == 0 ? new byte[BUFFER_BYTES_MIN] : buffer;
  }

  public boolean isEmpty() {
    return recordCount == 0;
  }

  /**
   * Returns whether the segment has room for a record after those gathered, and after it for the
   * group without records that is written when the journal is closed.
   */
  public boolean segmentHasRoom(long recordBytes) {
    long end = place.offsetBytes() + groupBytes() + recordBytes + GroupHeader.LENGTH_BYTES;
    return end <= place.segmentBytes();
  }

  /** {@return whether the segment has room for this group without records} */
  public boolean segmentHasRoomToClose() {
    return place.offsetBytes() + GroupHeader.LENGTH_BYTES <= place.segmentBytes();
  }

  /** {@return the size that a segment needs to begin with a record} */
  public static long segmentBytesFor(long recordBytes) {
    return SegmentHeader.LENGTH_BYTES + 2L * GroupHeader.LENGTH_BYTES + recordBytes;
  }

  /** {@return whether the buffer has room for a record that will be copied} */
  boolean bufferHasRoom(long recordBytes, int gatherBytesMax) {
    return largePayload == null && (isEmpty() || lengthBytes + recordBytes <= gatherBytesMax);
  }

  /** Moves the group, still empty, to the start of the next segment. */
  void beginSegment(Place first) {
    assert isEmpty();
    place = first;
  }

  /**
   * Grows the buffer for a record, beyond the bytes of a full group only if the record needs it. If
   * there is no memory, nothing has changed.
   */
  void makeRoom(PendingRecord record, boolean isLarge, int gatherBytesMax) {
    long own = isLarge ? record.head().length : record.recordBytes();
    int bytes = Math.toIntExact(lengthBytes + record.bytesBefore() + own);
    // In proportion, so that a group is not copied for each record.
    int target = Math.max(bytes, Math.min(2 * buffer.length, gatherBytesMax));
    if (bytes + SegmentHeader.PAGE_BYTES > buffer.length) {
      buffer = Arrays.copyOf(buffer, target + SegmentHeader.PAGE_BYTES); // to pad the last page
    }
  }

  /** Adds a stamped record after {@link #makeRoom}, with a copy of its payload. */
  void add(PendingRecord record) {
    assert largePayload == null;
    int end = Math.toIntExact(lengthBytes + record.recordBytes());
    assert end + SegmentHeader.PAGE_BYTES <= buffer.length;
    putHead(record);
    ByteBuffer payload = record.payload();
    payload.get(payload.position(), buffer, lengthBytes, payload.remaining());
    Arrays.fill(buffer, lengthBytes + payload.remaining(), end, (byte) 0);
    lengthBytes = end;
  }

  /**
   * Adds a stamped record without copying its payload, which must stay unchanged until the flush;
   * no record may follow, and only the one that stays with it may be before it.
   */
  void addLarge(PendingRecord record) {
    assert recordCount == (record.before() == null ? 0 : 1);
    putHead(record);
    largePayload = record.payload();
  }

  private void putHead(PendingRecord record) {
    byte[] head = record.head();
    System.arraycopy(head, 0, buffer, lengthBytes, head.length);
    lengthBytes += head.length;
    System.arraycopy(head, 4, checksumBytes, 0, 4);
    digest.update(checksumBytes, 0, 4);
    recordCount++;
  }

  /** Ends the gathering. */
  void seal(long mark) {
    assert isEmpty() || place.offsetBytes() + groupBytes() <= place.segmentBytes();
    assert mark >= lowWaterMark;
    lowWaterMark = mark;
  }

  public GroupHeader header(long salt) {
    return new GroupHeader(
        salt,
        firstPosition,
        recordCount,
        (int) digest.getValue(),
        groupBytes() - GroupHeader.LENGTH_BYTES,
        lowWaterMark);
  }

  public int recordCount() {
    return recordCount;
  }

  /** {@return length of the group in bytes, header and padding included} */
  public long groupBytes() {
    long large = largePayload == null ? 0 : largePayload.remaining();
    return (lengthBytes + large + 7) & ~7L;
  }

  public long firstPosition() {
    return firstPosition;
  }

  public long lastPosition() {
    return firstPosition + recordCount - 1;
  }

  public Place place() {
    return place;
  }

  public long lowWaterMark() {
    return lowWaterMark;
  }

  /** {@return the bytes; space for the group header is reserved at the start} */
  public byte[] buffer() {
    return buffer;
  }

  /** {@return the number of bytes used in the buffer} */
  public int lengthBytes() {
    return lengthBytes;
  }

  public @Nullable ByteBuffer largePayload() {
    return largePayload;
  }

  public void demand() {
    demanded = true;
  }

  public boolean isDemanded() {
    return demanded;
  }

  public void addWaiter(DurabilityWaiter waiter) {
    demanded = true;
    waiters.add(waiter);
    if (candidate == null && waiter.mayLead()) {
      candidate = waiter;
    }
  }

  public void addCallback(DurableCallback callback) {
    demanded = true;
    callbacks.add(callback);
  }

  /** {@return the first waiter that may lead the flush of this group; null if there is none} */
  public @Nullable DurabilityWaiter candidate() {
    return candidate;
  }

  public List<DurabilityWaiter> waiters() {
    return waiters;
  }

  public List<DurableCallback> callbacks() {
    return callbacks;
  }

  /** Records that this group will never be durable. */
  public void failed(JournalFailedException why) {
    assert failure == null || failure == why;
    failure = why;
  }

  /** {@return why this group will never be durable; null if it is} */
  public @Nullable JournalFailedException failure() {
    return failure;
  }

  /**
   * {@return whether this is the first call: a waiter that was notified of a failure is not
   * notified of a success}
   */
  public boolean handOver() {
    boolean first = !handedOver;
    handedOver = true;
    return first;
  }

  /** Links the group into a queue of settled groups. */
  public void notifiedAfter(@Nullable Group before) {
    notifiedAfter = before;
  }

  public @Nullable Group notifiedAfter() {
    return notifiedAfter;
  }
}
