package dev.holdfast.pitr;

import dev.holdfast.BookmarkException;
import dev.holdfast.BookmarkException.Reason;
import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.LaterBatches;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import org.jspecify.annotations.Nullable;

/** Resolves bookmarks to positions in the journal. Thread-safe. */
final class Moments {

  private final JournalHistory history;
  private final RestoreLedger ledger;

  Moments(JournalHistory history, RestoreLedger ledger) {
    this.history = history;
    this.ledger = ledger;
  }

  /**
   * Returns the position up to which, inclusive, the batches of the object belong to a moment.
   *
   * @param end all of the object's batches are at or before it, and durable
   * @throws BookmarkException if that is no longer known
   */
  long positionOf(ObjectKey key, Bookmark moment, long end) {
    long position;
    if (moment.isEndOfEpoch()) {
      Long restore = ledger.restores(key).endOf(moment.epoch());
      position = restore == null ? end : stateBefore(key, restore);
    } else if (moment.position() > end) {
      throw refusal(
          key, Reason.NOT_REACHED, "The bookmark names a state after the end of the journal.");
    } else {
      requireKept(key, moment.position());
      position =
          moment.withNextBatch()
              ? positionOfNextBatch(key, moment.position(), end)
              : beforeParts(key, moment.position());
    }
    requireKept(key, position);
    return position;
  }

  /** {@return the position up to which the batches before a restore are, without its own parts} */
  long stateBefore(ObjectKey key, long restore) {
    // No record about an object is written while it is restored: the records of the ledger are
    // before the first part.
    return beforeParts(key, restore - 1, /* isLedgerBetween= */ false);
  }

  /**
   * Returns the position before the parts that are directly before a position. They belong to a
   * batch after it, which cannot be undone without them: so the history that a moment needs begins
   * with the first of them. The state is the same.
   *
   * @throws BookmarkException if it is unknown whether the first of them is kept
   */
  long beforeParts(ObjectKey key, long position) {
    return beforeParts(key, position, /* isLedgerBetween= */ true);
  }

  private long beforeParts(ObjectKey key, long position, boolean isLedgerBetween) {
    long before = position;
    try (HistoryCursor cursor = history.newestFirst(key, position)) {
      while (cursor.next()) {
        if (cursor.kind() == RecordKind.UNDO_PART) {
          before = cursor.position() - 1;
        } else if (cursor.kind().isBatch()
            && !(isLedgerBetween && cursor.viewId() == RestoreLedger.VIEW_ID)) {
          return before;
        }
      }
    }
    if (before != position && history.oldestPosition() > 1) {
      throw notKept(key);
    }
    return before;
  }

  /** {@return the position of the batch after a position; the position itself if none followed} */
  private long positionOfNextBatch(ObjectKey key, long position, long end) {
    long next = position;
    try (HistoryCursor cursor = history.newestFirst(key, end)) {
      while (cursor.next() && cursor.position() > position) {
        if (cursor.kind().isBatch() && cursor.viewId() != RestoreLedger.VIEW_ID) {
          next = cursor.position();
        } else if (cursor.viewId() == RestoreLedger.VIEW_ID
            && RestoreRecord.decode(cursor.read().payload())
                instanceof RestoreRecord.NoBatch(long promised)
            && promised == position) {
          next = position;
        }
      }
    }
    return next;
  }

  /**
   * Checks that every record after a position is kept.
   *
   * @throws BookmarkException if it is not
   */
  void requireKept(ObjectKey key, long position) {
    if (position + 1 < history.oldestPosition()) {
      throw notKept(key);
    }
    if (position < ledger.purgedTo(key)) {
      throw refusal(
          key, Reason.NOT_KEPT, "The history of the object back to this bookmark was purged.");
    }
  }

  private BookmarkException notKept(ObjectKey key) {
    return refusal(
        key,
        Reason.NOT_KEPT,
        "The history back to this bookmark is no longer kept; the oldest state that can be"
            + " restored is that of "
            + java.time.Instant.ofEpochMilli(history.oldestWallMillis())
            + ".");
  }

  /**
   * Checks that every batch after a position can be undone.
   *
   * @throws BookmarkException if a batch has no undo
   */
  void requireUndo(ObjectKey key, long position, long end) {
    try (HistoryCursor cursor = history.newestFirst(key, end)) {
      while (cursor.next() && cursor.position() > position) {
        if (cursor.kind() == RecordKind.BATCH_WITHOUT_UNDO) {
          throw refusal(
              key,
              Reason.RECOVERY_OFF,
              "The object was changed later while its namespace kept no history.");
        }
      }
    }
  }

  /** {@return the batches to undo to get back to a position} */
  LaterBatches after(ObjectKey key, long position, long end) {
    return visitor -> {
      try (HistoryCursor cursor = history.newestFirst(key, end)) {
        while (cursor.next()) {
          boolean isPart = cursor.kind() == RecordKind.UNDO_PART;
          if (cursor.viewId() == RestoreLedger.VIEW_ID || !(isPart || cursor.kind().isBatch())) {
            continue; // may be between the parts of a batch
          }
          // Parts that the undo of a batch needs may be before the moment, directly before the
          // batch.
          if (cursor.position() <= position && !isPart) {
            return;
          }
          visitor.visit(cursor.read());
        }
      }
    };
  }

  private static BookmarkException refusal(ObjectKey key, Reason reason, @Nullable String message) {
    return new BookmarkException(key.namespace(), key.id(), reason, String.valueOf(message));
  }
}
