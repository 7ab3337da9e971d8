package dev.holdfast.journal;

import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.journal.file.JournalChunk;
import dev.holdfast.journal.file.SegmentHeader;
import dev.holdfast.journal.file.SegmentHistory;
import dev.holdfast.journal.file.SegmentReader;
import dev.holdfast.journal.file.SegmentWalk;
import dev.holdfast.journal.file.Segments;
import java.io.IOException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads durable groups of an open journal, for an archive. {@link #read} is confined to one thread;
 * the other methods are thread-safe.
 */
public final class JournalTail {

  private final Segments segments;
  private final SegmentHistory history;
  private final LongSupplier durablePosition;

  /** Where the last chunk ended, so that the next one is found without a search. */
  private SegmentWalk.Place end = SegmentWalk.Place.startOf(0);

  /**
   * Creates a reader; it opens nothing yet.
   *
   * @param segments the segments of the journal
   * @param history reads them
   * @param durablePosition gives the position up to which every record is durable; thread-safe
   */
  @SuppressWarnings("exports") // the journals of this module create it
  public JournalTail(Segments segments, SegmentHistory history, LongSupplier durablePosition) {
    this.segments = segments;
    this.history = history;
    this.durablePosition = durablePosition;
  }

  /**
   * Reads whole groups of one segment, from the one that has a record on.
   *
   * @param position the position of the record
   * @param bytesMax the size beyond which no second group is added
   * @return the groups; null if the record is not durable yet, or no longer kept
   * @throws JournalCorruptException if the journal is damaged
   * @throws IOException if it cannot be read
   */
  @SuppressWarnings("exports") // only archives read it
  public @Nullable JournalChunk read(long position, int bytesMax) throws IOException {
    long durable = durablePosition.getAsLong();
    Long segment = segments.holding(position);
    if (position > durable || segment == null) {
      return null;
    }
    try {
      return read(segment, position, durable, bytesMax);
    } catch (IOException | JournalCorruptException e) {
      if (!history.holds(segment)) {
        return null; // its file was deleted or reused meanwhile
      }
      throw e;
    }
  }

  private JournalChunk read(long segment, long position, long durable, int bytesMax)
      throws IOException {
    try (SegmentReader reader = history.open(segment)) {
      SegmentHeader header = reader.requireHeader(segment, "its header is damaged");
      SegmentWalk walk = new SegmentWalk(reader, header.salt(), end.towards(segment, position));
      // A group that continues after the end of a full segment was torn.
      Long next = segments.after(segment);
      long last = next == null ? durable : Math.min(durable, next - 1);
      SegmentWalk.Groups found = walk.read(position, last, bytesMax);
      if (found == null) {
        throw new JournalCorruptException(
            reader.path(), walk.offset(), position, "no valid group of records is here");
      }
      JournalChunk chunk = JournalChunk.of(header, found, reader.path());
      end = walk.place();
      return chunk;
    }
  }

  /** {@return the id of the journal} */
  public long journalId() {
    return history.journalId();
  }

  /** {@return the position up to which every record is durable} */
  public long durablePosition() {
    return durablePosition.getAsLong();
  }

  /** {@return the first position that is kept; one after the end if none is} */
  public long oldestPosition() {
    return history.oldestPosition();
  }

  /**
   * {@return the first position after another one from which on every record is kept: none of them
   * was dropped or purged}
   *
   * @param position the other one
   */
  public long wholeFrom(long position) {
    return Math.max(
        Math.max(oldestPosition(), position + 1), history.lastPurgedAfter(position) + 1);
  }

  /**
   * {@return the size of the segments from the one that has a position on, in bytes}
   *
   * @param position the position
   */
  public long bytesFrom(long position) {
    return history.bytesFrom(position);
  }
}
