package dev.holdfast.runtime.internal.turn;

import dev.holdfast.runtime.internal.gate.OutputGate;
import dev.holdfast.runtime.internal.jfr.FlightRecording;
import dev.holdfast.runtime.internal.jfr.RestoreEvent;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.LaterBatches;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.PastImage;
import dev.holdfast.spi.PointInTimeRecovery.RequestedRestore;
import dev.holdfast.statistics.ResetReason;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The bookmarks that one instance hands out.
 *
 * <p>A bookmark names a journal position, and positions that a crash loses are given again, to
 * other records. So whatever carries a bookmark out of the runtime waits until its position is
 * durable.
 *
 * <p>Confined to the holder of the turn.
 */
public final class Bookmarks {

  private static final long NONE = -1;

  private final Turn turn;
  private final TurnWork work;
  private final EngineParts parts;
  private final ObjectKey key;
  private final OutputGate output;

  /** At or after the last batch of the instances before this one. */
  private long sessionPosition = Journal.START;

  /** The position after which a bookmark promises the batch of the running turn. */
  private long promisedAfter = NONE;

  Bookmarks(Turn turn, TurnWork work) {
    this.turn = turn;
    this.work = work;
    this.parts = turn.parts();
    this.key = turn.key();
    this.output = work.output();
  }

  void beginSession() {
    sessionPosition = parts.journal().lastPosition();
    if (parts.recovery().isRestorePending(key)) {
      RestoreEvent event = FlightRecording.isPossible() ? RestoreEvent.beginIfOn() : null;
      long position = parts.recovery().restore(key, work.store());
      if (event != null) {
        event.end(key, position);
      }
      output.raiseToOwn(position, /* confirmed= */ true);
    }
  }

  /** {@return a bookmark of the state with all that the turn has written so far} */
  public String current() {
    if (work.mayHaveWritten()) {
      // All bookmarks of a turn name its batch. They share a position, because one record
      // is written if that batch does not come.
      long position = promisedAfter == NONE ? parts.journal().lastPosition() : promisedAfter;
      String bookmark = parts.recovery().bookmark(key, position, /* withNextBatch= */ true);
      // Else a reply could leave before the batch is durable, and another batch become the next.
      work.confirmBatch();
      promisedAfter = position;
      return bookmark;
    }
    long position =
        Math.max(
            Math.max(sessionPosition, output.sealedPosition()),
            Math.max(output.position(), parts.journal().durablePosition()));
    String bookmark = parts.recovery().bookmark(key, position, /* withNextBatch= */ false);
    output.raiseTo(position);
    return bookmark;
  }

  /**
   * Returns a bookmark of the last state at or before a time.
   *
   * @param time the time
   * @return the bookmark
   */
  public String at(Instant time) {
    return parts.recovery().bookmarkAt(key, time);
  }

  /**
   * Has the object brought back when its next instance is made.
   *
   * @param bookmark where to
   * @return a bookmark of the state just before that
   */
  public String requestRestore(String bookmark) {
    RequestedRestore requested = parts.recovery().requestRestore(key, bookmark);
    output.raiseTo(requested.position());
    return requested.undoBookmark();
  }

  /**
   * Makes an image of a state. The turn has not used the storage yet.
   *
   * @param bookmark which state; null for the present
   * @return the image
   */
  public PastImage imageOf(@Nullable String bookmark) {
    return work.store().image(laterThan(bookmark));
  }

  /**
   * Makes images of two states to be compared. The turn has not used the storage yet.
   *
   * @param first which state; null for the present
   * @param second which other state
   * @return the images
   */
  public PastImage.Pair imagesOf(@Nullable String first, @Nullable String second) {
    return work.store().images(laterThan(first), laterThan(second));
  }

  private LaterBatches laterThan(@Nullable String bookmark) {
    String state = bookmark == null ? current() : bookmark;
    // Others may have been in between the wait for this and the turn.
    parts.journal().awaitDurable(output.sealedPosition());
    return parts.recovery().laterThan(key, state);
  }

  /**
   * Makes the object, which has no data, what an image says. The turn has not used the storage yet.
   *
   * @param image of another object
   * @return the position of the batch
   */
  public long become(PastImage image) {
    long position = work.store().become(image);
    output.raiseToOwn(position, /* confirmed= */ true);
    return position;
  }

  /**
   * Resets the instance.
   *
   * @param message for every call in flight
   */
  public void reset(String message) {
    turn.reset(ResetReason.ADMINISTRATION, message, null);
  }

  /**
   * Called before messages leave in the middle of a turn's work: a transaction stays open while its
   * object waits, or what was written will be dropped. The batch that a bookmark counts on may then
   * never come, and a crash could lose the record that says so: another batch of the object would
   * pass for it. So the record is written now, and the messages depend on it.
   */
  void messagesLeave() {
    turnEnded(Journal.START);
  }

  /** Records the end of a turn; of its batch, if there is one. */
  void turnEnded(long batchPosition) {
    long promised = promisedAfter;
    if (promised != NONE) {
      promisedAfter = NONE;
      if (batchPosition == Journal.START) {
        output.raiseTo(parts.recovery().noBatchFollowed(key, promised));
      }
    }
  }
}
