package dev.holdfast.journal;

import dev.holdfast.journal.file.JournalBounds;
import dev.holdfast.journal.file.SegmentHeader;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import java.security.SecureRandom;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Options of a {@link FileJournal}. Immutable; start from {@link #DEFAULT}.
 *
 * @param disk the disk that holds the files
 * @param segmentBytes size of a segment, a multiple of 4096, at least 8192. The first segments of a
 *     new journal are smaller and grow towards it; a larger record gets its own segment
 * @param gatherBytesMax maximum bytes gathered in memory while a group is written, 64 KiB to 256
 *     MiB; appends wait beyond that. The journal keeps two buffers of at most this size. A record
 *     of more than a quarter of it is not copied: its append waits until it is durable
 * @param heldSegmentsMax maximum number of segments that views may hold back before they are asked
 *     for a checkpoint, at least 1
 * @param lingerNanos the time after which records without a waiter are written, at the latest after
 *     twice this time
 * @param history how long records are kept that no view needs
 * @param salts random numbers that distinguish the groups of a segment from any other bytes;
 *     thread-safe
 * @param recoveryBytesMax maximum bytes of records that opening keeps in memory until all views
 *     have recovered, at least 0; records beyond it are read again for each view
 * @param payloadBytesMax maximum length of the payload of a record, from 1 to {@link
 *     Journal#PAYLOAD_BYTES_MAX}
 */
public record JournalOptions(
    Disk disk,
    long segmentBytes,
    int gatherBytesMax,
    int heldSegmentsMax,
    long lingerNanos,
    HistoryOptions history,
    LongSupplier salts,
    long recoveryBytesMax,
    int payloadBytesMax) {

  /**
   * 64-MiB segments on the real disk, 8 MiB gathered, 4 segments held, 5 ms; opening keeps up to an
   * eighth of the heap, at most 256 MiB.
   */
  public static final JournalOptions DEFAULT =
      new JournalOptions(
          new FileDisk(),
          64L << 20,
          8 << 20,
          4,
          5_000_000,
          HistoryOptions.NONE,
          new SecureRandom()::nextLong,
          Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 8),
          Journal.PAYLOAD_BYTES_MAX);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a number is out of its range
   */
  public JournalOptions {
    if (segmentBytes % SegmentHeader.PAGE_BYTES != 0
        || segmentBytes < 2L * SegmentHeader.PAGE_BYTES) {
      throw new IllegalArgumentException(
          "segmentBytes is a multiple of 4096, at least 8192, got " + segmentBytes);
    }
    if (gatherBytesMax < 64 << 10 || gatherBytesMax > 256 << 20) {
      throw new IllegalArgumentException(
          "gatherBytesMax is from 64 KiB to 256 MiB, got " + gatherBytesMax);
    }
    if (heldSegmentsMax < 1) {
      throw new IllegalArgumentException("heldSegmentsMax is at least 1, got " + heldSegmentsMax);
    }
    if (lingerNanos < 0) {
      throw new IllegalArgumentException("lingerNanos is at least 0, got " + lingerNanos);
    }
    if (recoveryBytesMax < 0) {
      throw new IllegalArgumentException("recoveryBytesMax is at least 0, got " + recoveryBytesMax);
    }
    if (payloadBytesMax < 1 || payloadBytesMax > Journal.PAYLOAD_BYTES_MAX) {
      throw new IllegalArgumentException(
          "payloadBytesMax is from 1 to " + Journal.PAYLOAD_BYTES_MAX + ", got " + payloadBytesMax);
    }
  }

  /** {@return these options on another disk} */
  public JournalOptions withDisk(Disk newDisk) {
    return with(draft -> draft.disk = newDisk);
  }

  /**
   * {@return these options with another segment size}
   *
   * @throws IllegalArgumentException if it is out of its range
   */
  public JournalOptions withSegmentBytes(long newSegmentBytes) {
    return with(draft -> draft.segmentBytes = newSegmentBytes);
  }

  /**
   * {@return these options with another limit of gathered bytes}
   *
   * @throws IllegalArgumentException if it is out of its range
   */
  public JournalOptions withGatherBytesMax(int newGatherBytesMax) {
    return with(draft -> draft.gatherBytesMax = newGatherBytesMax);
  }

  /**
   * {@return these options with another number of segments that views may hold back}
   *
   * @throws IllegalArgumentException if it is out of its range
   */
  public JournalOptions withHeldSegmentsMax(int newHeldSegmentsMax) {
    return with(draft -> draft.heldSegmentsMax = newHeldSegmentsMax);
  }

  /** {@return these options with other history options} */
  public JournalOptions withHistory(HistoryOptions newHistory) {
    return with(draft -> draft.history = newHistory);
  }

  /** {@return these options with another source of random numbers} */
  public JournalOptions withSalts(LongSupplier newSalts) {
    return with(draft -> draft.salts = newSalts);
  }

  /**
   * {@return these options with another limit of bytes kept while views recover}
   *
   * @throws IllegalArgumentException if it is negative
   */
  public JournalOptions withRecoveryBytesMax(long newRecoveryBytesMax) {
    return with(draft -> draft.recoveryBytesMax = newRecoveryBytesMax);
  }

  /**
   * {@return these options with another limit of the payload of a record}
   *
   * @throws IllegalArgumentException if it is out of its range
   */
  public JournalOptions withPayloadBytesMax(int newPayloadBytesMax) {
    return with(draft -> draft.payloadBytesMax = newPayloadBytesMax);
  }

  /**
   * {@return the size of the segment after another one, in bytes}
   *
   * @param previousBytes the size of that one; 0 if there is none
   */
  public long segmentBytesAfter(long previousBytes) {
    return Math.min(segmentBytes, Math.max(JournalBounds.FIRST_SEGMENT_BYTES, 2 * previousBytes));
  }

  /** {@return the size of a segment that is begun though the one before it is not full} */
  long shortSegmentBytes() {
    return Math.min(segmentBytes, JournalBounds.SHORT_SEGMENT_BYTES);
  }

  /** {@return the size from which a payload is written directly instead of being copied} */
  int largeRecordBytes() {
    return gatherBytesMax / 4;
  }

  private JournalOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.options();
  }

  /** Options that are being changed. */
  private static final class Draft {
    private Disk disk;
    private long segmentBytes;
    private int gatherBytesMax;
    private int heldSegmentsMax;
    private final long lingerNanos;
    private HistoryOptions history;
    private LongSupplier salts;
    private long recoveryBytesMax;
    private int payloadBytesMax;

    Draft(JournalOptions options) {
      disk = options.disk;
      segmentBytes = options.segmentBytes;
      gatherBytesMax = options.gatherBytesMax;
      heldSegmentsMax = options.heldSegmentsMax;
      lingerNanos = options.lingerNanos;
      history = options.history;
      salts = options.salts;
      recoveryBytesMax = options.recoveryBytesMax;
      payloadBytesMax = options.payloadBytesMax;
    }

    JournalOptions options() {
      return new JournalOptions(
          disk,
          segmentBytes,
          gatherBytesMax,
          heldSegmentsMax,
          lingerNanos,
          history,
          salts,
          recoveryBytesMax,
          payloadBytesMax);
    }
  }
}
