package dev.holdfast.pitr;

import dev.holdfast.BookmarkException;
import dev.holdfast.BookmarkException.Reason;
import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import java.time.Instant;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The only reader of the past of objects: goes back from batch to batch, each of which names the
 * one before it and the number of its parts, and refuses a past of which a record is missing.
 * Thread-safe.
 */
final class BatchChain {

  private final JournalHistory history;
  private final ToLongFunction<ObjectKey> purgedTo;

  /**
   * @param purgedTo the position up to which the history of an object was purged; 0 for nothing
   */
  BatchChain(JournalHistory history, ToLongFunction<ObjectKey> purgedTo) {
    this.history = history;
    this.purgedTo = purgedTo;
  }

  /** Receives the records that are passed, newest first. */
  interface Visitor {

    /** Receives a batch, or a part of the batch before. */
    default void batch(HistoryCursor record) {}

    /** Receives a record that changes no object. */
    default void note(HistoryCursor record) {}
  }

  /**
   * Passes all records of an object after a moment, newest first. Ends when it is proven that no
   * batch of the object is missing: the last one passed names one at or before the moment.
   *
   * @param last the position of the object's last batch; null if it is not known, and the newest
   *     one in the journal counts
   * @param target the moment
   * @return the lowest position that was needed: that after the moment, or of the first part of a
   *     batch after it
   * @throws BookmarkException if a record is missing
   */
  long walk(ObjectKey key, @Nullable Long last, long target, Visitor visitor) {
    Walk walk = new Walk(key, last, target);
    walk.run(visitor);
    return walk.end();
  }

  /** Passes the batches after a moment as far as they are kept. */
  void walkKept(ObjectKey key, long target, Visitor visitor) {
    long oldest = history.oldestPosition();
    Walk walk = new Walk(key, null, Math.max(target, oldest - 1));
    walk.run(visitor);
    if (!walk.lacksOnlyParts()) {
      walk.end();
    }
  }

  private final class Walk {

    private final ObjectKey key;
    private final long target;

    /** The next older batch; null before the first one, if that is not known. */
    private @Nullable Long expected;

    /** The batch whose parts are passed. */
    private long batch;

    private long previous;
    private int partsLeft;
    private boolean isBegun;
    private long lowest;

    Walk(ObjectKey key, @Nullable Long last, long target) {
      this.key = key;
      this.expected = last;
      this.target = target;
      this.lowest = target + 1;
      // The last batch itself must be there, though nothing of it is undone, if it is kept.
      long kept = Math.max(history.oldestPosition(), purgedTo.applyAsLong(key) + 1);
      this.isBegun = last != null && last != Journal.START && last < kept;
    }

    /**
     * Goes to the batch that is proven to be the last one at the moment: no batch may be before the
     * moment and after that one, as if the files of the object were lost.
     */
    void run(Visitor visitor) {
      try (HistoryCursor cursor = history.newestFirst(key, Long.MAX_VALUE)) {
        while (cursor.next() && !(isProven() && isAtProof(cursor.position()))) {
          visit(cursor, visitor);
        }
      }
    }

    private boolean isAtProof(long position) {
      return expected != null && position <= expected;
    }

    private boolean isProven() {
      return isBegun && partsLeft == 0 && expected != null && expected <= target;
    }

    boolean lacksOnlyParts() {
      return partsLeft > 0 && expected != null && expected <= target;
    }

    private void visit(HistoryCursor record, Visitor visitor) {
      RecordKind kind = record.kind();
      if (!kind.isChained()) {
        if (record.position() > target) {
          visitor.note(record);
        }
      } else if (kind == RecordKind.UNDO_PART) {
        visitPart(record, visitor);
      } else {
        visitBatch(record, visitor);
      }
    }

    /** A part that belongs to no batch was left by a crash, and means nothing. */
    private void visitPart(HistoryCursor record, Visitor visitor) {
      if (partsLeft == 0) {
        return;
      }
      if (record.link().parts() != partsLeft || record.link().previous() != previous) {
        throw missing();
      }
      partsLeft--;
      pass(record, visitor);
    }

    private void visitBatch(HistoryCursor record, Visitor visitor) {
      Long next = expected;
      if (partsLeft > 0 || (next != null && record.position() != next)) {
        throw missing();
      }
      isBegun = true;
      if (record.position() <= target) {
        expected = record.position();
        return;
      }
      batch = record.position();
      previous = record.link().previous();
      partsLeft = record.link().parts();
      expected = previous;
      pass(record, visitor);
    }

    private void pass(HistoryCursor record, Visitor visitor) {
      lowest = Math.min(lowest, record.position());
      visitor.batch(record);
    }

    /** Ends the walk when there are no more records. */
    long end() {
      Long next = expected;
      boolean isNothingExpected = partsLeft == 0 && (next == null || next == Journal.START);
      if (!isProven() && !isNothingExpected) {
        throw missing();
      }
      return lowest;
    }

    private BookmarkException missing() {
      long oldest = history.oldestPosition();
      long at = expected == null ? Journal.START : expected;
      // Parts are anywhere after it. A batch that names none was the first, as far as it knew.
      if (partsLeft > 0 ? at + 1 < oldest : at != Journal.START && at < oldest) {
        return new BookmarkException(
            key.namespace(), key.id(), Reason.NOT_KEPT, notKept(history.oldestWallMillis()));
      }
      String what =
          partsLeft > 0
              ? "part " + partsLeft + " of the change at journal position " + batch
              : at == Journal.START
                  ? "the link to the earlier changes"
                  : "the change at journal position " + at;
      return new BookmarkException(
          key.namespace(),
          key.id(),
          Reason.HISTORY_INCOMPLETE,
          "The history of the object is not whole: "
              + what
              + " is missing, between the present and the state asked for at position "
              + target
              + ". That state is not given out; the present one is untouched. Run ./holdfast"
              + " verify, and restore the data directory from a backup if the state is needed.");
    }
  }

  static String notKept(long oldestWallMillis) {
    return "The history back to this bookmark is no longer kept; the oldest state that can be"
        + " restored is from "
        + Instant.ofEpochMilli(oldestWallMillis)
        + ".";
  }
}
