package dev.holdfast.pitr;

import dev.holdfast.BookmarkException;
import dev.holdfast.BookmarkException.Reason;
import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.LaterBatches;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.PointInTimeRecovery.Purge;
import dev.holdfast.spi.RecordKind;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/** Resolves bookmarks to positions in the journal. Thread-safe. */
final class Moments {

  private final JournalHistory history;
  private final RestoreLedger ledger;
  private final BatchChain chain;

  Moments(JournalHistory history, RestoreLedger ledger) {
    this.history = history;
    this.ledger = ledger;
    this.chain = new BatchChain(history, ledger::purgedTo);
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
      if (restore == null) {
        requireNoRestoreAfter(key, moment.epoch());
      }
      position = restore == null ? end : restore - 1;
    } else if (moment.position() > end) {
      throw refusal(
          key, Reason.NOT_REACHED, "The bookmark names a state after the end of the journal.");
    } else {
      requireKept(key, moment.position());
      position =
          moment.withNextBatch()
              ? positionOfNextBatch(key, moment.position(), end)
              : moment.position();
    }
    requireKept(key, position);
    return position;
  }

  /**
   * Returns the position of the last batch of the object that was appended at or before a time, or
   * a later one with the same state. Only the times of the object's own batches count: other
   * records may have been stamped by a clock that was set back meanwhile.
   *
   * @param nowMillis batches later than this were stamped by a clock that was ahead, and belong to
   *     those before them
   * @throws BookmarkException if a batch of a later time is before one that is not later
   */
  long positionAt(ObjectKey key, Instant moment, long wallMillis, long nowMillis) {
    long position = history.positionAt(wallMillis);
    long[] earlier = {Journal.START, 0};
    try (HistoryCursor cursor = history.newestFirst(key, Long.MAX_VALUE)) {
      while (cursor.next()) {
        long stamped = cursor.wallMillis();
        if (!cursor.kind().isBatch() || stamped > nowMillis) {
          continue;
        }
        if (stamped <= wallMillis && earlier[0] == Journal.START) {
          earlier[0] = cursor.position();
          earlier[1] = stamped;
        } else if (stamped > wallMillis && earlier[0] != Journal.START) {
          throw refusal(
              key,
              Reason.AMBIGUOUS_TIME,
              "The time "
                  + moment
                  + " names two states: the clock was set back, and the object was changed at "
                  + Instant.ofEpochMilli(stamped)
                  + " (journal position "
                  + cursor.position()
                  + ") and after that at "
                  + Instant.ofEpochMilli(earlier[1])
                  + " (journal position "
                  + earlier[0]
                  + "). Take the bookmark of the state from its history.");
        }
      }
    }
    return Math.max(position, earlier[0]);
  }

  /** The ledger knows no restore after a position: neither must the journal have one. */
  private void requireNoRestoreAfter(ObjectKey key, long epoch) {
    chain.walkKept(
        key,
        Math.max(epoch, ledger.purgedTo(key)),
        new BatchChain.Visitor() {
          @Override
          public void batch(HistoryCursor record) {
            if (record.kind() == RecordKind.RESTORE) {
              throw refusal(
                  key,
                  Reason.HISTORY_INCOMPLETE,
                  "The object was restored at journal position "
                      + record.position()
                      + ", and what is recorded about its restores does not say so.");
            }
          }
        });
  }

  /** {@return the position of the batch after a position; the position itself if none followed} */
  private long positionOfNextBatch(ObjectKey key, long position, long end) {
    long[] next = {position};
    chain.walk(
        key,
        null,
        position,
        new BatchChain.Visitor() {
          @Override
          public void batch(HistoryCursor record) {
            if (record.kind().isBatch() && record.position() <= end) {
              next[0] = record.position();
            }
          }

          @Override
          public void note(HistoryCursor record) {
            if (record.viewId() == RestoreLedger.VIEW_ID
                && RestoreRecord.decode(record.read().payload())
                    instanceof RestoreRecord.NoBatch(long promised)
                && promised == position) {
              next[0] = position;
            }
          }
        });
    requireNoteKept(key, position, next[0]);
    return next[0];
  }

  /**
   * A batch passes for the one that was promised if nothing says that there was none: what says so
   * must not be missing. Of a record that was erased only the length is known. Those in the extent
   * of a purge were of its object.
   */
  private void requireNoteKept(ObjectKey key, long position, long batch) {
    int noteBytes =
        key.namespace().getBytes(StandardCharsets.UTF_8).length
            + new RestoreRecord.NoBatch(position).encode().remaining();
    long purged = ledger.purges().stream().mapToLong(Purge::upTo).max().orElse(Journal.START);
    history.forEach(
        Math.max(position, purged) + 1,
        batch - 1,
        record -> {
          if (record.isErased() && record.payload().remaining() == noteBytes) {
            throw refusal(
                key,
                Reason.HISTORY_INCOMPLETE,
                "Which state the bookmark names is not known: the record at journal position "
                    + record.position()
                    + " was erased, no purge has done it, and it may have said that its turn"
                    + " changed nothing. Take the bookmark of the state from its"
                    + " history.");
          }
        });
  }

  /**
   * Checks that every record after a position is kept.
   *
   * @throws BookmarkException if it is not
   */
  void requireKept(ObjectKey key, long position) {
    if (position + 1 < history.oldestPosition()) {
      throw refusal(key, Reason.NOT_KEPT, BatchChain.notKept(history.oldestWallMillis()));
    }
    if (position < ledger.purgedTo(key)) {
      throw refusal(
          key, Reason.NOT_KEPT, "The history of the object back to this bookmark was purged.");
    }
  }

  /**
   * Returns the first position that the way back to a position needs: the one after it, or an
   * earlier one with a part of a batch that is after it.
   *
   * @throws BookmarkException if a batch is missing
   */
  long neededFor(ObjectKey key, long position) {
    return chain.walk(key, null, position, new BatchChain.Visitor() {});
  }

  /**
   * Checks that every batch after a position is kept and can be undone.
   *
   * @return {@link #neededFor}
   * @throws BookmarkException if a batch is missing or has no undo
   */
  long requireUndo(ObjectKey key, long position) {
    return chain.walk(
        key,
        null,
        position,
        new BatchChain.Visitor() {
          @Override
          public void batch(HistoryCursor record) {
            if (record.kind() == RecordKind.BATCH_WITHOUT_UNDO) {
              throw refusal(
                  key,
                  Reason.RECOVERY_OFF,
                  "The object was changed later while its namespace kept no history.");
            }
          }
        });
  }

  /** {@return the batches to undo to get back to a position} */
  LaterBatches after(ObjectKey key, long position) {
    return (last, visitor) ->
        chain.walk(
            key,
            last,
            position,
            new BatchChain.Visitor() {
              @Override
              public void batch(HistoryCursor record) {
                visitor.visit(record.read());
              }
            });
  }

  private static BookmarkException refusal(ObjectKey key, Reason reason, String message) {
    return new BookmarkException(key.namespace(), key.id(), reason, message);
  }
}
