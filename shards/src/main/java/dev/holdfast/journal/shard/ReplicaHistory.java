package dev.holdfast.journal.shard;

import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.file.SegmentHistory;
import dev.holdfast.journal.file.SegmentSupply;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.image.OutgoingImage;
import dev.holdfast.journal.replica.CopyHold;
import dev.holdfast.journal.replica.GivenHistory;
import dev.holdfast.journal.replica.OldSegments;
import dev.holdfast.journal.replica.SegmentBegins;
import dev.holdfast.journal.retention.SegmentRemoval;
import dev.holdfast.spi.JournalHistory;
import java.io.IOException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The past of a shard in the segments of a copy: there is none before a node has opened the shard.
 * Segments are removed once no replica, no view and no copy needs them.
 *
 * <p>Thread-safe, but for {@link #know} and {@link #forget}, for which the caller has the lock of
 * {@link ReplicaProgress}.
 */
final class ReplicaHistory {

  private final JournalOptions options;
  private final ShardHost host;
  private final Segments segments;
  private final SegmentSupply supply;
  private final OutgoingImage images;
  private final ReplicaProgress progress;
  private final Runnable saveIfOpen;
  private final SegmentBegins begins = new SegmentBegins();
  private final CopyHold hold;

  private volatile @Nullable SegmentHistory known;
  private volatile @Nullable OldSegments old;

  /**
   * @param images copies of files that need segments
   * @param saveIfOpen asks for a save, after which segments may be removed
   */
  ReplicaHistory(
      JournalOptions options,
      ShardHost host,
      Segments segments,
      SegmentSupply supply,
      OutgoingImage images,
      ReplicaProgress progress,
      Runnable saveIfOpen) {
    this.options = options;
    this.host = host;
    this.segments = segments;
    this.supply = supply;
    this.images = images;
    this.progress = progress;
    this.saveIfOpen = saveIfOpen;
    this.hold = new CopyHold(host.time());
  }

  /** Begins the history once the journal has an id. */
  void know() {
    long journalId = progress.applied().journalId();
    if (journalId != 0 && known == null) {
      SegmentHistory history =
          new SegmentHistory(
              options.disk(),
              segments,
              new SegmentHistory.Ends(() -> progress.applied().lastPosition(), supply::bytes),
              host.time(),
              journalId);
      known = history;
      old =
          new OldSegments(
              segments,
              new SegmentRemoval(options.disk(), segments, supply, history),
              () -> progress.applied().purges().isDone() ? options.segmentBytes() : 0,
              this::copiedFrom,
              host.time(),
              saveIfOpen);
    }
  }

  /** Counts records that were not applied one by one: about, by the size of their segments. */
  void countFrom(long position) {
    SegmentHistory past = known;
    if (past != null && position <= progress.saved().lastPosition()) {
      progress.bytes().count(past.bytesFrom(position));
    }
  }

  /** {@return the history in the segments; null if no node has opened the shard yet} */
  @Nullable SegmentHistory known() {
    return known;
  }

  /** {@return the history of every object, as all nodes give it} */
  JournalHistory given() {
    SegmentHistory past = known;
    if (past == null) {
      throw new IllegalStateException("No node has opened the shard yet.");
    }
    return new GivenHistory(past, () -> progress.applied().historyFrom());
  }

  /** Holds segments that another node copies. */
  CopyHold hold() {
    return hold;
  }

  /** {@return the first position that another node copies; the largest long if none does} */
  long copiedFrom() {
    return Math.min(hold.floor(), images.floor());
  }

  /** {@return what the replicas have} */
  ShardRetention.Members members() {
    return new ShardRetention.Members(() -> progress.applied().historyFrom(), this::heldByAll);
  }

  /** {@return the newest segment of which every member has the beginning; 0 if none is known} */
  private long heldByAll() {
    OptionalLong held = progress.startedLog().heldByAll();
    return held.isEmpty() ? 0 : begins.until(held.getAsLong());
  }

  /** States which segment an entry of the log has left as the newest. */
  void beginsAt(long index) {
    begins.at(index, progress.applied().segment());
  }

  /** After what is saved is durable: it says which segments may be missing. */
  void removeOld() {
    OldSegments segmentsBefore = old;
    if (segmentsBefore != null) {
      segmentsBefore.remove(progress.durable().removable());
    }
  }

  /**
   * Other files are in the place of the segments, and those before one are gone; {@link #know}
   * begins again.
   */
  void forget(long segment) throws IOException {
    SegmentHistory past = known;
    if (past != null) {
      for (long each : segments.entirelyBefore(segment)) {
        past.drop(each, () -> Long.MAX_VALUE, () -> {});
      }
    }
    known = null;
    old = null;
  }
}
