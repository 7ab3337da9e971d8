package dev.holdfast.journal.replica;

import java.util.OptionalLong;

/**
 * What a replica has applied.
 *
 * @param journalId the id of the journal
 * @param index the last entry of the log; {@link #NO_ENTRY} if there is none
 * @param epoch index of the last open entry; 0 if a release entry has ended it
 * @param lastPosition the last record
 * @param segment first position of the newest segment; 0 if there is none
 * @param salt of that segment
 * @param segmentBytes its size
 * @param endOffset the offset after its last group
 * @param historyFrom the position from which on history is given; 1 if none was dropped
 * @param leaseMillis the longest lease that may run, of the owners since the last release entry
 *     that has ended an ownership; 0 for none
 * @param purges the purges until then
 */
public record SavedPoint(
    long journalId,
    long index,
    long epoch,
    long lastPosition,
    long segment,
    long salt,
    long segmentBytes,
    long endOffset,
    long historyFrom,
    long leaseMillis,
    Purges purges) {

  /** Of an empty replica. */
  public static final SavedPoint NONE = new SavedPoint(0, 0, 0, 0, 0, 0, 0, 0, 1, 0, Purges.NONE);

  /** No entry of a log: those that a replica is given have 1 or more. */
  public static final long NO_ENTRY = 0;

  /** {@return the last entry of the log; empty if there is none} */
  public OptionalLong entry() {
    return index == NO_ENTRY ? OptionalLong.empty() : OptionalLong.of(index);
  }

  /** {@return this point at a later entry, which has changed nothing} */
  public SavedPoint at(long laterIndex) {
    return with(journalId, laterIndex, epoch, historyFrom, leaseMillis, purges);
  }

  /** {@return this point with another owner, or none} */
  public SavedPoint in(long otherEpoch) {
    return with(journalId, index, otherEpoch, historyFrom, leaseMillis, purges);
  }

  /** {@return this point with another longest lease that may run} */
  public SavedPoint leased(long otherLeaseMillis) {
    return with(journalId, index, epoch, historyFrom, otherLeaseMillis, purges);
  }

  /** {@return this point with the id of its journal} */
  public SavedPoint of(long newJournalId) {
    return with(newJournalId, index, epoch, historyFrom, leaseMillis, purges);
  }

  /** {@return this point with a later beginning of the history} */
  public SavedPoint from(long newHistoryFrom) {
    return with(journalId, index, epoch, newHistoryFrom, leaseMillis, purges);
  }

  /** {@return this point with a purge that is to be done} */
  public SavedPoint purging(long entryIndex, LogEntry.Purge purge) {
    return with(purges.with(entryIndex, purge));
  }

  /** {@return this point once the oldest purge is done} */
  public SavedPoint purged() {
    return with(purges.withoutFirst());
  }

  /** {@return this point of a replica that has left its log} */
  public SavedPoint withoutLog() {
    return at(NO_ENTRY).in(0).with(purges.withoutLog());
  }

  private SavedPoint with(Purges other) {
    return with(journalId, index, epoch, historyFrom, leaseMillis, other);
  }

  /** {@return this point with the same records} */
  private SavedPoint with(
      long newJournalId,
      long newIndex,
      long newEpoch,
      long newHistoryFrom,
      long newLeaseMillis,
      Purges newPurges) {
    return new SavedPoint(
        newJournalId,
        newIndex,
        newEpoch,
        lastPosition,
        segment,
        salt,
        segmentBytes,
        endOffset,
        newHistoryFrom,
        newLeaseMillis,
        newPurges);
  }

  /** {@return this point after another group} */
  public SavedPoint after(long newPosition, LogEntry.Place place, long newSalt, long newEndOffset) {
    return new SavedPoint(
        journalId,
        index,
        epoch,
        newPosition,
        place.segment(),
        newSalt,
        place.segmentBytes(),
        newEndOffset,
        historyFrom,
        leaseMillis,
        purges);
  }
}
