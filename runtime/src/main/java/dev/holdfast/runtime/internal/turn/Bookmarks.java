package dev.holdfast.runtime.internal.turn;

import dev.holdfast.runtime.internal.gate.OutputGate;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.PointInTimeRecovery.RequestedRestore;
import java.time.Instant;

/**
 * The bookmarks that one instance hands out.
 *
 * <p>A bookmark names a journal position, and positions that a crash loses are given again, to
 * other records. So whatever carries a bookmark out of the runtime waits until its position is
 * durable.
 *
 * <p>Owned by the holder of the turn.
 */
public final class Bookmarks {

  private static final long NONE = -1;

  private final EngineServices services;
  private final ObjectKey key;
  private final TurnWork work;
  private final OutputGate output;

  /** At or behind the last batch of the instances before this one. */
  private long sessionPosition = Journal.START;

  /** The position behind which a bookmark promises the batch of the running turn. */
  private long promisedBehind = NONE;

  Bookmarks(EngineServices services, ObjectKey key, TurnWork work, OutputGate output) {
    this.services = services;
    this.key = key;
    this.work = work;
    this.output = output;
  }

  void beginSession() {
    sessionPosition = services.journal().lastPosition();
    if (services.recovery().isRestorePending(key)) {
      long position = services.recovery().restore(key, work.store());
      output.raiseToOwn(position, /* confirmed= */ true);
    }
  }

  /** {@return a bookmark of the state with all that the turn has written so far} */
  public String current() {
    if (work.mayHaveWritten()) {
      long position = services.journal().lastPosition();
      String bookmark = services.recovery().bookmark(key, position, /* withNextBatch= */ true);
      // Else a reply could leave before the batch is durable, and another batch become the next.
      work.confirm();
      promisedBehind = position;
      return bookmark;
    }
    long position =
        Math.max(
            Math.max(sessionPosition, output.sealedPosition()),
            Math.max(output.position(), services.journal().durablePosition()));
    String bookmark = services.recovery().bookmark(key, position, /* withNextBatch= */ false);
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
    return services.recovery().bookmarkAt(key, time);
  }

  /**
   * Has the object brought back when its next instance is made.
   *
   * @param bookmark where to
   * @return a bookmark of the state just before that
   */
  public String requestRestore(String bookmark) {
    RequestedRestore requested = services.recovery().requestRestore(key, bookmark);
    output.raiseTo(requested.position());
    return requested.undoBookmark();
  }

  /** Takes note of the end of a turn; of its batch, if there is one. */
  void turnEnded(long batchPosition) {
    long promised = promisedBehind;
    if (promised != NONE) {
      promisedBehind = NONE;
      if (batchPosition == Journal.START) {
        services.recovery().noBatchFollowed(key, promised);
      }
    }
  }
}
