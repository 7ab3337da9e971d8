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

  private final LongUnaryOperator states;
  private final LongUnaryOperator extents;

  private MovedRestores(LongUnaryOperator states, LongUnaryOperator extents) {
    this.states = states;
    this.extents = extents;
  }

  /**
   * Returns a record as it is in another journal.
   *
   * @param payload the payload; not changed
   * @param states gives the position in the other journal of the state at a position, also at 0:
   *     the last record there that is at it or before it, or a position before what is kept
   * @param extents gives the position in the other journal up to which the records of an object are
   *     purged that are purged up to a position: the first record there that is at it or after it.
   *     The purged ones are not there, so the one before it can be from before them
   * @return the payload in the other journal
   * @throws IllegalArgumentException if it is not a record of this version
   */
  public static ByteBuffer of(
      ByteBuffer payload, LongUnaryOperator states, LongUnaryOperator extents) {
    return new MovedRestores(states, extents).moved(RestoreRecord.decode(payload)).encode();
  }

  private RestoreRecord moved(RestoreRecord record) {
    return switch (record) {
      case Requested(Bookmark target) -> new Requested(moved(target));
      case Withdrawn withdrawn -> withdrawn;
      case NoBatch(long position) -> new NoBatch(states.applyAsLong(position));
      case Known(ObjectRestores restores) -> new Known(moved(restores));
      case Purged(long position, boolean isDone) ->
          new Purged(extents.applyAsLong(position), isDone);
    };
  }

  /** Of restores at one position, the records of all but the last were dropped. */
  private ObjectRestores moved(ObjectRestores restores) {
    PendingRestore pending = restores.pending();
    @Nullable PendingRestore movedPending =
        pending == null
            ? null
            : new PendingRestore(states.applyAsLong(pending.position()), moved(pending.target()));
    List<DoneRestore> done = new ArrayList<>();
    for (DoneRestore each : restores.done()) {
      long position = states.applyAsLong(each.position());
      if (!done.isEmpty() && done.getLast().position() == position) {
        done.removeLast();
      }
      done.add(new DoneRestore(position, each.wallMillis(), moved(each.target())));
    }
    return new ObjectRestores(movedPending, done);
  }

  /** The end of an epoch is at no record, and 0 is the epoch before all restores. */
  private Bookmark moved(Bookmark target) {
    return new Bookmark(
        target.epoch() == 0 ? 0 : states.applyAsLong(target.epoch()),
        target.isEndOfEpoch() ? target.position() : states.applyAsLong(target.position()),
        target.withNextBatch());
  }
}
