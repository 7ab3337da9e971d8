package dev.holdfast.pitr;

import dev.holdfast.pitr.RestoreRecord.Known;
import dev.holdfast.pitr.RestoreRecord.NoBatch;
import dev.holdfast.pitr.RestoreRecord.Purged;
import dev.holdfast.pitr.RestoreRecord.Requested;
import dev.holdfast.pitr.RestoreRecord.Withdrawn;
import java.nio.ByteBuffer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Records about restores in a journal that has its records at other positions. Stateless. */
public final class MovedRestores {

  /** The view of these records. */
  public static final int VIEW_ID = RestoreLedger.VIEW_ID;

  private MovedRestores() {}

  /**
   * Returns a record as it is in another journal.
   *
   * @param payload the payload; not changed
   * @param positions gives the position in the other journal of the last record there that is at a
   *     position or before it
   * @return the payload in the other journal
   * @throws IllegalArgumentException if it is not a record of this version
   */
  public static ByteBuffer of(ByteBuffer payload, LongUnaryOperator positions) {
    RestoreRecord moved =
        switch (RestoreRecord.decode(payload)) {
          case Requested(Bookmark target) -> new Requested(moved(target, positions));
          case Withdrawn withdrawn -> withdrawn;
          case NoBatch(long position) -> new NoBatch(positions.applyAsLong(position));
          case Known(ObjectRestores restores) -> new Known(moved(restores, positions));
          case Purged(long position, boolean isDone) ->
              new Purged(positions.applyAsLong(position), isDone);
        };
    return moved.encode();
  }

  private static ObjectRestores moved(ObjectRestores restores, LongUnaryOperator positions) {
    PendingRestore pending = restores.pending();
    @Nullable PendingRestore movedPending =
        pending == null
            ? null
            : new PendingRestore(
                positions.applyAsLong(pending.position()), moved(pending.target(), positions));
    return new ObjectRestores(
        movedPending,
        restores.done().stream()
            .map(
                each ->
                    new DoneRestore(
                        positions.applyAsLong(each.position()),
                        each.wallMillis(),
                        moved(each.target(), positions)))
            .toList());
  }

  /** The end of an epoch is no position of a record. */
  private static Bookmark moved(Bookmark target, LongUnaryOperator positions) {
    return new Bookmark(
        positions.applyAsLong(target.epoch()),
        target.isEndOfEpoch() ? target.position() : positions.applyAsLong(target.position()),
        target.withNextBatch());
  }
}
