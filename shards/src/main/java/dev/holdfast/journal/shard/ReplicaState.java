package dev.holdfast.journal.shard;

import dev.holdfast.journal.replica.Purges;
import dev.holdfast.journal.replica.SavedPoint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a replica of a shard has, as it says to another one that its log cannot bring forward. The
 * segments up to there are the same bytes on every replica.
 *
 * @param journalId the id of the journal; 0 if no node has opened the shard yet
 * @param index the last entry of the log that the replica has applied
 * @param term what the log says of this entry, for the log of the other node
 * @param epoch index of the last open entry; 0 if a release entry has ended it
 * @param owner the node that owns the shard; null if none
 * @param lastPosition the last record
 * @param segment first position of the newest segment; 0 if there is none
 * @param salt of that segment
 * @param segmentBytes its size
 * @param endOffset the offset after its last group
 * @param historyFrom the position from which on history is given
 * @param leaseMillis the longest lease that may run, as in {@code saved}
 * @param purged the last purge that its segments are without, by the index of its entry; 0 for none
 * @param segments the first positions of the segments that the other replica asked for
 */
public record ReplicaState(
    long journalId,
    long index,
    long term,
    long epoch,
    @Nullable String owner,
    long lastPosition,
    long segment,
    long salt,
    long segmentBytes,
    long endOffset,
    long historyFrom,
    long leaseMillis,
    long purged,
    List<Long> segments) {

  /** Copies the list. */
  public ReplicaState {
    segments = List.copyOf(segments);
  }

  SavedPoint point() {
    return new SavedPoint(
        journalId,
        index,
        epoch,
        lastPosition,
        segment,
        salt,
        segmentBytes,
        endOffset,
        historyFrom,
        leaseMillis,
        new Purges(purged, List.of()));
  }
}
