package dev.holdfast.pitr;

import dev.holdfast.pitr.RestoreRecord.Known;
import dev.holdfast.pitr.RestoreRecord.NoBatch;
import dev.holdfast.pitr.RestoreRecord.Purged;
import dev.holdfast.pitr.RestoreRecord.Requested;
import dev.holdfast.pitr.RestoreRecord.Withdrawn;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Records about restores in a journal that has its records at other positions. Immutable. */
public final class MovedRestores {

  /** The view of these records. */
  public static final int VIEW_ID = RestoreLedger.VIEW_ID;

  private final long oldest;
  private final LongUnaryOperator positions;

  private MovedRestores(long oldest, LongUnaryOperator positions) {
    this.oldest = oldest;
    this.positions = positions;
  }

  /**
   * Returns a record as it is in another journal.
   *
   * @param payload the payload; not changed
   * @param oldest the position of the oldest record that its journal has
   * @param positions gives the position in the other journal of the last record there that is at a
   *     position or before it
   * @return the payload in the other journal
   * @throws IllegalArgumentException if it is not a record of this version
   */
  public static ByteBuffer of(ByteBuffer payload, long oldest, LongUnaryOperator positions) {
    return new MovedRestores(oldest, positions).moved(RestoreRecord.decode(payload)).encode();
  }

  private RestoreRecord moved(RestoreRecord record) {
    return switch (record) {
      case Requested(Bookmark target) -> new Requested(moved(target));
      case Withdrawn withdrawn -> withdrawn;
      case NoBatch(long position) -> new NoBatch(state(position));
      case Known(ObjectRestores restores) -> new Known(moved(restores));
      case Purged(long position, boolean isDone) -> new Purged(purged(position), isDone);
    };
  }

  /** Of restores at one position, the records of all but the last were dropped. */
  private ObjectRestores moved(ObjectRestores restores) {
    PendingRestore pending = restores.pending();
    @Nullable PendingRestore movedPending =
        pending == null
            ? null
            : new PendingRestore(
                positions.applyAsLong(pending.position()), moved(pending.target()));
    List<DoneRestore> done = new ArrayList<>();
    for (DoneRestore each : restores.done()) {
      long position = positions.applyAsLong(each.position());
      if (!done.isEmpty() && done.getLast().position() == position) {
        done.removeLast();
      }
      done.add(new DoneRestore(position, each.wallMillis(), moved(each.target())));
    }
    return new ObjectRestores(movedPending, done);
  }

  /** The end of an epoch is no position of a record. */
  private Bookmark moved(Bookmark target) {
    return new Bookmark(
        positions.applyAsLong(target.epoch()),
        target.isEndOfEpoch() ? target.position() : state(target.position()),
        target.withNextBatch());
  }

  /**
   * A state from before the oldest record is not kept; the other journal begins after 0 as well.
   */
  private long state(long position) {
    return position < oldest - 1 ? 0 : positions.applyAsLong(position);
  }

  /**
   * The purged records can be directly after that position, so the state at it is not known. The
   * record of the purge follows them.
   */
  private long purged(long position) {
    return positions.applyAsLong(position) + (position < oldest ? 0 : 1);
  }
}
